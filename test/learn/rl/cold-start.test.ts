import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { ColdStartPoint } from '../../../src/records/training.ts';
import { decodeState, encodeState, isUntrained } from '../../../src/learn/rl/state.ts';
import { warmUpData, warmUpLength } from '../../../src/learn/rl/warm-up-data.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { untrainable } from '../../../src/learn/rl/trainable.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { DEFAULT_WARM_UP } from '../../../src/recipes/parts/training.ts';
import { openTestWorld, tinySettings, trainTiny, type Trained, type World } from './helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Two passes over 6 of 8 demonstrations, 2 per update: 6 updates, evaluated after 0, 2, 4 and 6. */
const warmUp = {
  length: { epochs: 2 },
  batch: 2,
  learningRate: 1e-2,
  onlyCorrect: false,
  heldOut: 0.25,
  questions: 2,
};
const settings = tinySettings({ steps: 0, warmUp });

let world: World;
let demonstrations: Rollout[];
let whole: Trained;
const points: ColdStartPoint[] = [];
beforeAll(async () => {
  world = await openTestWorld();
  const made = await trainTiny({ settings: tinySettings({ steps: 1 }), world });
  // Two texts, four times each, all on different questions: what is learned of one is of use for those held out.
  demonstrations = [0, 1, 0, 1, 0, 1, 0, 1].map((text, i) => {
    const rollout = made.rollouts.flat()[text]!;
    return { ...rollout, id: `d${i}`, question: { ...rollout.question, id: `q${i}` } };
  });
  const hooks = { onColdStart: (point: ColdStartPoint) => void points.push(point) };
  whole = await trainTiny({ settings, world, demonstrations, hooks });
});

describe('a cold start', () => {
  it('without steps ends with a trained adapter, and makes no step', () => {
    expect([whole.end, whole.state.step, whole.state.warmedUp]).toEqual(['finished', 0, 6]);
    expect(whole.steps).toEqual([]);
    expect(isUntrained(whole.state)).toBe(false);
  });

  it('is evaluated before it, after each quarter, and at its end', () => {
    expect(points.map(({ update, updates }) => [update, updates])).toEqual([
      [0, 6],
      [2, 6],
      [4, 6],
      [6, 6],
    ]);
    expect(points.map(({ epoch }) => Number(epoch.toFixed(3)))).toEqual([0, 0.667, 1.333, 2]);
    expect(points[0]).toMatchObject({ loss: null, tokens: 0 });
    for (const { answers, heldOutLoss, at } of points) {
      expect(answers?.n).toBe(2);
      expect(answers?.formatValid).toBeGreaterThanOrEqual(0);
      expect(heldOutLoss).toBeGreaterThan(0);
      expect(Date.parse(at)).toBeGreaterThan(0);
    }
    expect(points.slice(1).every(({ tokens }) => tokens > 0)).toBe(true);
    expect(whole.state.coldStart?.points).toEqual(points);
  });

  it('lowers the loss of demonstrations that it never trains on', () => {
    const [first, last] = [points[0]?.heldOutLoss ?? 0, points.at(-1)?.heldOutLoss ?? 0];
    expect(last).toBeLessThan(first - 0.05);
  });

  it.each([1, 2])('stopped after update %i gives the same bits when resumed', async (after) => {
    let done = 0;
    const stopped = await trainTiny({
      settings,
      world,
      demonstrations,
      hooks: {
        onProgress: (progress) => {
          if (progress.phase === 'warm-up') done = progress.done;
        },
        shouldStop: () => done >= after,
      },
    });
    expect([stopped.end, stopped.state.warmedUp]).toEqual(['stopped', after]);
    const state = decodeState(encodeState(stopped.state));
    const resumed = await trainTiny({ settings, world, demonstrations, state });
    expect(resumed.state.adapter).toEqual(whole.state.adapter);
    const measured = ({ update, loss, heldOutLoss, answers }: ColdStartPoint) => {
      return { update, loss, heldOutLoss, answers };
    };
    expect(resumed.state.coldStart?.points.map(measured)).toEqual(points.map(measured));
  });

  it('ends as soon as its format rate is reached, but not before its first update', async () => {
    const told: string[] = [];
    const made = await trainTiny({
      // Of this model no answer keeps to the format: any share of them is none.
      settings: { ...settings, warmUp: { ...warmUp, stopAt: 0 } },
      world,
      demonstrations,
      hooks: { onNotice: (line) => void told.push(line) },
    });
    expect(made.state.warmedUp).toBe(2);
    expect(made.state.coldStart).toMatchObject({ over: true });
    expect(made.state.coldStart?.points.at(-1)).toMatchObject({ update: 2, reached: true });
    expect(told).toEqual([expect.stringMatching(/2 of 6 updates .*ended by the format rate/)]);
    const again = await trainTiny({ settings, world, demonstrations, state: made.state });
    expect(again.state.adapter).toEqual(made.state.adapter);
  });
});

