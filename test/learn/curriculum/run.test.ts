import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import type { TrainHooks, TrainLoopProgress } from '../../../src/learn/rl/contracts.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { decodeState, encodeState, type TrainState } from '../../../src/learn/rl/state.ts';
import { openTestWorld, tinySettings, trainTiny, type Trained, type World } from '../rl/helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SYSTEMS = {
  difficulty: {
    id: 'ur2',
    pool: 6,
    scoringRollouts: 32,
    tasks: null,
    taskMixing: false,
    mix: [7, 2, 1],
  },
  'gold-noise': { id: 'kunlun-baize', goldEpochs: 4, noise: 1 },
};
type Kind = keyof typeof SYSTEMS;

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});

const settingsOf = (kind: Kind): TrainSettings => {
  const base = tinySettings({ heldOut: { questions: 0, every: 1, temperature: 0 } });
  return { ...base, curriculum: { ...base.curriculum, system: SYSTEMS[kind] } };
};

const train = async (kind: Kind, state?: TrainState, hooks: TrainHooks = {}): Promise<Trained> => {
  const settings = settingsOf(kind);
  await loadCurriculum(settings);
  return trainTiny({
    settings,
    world,
    curriculum: createCurriculum(settings, world),
    hooks,
    ...(state ? { state: decodeState(encodeState(state)) } : {}),
  });
};

const bits = ({ state }: Trained): number[][] =>
  [state.adapter, state.first, state.second].map((values) => [
    ...new Uint32Array(values.buffer, values.byteOffset, values.length),
  ]);

/** Phases told, and how far the scoring had come each time. */
function watch(): { hooks: TrainHooks; scored: number[] } {
  const scored: number[] = [];
  const onProgress = ({ phase, done }: TrainLoopProgress): void => {
    if (phase === 'scoring-questions') scored.push(done);
  };
  return { hooks: { onProgress }, scored };
}

describe('a run with the difficulty curriculum', () => {
  let whole: Trained;
  const seen = watch();
  beforeAll(async () => {
    whole = await train('difficulty', undefined, seen.hooks);
  });

  it('scores first, stores the scores as it goes, and says what it drew', () => {
    expect(seen.scored).toEqual([0, 2, 4, 6]);
    expect(whole.states.map(({ step }) => step)).toEqual([0, 0, 0, 1, 2, 3]);
    // The untrained policy answers nothing right.
    expect(whole.steps.map(({ drawn }) => drawn)).toEqual([
      { dropped: 2 },
      { dropped: 2 },
      { dropped: 2 },
    ]);
    for (const { updates } of whole.states.slice(0, 3)) expect(updates).toBe(0);
  });

  it.each([
    ['amid the scoring', 0, [2, 4, 6]],
    ['after it', 2, []],
    ['after a step', 3, []],
  ])('killed %s it ends in the same bits, and scores nothing twice', async (_, at, scored) => {
    const again = watch();
    const resumed = await train('difficulty', whole.states[at], again.hooks);
    expect(again.scored).toEqual(scored);
    expect(bits(resumed)).toEqual(bits(whole));
    expect(resumed.state.curriculum).toEqual(whole.state.curriculum);
  });

  it('paused or aborted amid the scoring it keeps what is scored', async () => {
    let asked = 0;
    const paused = await train('difficulty', undefined, { shouldStop: () => ++asked > 1 });
    expect([paused.end, paused.state.step, paused.steps.length]).toEqual(['stopped', 0, 0]);
    expect(paused.state.curriculum).toMatchObject({ scores: [0, 0] });

    const abort = new AbortController();
    const onProgress = ({ phase, done }: TrainLoopProgress): void => {
      if (phase === 'scoring-questions' && done === 4) abort.abort();
    };
    const aborted = await train('difficulty', undefined, { onProgress, signal: abort.signal });
    expect([aborted.end, aborted.states.length]).toEqual(['aborted', 2]);
    expect(aborted.state.curriculum).toMatchObject({ scores: [0, 0, 0, 0] });
  });
});

describe('a run with the gold-noise curriculum', () => {
  it('draws gold and noisy, and goes on bit for bit', async () => {
    const whole = await train('gold-noise');
    for (const { drawn } of whole.steps)
      expect((drawn['gold'] ?? 0) + (drawn['noisy'] ?? 0)).toBe(2);
    expect(whole.steps.some(({ drawn }) => drawn['noisy'])).toBe(true);
    const resumed = await train('gold-noise', whole.states[0]);
    expect(bits(resumed)).toEqual(bits(whole));
    expect(resumed.state.curriculum).toEqual(whole.state.curriculum);
  });
});
