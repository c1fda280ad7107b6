import { describe, expect, it } from 'vitest';
import {
  MOST_PIECES,
  rangeOf,
  tokenTable,
} from '../../../../src/evaluate/rollouts/reading/token-table.ts';
import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../../src/formats/rollouts/shape/imported.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';

const rollout = (
  segments: ImportedSegment[],
  change: Partial<ImportedRollout> = {},
): ImportedRollout => ({ ...emptyRollout('r'), segments, ...change });

const prompt: ImportedSegment = { source: 'prompt', role: 'question', text: 'Who wrote it?' };
const policy = (change: Partial<ImportedSegment> = {}): ImportedSegment => ({
  source: 'policy',
  role: 'think',
  text: 'a b',
  ids: [7, 8],
  tokens: ['a', ' b'],
  ...change,
});

describe('the tokens of a rollout', () => {
  it('are numbered by segment; text without tokens is cut at white space', () => {
    const table = tokenTable(rollout([prompt, policy()]));
    expect(table).toMatchObject({ count: 5, kind: 'tokens', mixed: true, more: false });
    expect([...table.starts]).toEqual([0, 3, 5]);
    expect([...table.segment]).toEqual([0, 0, 0, 1, 1]);
    expect([...table.index]).toEqual([0, 1, 2, 0, 1]);
    expect([...table.ids]).toEqual([-1, -1, -1, 7, 8]);
    expect(table.texts).toEqual(['Who', ' wrote', ' it?', 'a', ' b']);
  });

  it('are ids where the file has no more, and pieces where it has none', () => {
    const { tokens: _, ...ids } = policy();
    const only = tokenTable(rollout([ids]));
    expect(only).toMatchObject({ kind: 'ids', mixed: false, texts: [null, null] });
    const { ids: __, tokens: ___, ...bare } = policy();
    const pieces = tokenTable(rollout([bare]));
    expect(pieces).toMatchObject({ kind: 'pieces', mixed: false, texts: ['a', ' b'] });
    expect(pieces.lacks.logprob).toBe('the file has no tokens; the file has no log-probabilities');
    expect(only.lacks.logprob).toBe('the file has no log-probabilities');
  });

  it('without text are not a mixture, and a long word is cut', () => {
    const empty = { ...prompt, text: '' };
    expect(tokenTable(rollout([empty, policy()]))).toMatchObject({ count: 2, mixed: false });
    const long = tokenTable(rollout([{ ...prompt, text: `${'x'.repeat(100)} ` }]));
    expect(long.texts.map((text) => text?.length)).toEqual([80, 20, 1]);
  });

  it('are cut no further than told, and the table says so', () => {
    const text = 'a '.repeat(MOST_PIECES + 5);
    const table = tokenTable(
      rollout([
        { ...prompt, text },
        { ...prompt, text: 'b' },
      ]),
    );
    expect(table).toMatchObject({ count: MOST_PIECES, more: true });
  });

  it('were trained, were not, or nobody says', () => {
    const bits = (...segments: ImportedSegment[]): number[] => [
      ...tokenTable(rollout(segments)).mask,
    ];
    expect(bits(policy({ mask: 1 }), policy({ mask: 0 }))).toEqual([1, 1, 0, 0]);
    expect(bits(policy())).toEqual([-1, -1]);
    expect(bits({ ...prompt, text: 'a' })).toEqual([0]);
    // The token's own bit before the segment's; null says nothing.
    expect(bits(policy({ mask: 1, lossMask: [0, null] }))).toEqual([0, 1]);
    expect(bits(policy({ lossMask: [1, 0] }))).toEqual([1, 0]);
  });
});

describe('columns of a rollout', () => {
  it('hold what the file has; the ratio follows from both log-probabilities', () => {
    const table = tokenTable(
      rollout([
        prompt,
        policy({
          logprobs: [-1, null],
          refLogprobs: [-1.5, -2],
          values: [0.5, 0.25],
          tokenRewards: [0, 1],
        }),
      ]),
    );
    const column = (name: keyof typeof table.columns) => [...(table.columns[name] ?? [])].slice(3);
    expect(column('logprob')).toEqual([-1, Number.NaN]);
    expect(column('ratio')).toEqual([expect.closeTo(Math.exp(0.5), 12), Number.NaN]);
    expect(column('value')).toEqual([0.5, 0.25]);
    expect(column('tokenReward')).toEqual([0, 1]);
    expect([...(table.columns.logprob ?? [])].slice(0, 3)).toEqual([NaN, NaN, NaN]);
    expect(table.columns.entropy).toBeUndefined();
    expect(table.lacks).toHaveProperty('entropy', 'the file has no entropies');
    expect(table.lacks).not.toHaveProperty('logprob');
  });

  it('that hold nothing are not there', () => {
    const table = tokenTable(rollout([policy({ logprobs: [null, null] })]));
    expect(table.columns.logprob).toBeUndefined();
  });

  it("hold the rollout's one advantage where it was trained", () => {
    const advantages = (segments: ImportedSegment[]): number[] => [
      ...(tokenTable(rollout(segments, { advantage: 0.5 })).columns.advantage ?? []),
    ];
    expect(advantages([policy({ lossMask: [1, 0] })])).toEqual([0.5, NaN]);
    // Where nobody says what was trained, it is what the policy wrote.
    expect(advantages([{ ...prompt, text: 'a' }, policy()])).toEqual([NaN, 0.5, 0.5]);
    expect(advantages([policy({ advantages: [1, 2] })])).toEqual([1, 2]);
    expect(advantages([prompt])).toEqual([]);
  });
});

it('the range of a column is of its finite values, and 0 where there is none', () => {
  expect(rangeOf(Float64Array.of(NaN, 2, -1, Infinity))).toEqual({ low: -1, high: 2 });
  expect(rangeOf(Float64Array.of(NaN))).toEqual({ low: 0, high: 0 });
  expect(rangeOf(Float64Array.of(3))).toEqual({ low: 3, high: 3 });
});
