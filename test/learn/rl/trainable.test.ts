import { beforeAll, describe, expect, it, vi } from 'vitest';
import { getPreset, PRESETS } from '../../../src/learn/rl/presets.ts';
import { decodeState, encodeState, type TrainState } from '../../../src/learn/rl/state.ts';
import { checkResumable, untrainable } from '../../../src/learn/rl/trainable.ts';
import { openTestWorld, tinySettings, trainTiny, type World } from './helpers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
});

describe('settings', () => {
  it.each(PRESETS.map((preset) => [preset.preset, preset] as const))(
    'of the preset %s can be trained with',
    (_, preset) => expect(untrainable(preset)).toBeNull(),
  );

  it.each([
    ['topP', { topP: 0.99 }],
    ['overrides.sampling.topK', { overrides: { sampling: { topK: 40 } } }],
    ['overrides.retrieval.summarize', { overrides: { retrieval: { summarize: 'on' } } }],
  ])('name %s as what cannot be trained with', (path, change) => {
    expect(untrainable({ ...getPreset('ur2'), ...change })?.path).toBe(path);
  });

  it('may ask for summaries where there is a summarizer', () => {
    const overrides = { retrieval: { summarize: 'on' } };
    expect(untrainable({ ...getPreset('ur2'), overrides }, { summarizer: true })).toBeNull();
  });
});

describe('a run', () => {
  it.each([
    [{ topP: 0.9 }, /top-p 0\.9 is refused/],
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
    const { steps, rollouts, state } = await trainTiny({ settings, world });
    for (const { policy } of rollouts.flat())
      expect(policy.logprobsOf).toEqual({ temperature: 0.6, topK: 0, topP: 1 });
    for (const { samplerGap, trainedTokens } of steps) {
      expect(trainedTokens).toBeGreaterThan(0);
      expect(samplerGap.max).toBeLessThan(2e-3);
    }
    expect(state.logprobsOf).toBe('sampling');
    // The same tokens are drawn at temperature 1 with other probabilities.
    const entropy = (step: number) => steps[step - 1]!.entropy;
    const plain = await trainTiny({ settings: tinySettings({ steps: 1 }), world });
    expect(entropy(1)).toBeLessThan(0.9 * plain.steps[0]!.entropy);
  });

  it('goes on bit for bit, but not from steps that were trained by temperature 1', async () => {
    const settings = tinySettings({ steps: 2, temperature: 0.6 });
    const whole = await trainTiny({ settings, world });
    const stored = encodeState(whole.states[0]!);
    const resumed = await trainTiny({ settings, world, state: decodeState(stored) });
    expect(resumed.state.adapter).toEqual(whole.state.adapter);
    const { logprobsOf: _, ...rest } = JSON.parse(stored.rest) as Record<string, unknown>;
    const old: TrainState = decodeState({ ...stored, rest: JSON.stringify(rest) });
    expect(old.logprobsOf).toBe('model');
    await expect(trainTiny({ settings, world, state: old })).rejects.toThrow(
      'This run sampled at temperature 0.6, but its steps so far (1) were trained with log-probabilities of ' +
        'temperature 1',
    );
    expect(() => checkResumable({ ...settings, temperature: 1 }, old)).not.toThrow();
  });
});
