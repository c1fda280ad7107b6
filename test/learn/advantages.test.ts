import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateAdvantages, whiten, varies } from '../../src/learn/advantages.ts';
import { skippingGae } from '../../src/systems/ppo/critic.ts';
import { ESTIMATORS } from '../../src/recipes/parts/training.ts';

/** Two groups: 1, 0, 0, 1 and 3, 0; trained tokens 2, 2, 2, 2, 1, 3. */
const rewards = [1, 0, 0, 1, 3, 0];
const groups = [7, 7, 7, 7, 2, 2];
const lengths = [2, 2, 2, 2, 1, 3];
const close = (actual: Float64Array, expected: number[], digits = 5): void =>
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, digits));

describe('advantages, by hand', () => {
  it('GRPO divides by the unbiased deviation', () => {
    // Group 1: mean 0.5, std √(4 · 0.25 / 3) = 0.577350; group 2: mean 1.5, std √4.5 = 2.121320.
    const a = 0.5 / 0.5773502692;
    const b = 1.5 / 2.1213203436;
    close(estimateAdvantages('grpo', rewards, groups, lengths), [a, -a, -a, a, b, -b]);
  });

  it('GRPO adds 10⁻⁴ to the deviation where it is TRL’s', () => {
    // Mean ¼, std ½: ¾ / .5001 = 1.4997, −¼ / .5001 = −.4999.
    const one = [1, 0, 0, 0];
    const advantages = estimateAdvantages('trl-grpo', one, [0, 0, 0, 0], one);
    close(advantages, [1.4997, -0.4999, -0.4999, -0.4999], 4);
    expect(estimateAdvantages('grpo', one, [0, 0, 0, 0], one)[0]).toBeGreaterThan(1.49999);
  });

  it('Dr. GRPO only centres', () =>
    close(
      estimateAdvantages('dr-grpo', rewards, groups, lengths),
      [0.5, -0.5, -0.5, 0.5, 1.5, -1.5],
    ));

  it('RLOO takes the mean of the others', () =>
    // 1 − 1/3, 0 − 2/3; of two rollouts the other is the baseline.
    close(estimateAdvantages('rloo', rewards, groups, lengths), [
      2 / 3,
      -2 / 3,
      -2 / 3,
      2 / 3,
      3,
      -3,
    ]));

  it('REINFORCE++-baseline whitens over tokens', () => {
    // Centred ±0.5 (8 tokens), 1.5 (1 token), −1.5 (3 tokens): token mean −3/12 = −0.25,
    // variance (4 · 0.75² + 4 · 0.25² + 1.75² + 3 · 1.25²) / 12 = 10.25 / 12.
    const std = Math.sqrt(10.25 / 12);
    close(estimateAdvantages('reinforce++-baseline', rewards, groups, lengths), [
      0.75 / std,
      -0.25 / std,
      -0.25 / std,
      0.75 / std,
      1.75 / std,
      -1.25 / std,
    ]);
  });

  it('UR² normalises by group, then over the batch', () => {
    const byGroup = estimateAdvantages('grpo', rewards, groups, lengths);
    close(
      estimateAdvantages('whitened-grpo', rewards, groups, lengths),
      [...whiten(byGroup, lengths)],
      9,
    );
  });

  it('knows groups that teach nothing', () => {
    expect([[1, 1], [0, 1], [0.5]].map(varies)).toEqual([false, true, false]);
  });

  it('refuses rewards that are not numbers, and lists of different length', () => {
    expect(() => estimateAdvantages('grpo', [1, NaN], [0, 0], [1, 1])).toThrow(/rollout 1/);
    expect(() => estimateAdvantages('grpo', [1, 2], [0], [1, 1])).toThrow(/one value per rollout/);
  });
});

const batch = fc.array(
  fc.record({
    reward: fc.integer({ min: -8, max: 8 }).map((n) => n / 4),
    group: fc.nat(4),
    length: fc.integer({ min: 1, max: 30 }),
  }),
  { minLength: 1, maxLength: 24 },
);

describe('advantages, whatever the batch', () => {
  it.each(ESTIMATORS)(
    '%s: order does not matter, groups without variance teach nothing',
    (name) => {
      fc.assert(
        fc.property(batch, fc.integer({ min: 1, max: 23 }), (rollouts, shift) => {
          const run = (rows: typeof rollouts): Float64Array =>
            estimateAdvantages(
              name,
              rows.map((r) => r.reward),
              rows.map((r) => r.group),
              rows.map((r) => r.length),
            );
          const turn = shift % rollouts.length;
          const turned = [...rollouts.slice(turn), ...rollouts.slice(0, turn)];
          const [a, b] = [run(rollouts), run(turned)];
          rollouts.forEach((_, i) =>
            expect(b[(i - turn + rollouts.length) % rollouts.length]).toBeCloseTo(a[i]!, 6),
          );
          const same = run(rollouts.map((r) => ({ ...r, reward: 0.7 })));
          same.forEach((value) => expect(Math.abs(value)).toBe(0));
        }),
      );
    },
  );

  it('GRPO does not change when a group’s rewards are shifted and scaled', () => {
    fc.assert(
      fc.property(
        batch,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: -9, max: 9 }),
        (rows, scale, shift) => {
          const of = (change: (r: number) => number): Float64Array =>
            estimateAdvantages(
              'grpo',
              rows.map((r) => change(r.reward)),
              rows.map((r) => r.group),
              rows.map(() => 1),
            );
          const [a, b] = [of((r) => r), of((r) => r * scale + shift)];
          a.forEach((value, i) => expect(b[i]).toBeCloseTo(value, 3));
        },
      ),
    );
  });
});

describe('GAE that steps over the environment', () => {
  it('gives the policy’s tokens what they would get side by side', () => {
    const plain = skippingGae([0, 0, 1], [0.5, 0.2, 0.4], [1, 1, 1], 0.9, 0.8);
    // δ3 = 1 − 0.4; δ2 = 0.9·0.4 − 0.2; δ1 = 0.9·0.2 − 0.5
    const third = 0.6;
    const second = 0.16 + 0.72 * third;
    close(plain, [-0.32 + 0.72 * second, second, third], 9);
    const mixed = skippingGae([0, 9, 0, 9, 1], [0.5, 7, 0.2, 7, 0.4], [1, 0, 1, 0, 1], 0.9, 0.8);
    close(mixed, [plain[0]!, 0, plain[1]!, 0, plain[2]!], 12);
  });
});
