import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runFork } from '../../../src/agent/run.ts';
import { createRouter } from '../../../src/agent/router/router.ts';
import { startsOf } from '../../../src/learn/mask.ts';
import { sequencesOf, updateBatches } from '../../../src/learn/rl/batch.ts';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { untrainable } from '../../../src/learn/rl/trainable.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { segmentsOf } from '../../../src/learn/trajectories/make.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { emptyRollout, policySegment, readSegment } from '../../fixtures/rollouts.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { trainBuiltIn } from '../branching/built-in-run.ts';
import { openTestWorld, tinySettings, type World } from '../rl/helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Rollouts whose context restarts after a search, where they are trained. */

/** Two contexts: the policy wrote 1 2 in the first, and 3 in the second. */
const anew = () => ({
  ...emptyRollout('a'),
  segments: [
    readSegment([50], 'question'),
    policySegment([1, 2]),
    readSegment([60, 61], 'background'),
    readSegment([50], 'question'),
    policySegment([3]),
  ],
  contexts: [2],
  reward: 1,
});

describe('a rollout of two contexts', () => {
  it('is one sequence with one advantage, that says where its second context begins', () => {
    expect(startsOf(anew())).toEqual([3]);
    const sequences = sequencesOf([[anew()]]);
    const settings = { ...getTraining('smart-rag/reset'), updates: 1 };
    const [items] = updateBatches(sequences, [0.5], null, settings);
    expect(items).toHaveLength(1);
    expect(items?.[0]).toMatchObject({ starts: [3], advantage: 0.5 });
    expect([...(items?.[0]?.ids ?? [])]).toEqual([50, 1, 2, 60, 61, 50, 3]);
    expect([...(items?.[0]?.oldLogprobs ?? [])]).toEqual([-1, -2, -3]);
  });

  it('cannot be forked, nor stored as a trajectory', async () => {
    const { info, tokenizer } = new ScriptedPolicy({ main: [] });
    const policy = { info, tokenizer, open: () => Promise.reject(new Error('unused')), dispose: () => undefined }; // prettier-ignore
    const deps = { policy, retriever: retrieverOver(), router: createRouter(), now: () => 0 };
    await expect(runFork(deps, { of: anew(), event: 0 }, { rolloutId: 'b' })).rejects.toThrow(
      /context was reset after a search/,
    );
    expect(() => segmentsOf(anew())).toThrow(/context was reset after a search/);
  });
});

it.each([
  ['branching', ['branching={"id":"tree-rpo","children":2,"depth":2}']],
  ['stages.0.loss', ['stages.0.loss={"kind":"sft","weight":"right","gold":false}']],
])('what takes a rollout for one context is refused: %s', (path, changes) => {
  const settings = getTraining('smart-rag/reset');
  expect(untrainable(settings)).toBeNull();
  expect(untrainable(withChanges(settings, changes))?.path).toBe(path);
});

describe('SmartRAG with a new prompt after each search', () => {
  let world: World;
  beforeAll(async () => {
    world = await openTestWorld();
  });
  const settingsOf = (id: 'smart-rag/reset' | 'smart-rag/reset-ppo'): TrainSettings => {
    const { recipe, overrides, objective, stages, updates } = getTraining(id);
    return tinySettings({
      recipe,
      overrides: { ...overrides, retrieval: { k: 1 }, system: { id: 'smart-rag', reset: true } },
      objective,
      stages,
      updates,
      overlong: null,
      steps: 2,
      heldOut: { questions: 0, every: 9, temperature: 0 },
    });
  };

  // A critic goes by contexts, too; what an advantage without one is shared by is held above.
  it.each(
    ALL_TESTS
      ? (['smart-rag/reset', 'smart-rag/reset-ppo'] as const)
      : (['smart-rag/reset-ppo'] as const),
  )(
    '%s: the trainer gives each token what the sampler gave it in its own context, and goes on bit for bit',
    async (id) => {
      const settings = settingsOf(id);
      const whole = await trainBuiltIn(world, settings);
      const several = whole.rollouts.filter(({ contexts }) => contexts !== undefined);
      expect(several.length).toBeGreaterThan(0);
      for (const { samplerGap, trainedTokens } of whole.steps) {
        expect(samplerGap.max ?? 1).toBeLessThan(1e-3);
        expect(trainedTokens).toBeGreaterThan(0);
      }
      const [first] = whole.states;
      expect(first?.adapter).not.toEqual(whole.state.adapter);
      const again = await trainBuiltIn(world, settings, decodeState(encodeState(first!)));
      expect(again.state.adapter).toEqual(whole.state.adapter);
    },
  );
});
