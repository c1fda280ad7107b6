import { describe, expect, it } from 'vitest';
import { CURSOR_START, ExampleSource } from '../../../src/pretrain/policy/batches.ts';
import { comparisonDrill, drillsRng } from '../../../src/world/demonstrations/comparison-drills.ts';
import { policyTokenizer as tokenizer } from '../../agent/tokenizer.ts';

const THOUGHT =
  /^<think> (?:birth year|release year|publication year|founding year|length) of (.+) is (\d{4}) \. (.+) (\d{4}) , (.+) (\d{4}) \. (earlier|later|shorter|longer) is (.+) \. done \.<\/think>$/;

describe('comparison exercises', () => {
  const rng = drillsRng(5, 0);
  const drills = Array.from({ length: 300 }, () => comparisonDrill(rng, tokenizer));

  it('say what a demonstration would, with the right verdict', () => {
    const firsts: boolean[] = [];
    for (const { ids } of drills) {
      const [, last, lastValue, a, first, b, second, goal, verdict] = THOUGHT.exec(
        tokenizer.decode(ids),
      )!;
      expect([last, lastValue]).toEqual([b, second]);
      expect(a).not.toBe(b);
      const lower = goal === 'earlier' || goal === 'shorter';
      expect(verdict).toBe(Number(first) < Number(second) === lower ? a : b);
      firsts.push(verdict === a);
    }
    // Neither place wins by itself.
    const share = firsts.filter(Boolean).length / firsts.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it('train the verdict alone, in the tokens that the whole thought would have', () => {
    for (const { ids, mask } of drills.slice(0, 50)) {
      const verdict = tokenizer.decode(ids.filter((_, i) => mask[i] === 1));
      expect(verdict.trim()).toBe(THOUGHT.exec(tokenizer.decode(ids))![8]);
      const text = tokenizer.decode(ids.slice(1, -1));
      expect(tokenizer.encodeText(text)).toEqual(ids.slice(1, -1));
    }
  });
});

describe('a batch of pre-training', () => {
  const batch = (drillShare: number) =>
    new ExampleSource(1, tokenizer, 704).batch(
      { ...CURSOR_START },
      { tokens: 4096, copyShare: 0, drillShare, environmentWeight: 0 },
    );

  it('holds the share of exercises that it is told to', () => {
    const { examples, cursor } = batch(0.4);
    const drilled = examples.filter(({ kind }) => kind === 'drills');
    const tokens = drilled.reduce((sum, { ids }) => sum + ids.length, 0);
    expect(tokens).toBeGreaterThanOrEqual(0.4 * 4096);
    expect(tokens).toBeLessThan(0.4 * 4096 + 256);
    expect(cursor.drills).toBe(drilled.length);
  });

  it('has none where it is told so', () => {
    const { examples, cursor } = batch(0);
    expect(examples.some(({ kind }) => kind === 'drills')).toBe(false);
    expect(cursor.drills).toBe(0);
  });
});