describe('the demonstrations of a cold start', () => {
  it('are held out question by question: none is trained on and held out', () => {
    // Each question has a token of its own, and two demonstrations.
    const marked = demonstrations.flatMap((one, i) => {
      const [first, ...rest] = one.segments;
      const own = { ...one, segments: [{ ...first!, ids: [i, ...first!.ids] }, ...rest] };
      return [own, { ...own, id: `${one.id}-again` }];
    });
    const { count, heldOut, draw } = warmUpData(
      marked,
      { onlyCorrect: false, heldOut: 0.25 },
      { seed: 3, maxTokens: 512 },
    );
    expect([count, heldOut.length]).toEqual([12, 4]);
    const trained = new Set(Array.from({ length: count }, (_, i) => draw(i).ids[0]));
    expect(trained.size).toBe(6);
    expect(heldOut.filter(({ ids }) => trained.has(ids[0]))).toEqual([]);
  });

  it.each([
    [{ epochs: 2 }, 10, { updates: 5, every: 2 }],
    [{ epochs: 0.5 }, 10, { updates: 2, every: 1 }],
    [{ epochs: 0.1 }, 10, { updates: 1, every: 1 }],
    [{ updates: 3 }, 10, { updates: 3, every: 1 }],
    [{ updates: 88 }, 10, { updates: 88, every: 22 }],
  ])('are gone through as %j says, with an evaluation a quarter', (length, count, expected) => {
    const own = { batch: 4, length };
    expect(warmUpLength(own, count)).toEqual(expected);
  });
});

describe('settings of a cold start', () => {
  const grpo = getTraining('search/grpo');

  it('begin with the defaults where one is named', () => {
    const { warmUp: made } = withChanges(grpo, [
      'warmUp.length.epochs=3',
      'warmUp.learningRate=1e-4',
    ]);
    expect(made).toEqual({ ...DEFAULT_WARM_UP, length: { epochs: 3 }, learningRate: 1e-4 });
  });

  it('need a length, and questions to stop by', () => {
    const own = { batch: 4, learningRate: 1e-3, onlyCorrect: true };
    const set = (value: object) => () => withChanges(grpo, [`warmUp=${JSON.stringify(value)}`]);
    expect(set(own)).toThrow(/warmUp\.length/);
    expect(set({ ...own, length: { epochs: 1 }, stopAt: 0.9 })).toThrow(
      /set warmUp\.questions too/,
    );
    expect(set({ ...own, length: { epochs: 1 }, stopAt: 0.9, questions: 4 })).not.toThrow();
    const never = ['warmUp.stopAt=null', 'warmUp.questions=0'];
    expect(withChanges(grpo, never).warmUp).toMatchObject({ stopAt: null, questions: 0 });
  });

  it('or at least one step are needed', () => {
    expect(untrainable({ ...grpo, steps: 0 })?.message).toMatch(/nothing is trained/);
    expect(untrainable({ ...grpo, steps: 0, warmUp: DEFAULT_WARM_UP })).toBeNull();
  });
});
