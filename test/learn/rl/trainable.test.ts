import { beforeAll, describe, expect, it, vi } from 'vitest';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { untrainable } from '../../../src/learn/rl/trainable.ts';
import { openTestWorld, tinySettings, trainTiny, type World } from './helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});

describe('settings', () => {
  it.each(TRAININGS.map(({ id }) => id))('of %s can be trained with', (id) =>
    expect(untrainable(getTraining(id), { summarizer: true })).toBeNull(),
  );

  it.each([
    ['overrides.sampling.topK', { overrides: { sampling: { topK: 40 } } }],
    ['overrides.retrieval.summarize', { overrides: { retrieval: { summarize: 'on' } } }],
  ])('name %s as what cannot be trained with', (path, change) => {
    expect(untrainable({ ...getTraining('search/grpo'), ...change })?.path).toBe(path);
  });

  it.each(['ur2/paper', 'ur2-released/two-stages'])(
    'of %s ask for summaries, and are refused in one line without a summarizer',
    (id) => {
      const found = untrainable(getTraining(id));
      expect(found?.path).toBe('overrides.retrieval.summarize');
      expect(found?.message).toMatch(
        /^Training with summaries is refused: no summarizer is chosen/,
      );
      expect(found?.message.split('\n')).toHaveLength(1);
      // The ablation is trained without one.
      const overrides = { retrieval: { summarize: 'off' } };
      expect(untrainable({ ...getTraining(id), overrides })).toBeNull();
    },
  );

  const mixing = { ...getTraining('ur2/paper'), recipe: 'naive-rag' };
  it('may mix tasks only where the policy can search', () => {
    const found = untrainable(mixing);
    expect(found?.path).toBe('curriculum.system');
    expect(found?.message).toMatch(/never lets the policy search\. Set .*taskMixing to false/);
    expect(untrainable({ ...mixing, recipe: 'kunlun-baize' })).toBeNull();
    const uniform = { ...mixing.curriculum, system: null };
    expect(untrainable({ ...mixing, curriculum: uniform })).toBeNull();
  });

  it.each([
    [undefined, /keeps\. Set it to 0\.$/],
    [0, /keeps\. This run cannot be edited: start a new one with top-k 0\.$/],
    [4, /keeps\. Its steps so far \(4\) and its adapter stay; start a new run with top-k 0\.$/],
  ])('of a run with %s steps: the refusal says what can be done there', (done, message) => {
    const given = done === undefined ? {} : { done };
    const overrides = { sampling: { topK: 5 } };
    expect(untrainable({ ...getTraining('ur2/paper'), overrides }, given)?.message).toMatch(
      message,
    );
  });

  it('may ask for summaries where there is a summarizer', () => {
    const overrides = { retrieval: { summarize: 'on' } };
    expect(
      untrainable({ ...getTraining('ur2/paper'), overrides }, { summarizer: true }),
    ).toBeNull();
  });
});

describe('a run', () => {
  it.each([
    [{ overrides: { sampling: { topK: 5 } } }, /top-k 5 is refused/],
    [{ overrides: { retrieval: { summarize: 'on' } } }, /summaries is refused/],
  ])('with %j does not begin', async (change, message) => {
    const rollouts: unknown[] = [];
    const hooks = { onProgress: (p: { phase: string }) => rollouts.push(p.phase) };
    const run = trainTiny({ settings: tinySettings({ ...change, steps: 1 }), world, hooks });
    await expect(run).rejects.toThrow(message);
    expect(rollouts).not.toContain('rollouts');
  });
});

describe('a run at temperature 0.6', () => {
  it('is trained by log-probabilities of 0.6, and says so', async () => {
    const settings = tinySettings({ steps: 2, temperature: 0.6 });
    const { steps, rollouts } = await trainTiny({ settings, world });
    for (const { policy } of rollouts.flat())
      expect(policy.logprobsOf).toEqual({ temperature: 0.6, topK: 0, topP: 1 });
    for (const { samplerGap, trainedTokens } of steps) {
      expect(trainedTokens).toBeGreaterThan(0);
      expect(samplerGap.max).toBeLessThan(2e-3);
    }
    // The same tokens are drawn at temperature 1 with other probabilities.
    const entropy = (step: number) => steps[step - 1]!.entropy;
    const plain = await trainTiny({ settings: tinySettings({ steps: 1 }), world });
    expect(entropy(1)).toBeLessThan(0.9 * plain.steps[0]!.entropy);
  });

  it('is resumed bit for bit', async () => {
    const settings = tinySettings({ steps: 2, temperature: 0.6 });
    const whole = await trainTiny({ settings, world });
    const stored = encodeState(whole.states[0]!);
    const resumed = await trainTiny({ settings, world, state: decodeState(stored) });
    expect(resumed.state.adapter).toEqual(whole.state.adapter);
  });
});
