import { beforeAll, expect, it, vi } from 'vitest';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import { decodeState, encodeState, type TrainState } from '../../../src/learn/rl/state.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { trainBuiltIn } from '../../learn/branching/built-in-run.ts';
import { openTestWorld, tinySettings, type World } from '../../learn/rl/helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** ZeroSearch as released, with the real engine: rollouts wait for each other's searches. */

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
  await loadCurriculum(getTraining('zero-search'));
});

const settingsOf = (id: 'zero-search/grpo' | 'zero-search/as-released'): TrainSettings => {
  const { recipe, stages, objective, curriculum } = getTraining(id);
  return tinySettings({
    recipe,
    stages,
    objective,
    curriculum,
    overrides: { retrieval: { k: 1, maxSearches: 2 } },
    questions: 3,
    groupSize: 2,
    overlong: null,
    steps: 2,
    heldOut: { questions: 0, every: 9, temperature: 0 },
  });
};
const train = (settings: TrainSettings, from?: TrainState) =>
  trainBuiltIn(world, settings, from, createCurriculum(settings, world));

it('comes to its end, finds other passages than a simulator of each question, and goes on bit for bit', async () => {
  const released = settingsOf('zero-search/as-released');
  const each = { ...settingsOf('zero-search/grpo'), steps: 1 };
  const [whole, own] = [await train(released), await train(each)];
  const found = (made: typeof whole): string[][] =>
    made.rollouts
      .filter(({ step }) => step === 1)
      .map(({ events }) =>
        events.flatMap((event) =>
          event.kind === 'retrieve' ? event.hits.map(({ passage }) => passage.id) : [],
        ),
      );
  expect(found(whole).flat().length).toBeGreaterThan(0);
  expect(found(whole)).not.toEqual(found(own));
  const again = await train(released, decodeState(encodeState(whole.states[0]!)));
  expect(again.state.adapter).toEqual(whole.state.adapter);
});
