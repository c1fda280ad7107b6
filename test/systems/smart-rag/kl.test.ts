import { describe, expect, it } from 'vitest';
import { meanKl } from '../../../src/learn/rl/update.ts';
import { decodeState, encodeState } from '../../../src/learn/rl/state.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { switchClash } from '../../../src/learn/settings/switches.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { nextCoefficient } from '../../../src/systems/smart-rag/system.ts';
import { settingsOf, train } from '../../learn/rl/scripted-run.ts';

const ZIEGLER = { target: 0.2, gain: 0.1 };

describe('the adaptive coefficient of the KL', () => {
  it.each([
    // e = 0.22 / 0.2 − 1 = 0.1: β grows by 1 %.
    [0.22, 1.01],
    // On target it stays.
    [0.2, 1],
    // 0.18: e = −0.1.
    [0.18, 0.99],
    // Four times the target counts as 0.2 above it; none, or a negative estimate of k1, as 0.2 below.
    [0.8, 1.02],
    [0, 0.98],
    [-1, 0.98],
  ])('at a KL of %f goes to %f of what it was', (measured, factor) => {
    expect(nextCoefficient(0.001, measured, ZIEGLER)).toBeCloseTo(0.001 * factor, 15);
  });

  it('moves by verl’s rollouts over a horizon: 64 of 10,000 with twice the target by 1.00128', () => {
    const verl = { target: 0.1, gain: 64 / 10_000 };
    expect(nextCoefficient(1, 0.2, verl)).toBeCloseTo(1.00128, 12);
  });

  it('goes by the mean over all tokens, not over rollouts', () => {
    const rollouts = [
      { oldLogprobs: Float32Array.of(-1) },
      { oldLogprobs: Float32Array.of(-1, -1, -1) },
    ];
    const references = [Float32Array.of(-2), Float32Array.of(-1, -1, -1)];
    // k1: 1, 0, 0, 0.
    expect(meanKl('k1', rollouts, references)).toBe(0.25);
    // k2: ½ of it.
    expect(meanKl('k2', rollouts, references)).toBe(0.125);
    expect(meanKl('k1', [], [])).toBeNull();
  });

  it('is told with each step, stored, and gone on with', async () => {
    const { objective, ...rest } = settingsOf({ steps: 3, checkpointEvery: 1 });
    const settings = {
      ...rest,
      objective: {
        ...objective,
        kl: {
          form: 'k1',
          place: 'reward',
          coefficient: 0.1,
          system: { id: 'smart-rag', ...ZIEGLER },
        } as const,
      },
    };
    const whole = await train(settings);
    // The scripted policy is far from its reference, on one side: 2 % a step, whichever.
    const told = whole.steps.map(({ klCoefficient = 0 }) => klCoefficient);
    const [first = 0, second = 0, third = 0] = told;
    expect(first).toBe(0.1);
    expect([1.02, 0.98]).toContainEqual(expect.closeTo(second / first, 9));
    expect(third / second).toBeCloseTo(second / first, 9);
    expect(whole.state.klCoefficient).toBeCloseTo((third * third) / second, 12);
    const stopped = await train({ ...settings, steps: 2 });
    const resumed = await train(settings, { state: decodeState(encodeState(stopped.state)) });
    expect(resumed.steps.map(({ klCoefficient }) => klCoefficient)).toEqual([third]);
    // Without it nothing is told or stored.
    const fixed = await train(settingsOf({ steps: 1 }));
    expect(fixed.steps[0]!.klCoefficient).toBeUndefined();
    expect(encodeState(fixed.state).rest).not.toContain('klCoefficient');
  });

  it('is refused where it could do nothing', () => {
    const found = (...changes: string[]) =>
      switchClash(
        withChanges(getTraining('search/grpo'), [
          'objective.kl.system={"id":"smart-rag"}',
          ...changes,
        ]),
      );
    expect(found('objective.kl.place=off')?.path).toBe('objective.kl.system');
    expect(found('objective.kl.place=loss', 'objective.kl.coefficient=0')?.message).toContain(
      'stays 0',
    );
    expect(found('objective.kl.place=loss', 'objective.kl.coefficient=0.001')).toBeNull();
  });
});
