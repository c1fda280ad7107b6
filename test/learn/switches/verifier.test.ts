import { describe, expect, it } from 'vitest';
import { estimateAdvantages } from '../../../src/learn/advantages.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { factsThroughVerifier } from '../../../src/learn/rewards/verifier.ts';
import { judgedByVerifier } from '../../../src/systems/verifier-pitfalls/define.ts';
import { made } from '../rewards/records.ts';

/** Faults of verifiers: what the reward is told is not what the record's own metrics say. */

const rule = { kind: 'rule', f1From: null, falseNegative: 0.2, falsePositive: 0.1 } as const;
const right = readFacts(made());
const wrong = readFacts(made({ answer: 'Ulmfield' }));

describe('a faulty verifier', () => {
  it('misses right answers and passes wrong ones as often as it is told to', () => {
    expect([0.19, 0.21].map((draw) => judgedByVerifier(rule, right, draw).em)).toEqual([0, 1]);
    expect([0.09, 0.11].map((draw) => judgedByVerifier(rule, wrong, draw).em)).toEqual([1, 0]);
  });
  it('that looks for a gold answer in the text is fooled by a list of names; a hybrid one by overlap', () => {
    const exact = { ...rule, falseNegative: 0, falsePositive: 0 };
    const list = readFacts(made({ answer: 'Ulmfield or Borfield or Sanna' }));
    expect(list.em).toBe(0);
    expect(judgedByVerifier({ ...exact, kind: 'substring' }, list, 0.5).em).toBe(1);
    const partly = readFacts(made({ answer: 'Borfield town' }));
    expect(judgedByVerifier({ ...exact, f1From: 0.5 }, partly, 0.5).em).toBe(1);
    expect(judgedByVerifier({ ...exact, f1From: 0.7 }, partly, 0.5).em).toBe(0);
    expect(judgedByVerifier(exact, partly, 0.5)).toBe(partly);
  });
  it('judges a rollout alike whenever it is asked, and no verifier is the check itself', () => {
    const rollout = made();
    const half = { id: 'verifier-pitfalls', ...rule, falseNegative: 0.5 };
    const ask = (id: string): number =>
      factsThroughVerifier({ verifier: half, seed: 3 })({ ...rollout, id }).em;
    const all = Array.from({ length: 200 }, (_, i) => ask(`r${i}`));
    expect(all).toEqual(Array.from({ length: 200 }, (_, i) => ask(`r${i}`)));
    expect(all.filter((em) => em === 1).length).toBeGreaterThan(70);
    expect(all.filter((em) => em === 1).length).toBeLessThan(130);
    expect(factsThroughVerifier({ seed: 3 })(rollout)).toEqual(right);
  });
  it('one whose system is not loaded is an error, not an exact check', () => {
    const unknown = factsThroughVerifier({ verifier: { id: 'nobody' }, seed: 3 });
    expect(() => unknown(made())).toThrow('verifier of nobody is missing');
  });
  it('one miss of four right of eight costs that rollout 0.72 (0.775 by the biased deviation)', () => {
    const rewards = [1, 1, 1, 0, 0, 0, 0, 0];
    const [, , , missed = 0] = estimateAdvantages(
      'grpo',
      rewards,
      rewards.map(() => 0),
      rewards,
    );
    // Biased: −0.375 / 0.4841 = −0.7746; GRPO's published code divides by the unbiased one.
    expect(missed / Math.sqrt(7 / 8)).toBeCloseTo(-0.775, 3);
  });
});
