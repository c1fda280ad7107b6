import { describe, expect, it } from 'vitest';
import {
  emptyMemory,
  finalCandidate,
  judgeAnswers,
  type AnswerMemory,
  type AnswerRules,
  type Verdict,
  confidenceOf,
  countedForm,
  mergeCandidates,
  type Candidate,
} from '../../../src/agent/stie.ts';

const rules = (change: Partial<AnswerRules> = {}): AnswerRules => ({
  mode: 'corrected',
  tokens: 'sets',
  current: 'most-confident',
  thresholds: [0.25, 0.5, 0.75],
  maxCount: 4,
  ...change,
});
const unsupported = (): boolean => false;

type Pair = readonly [text: string, confidence: number];
const candidates = (mode: 'paper' | 'corrected', ...pairs: Pair[]): Candidate[] =>
  mergeCandidates(
    pairs.map(([text, confidence]) => ({ text, canonical: countedForm(text, mode), confidence })),
  );

/** Plays rounds and keeps each verdict. */
function play(
  rounds: readonly (readonly Pair[])[],
  change: Partial<AnswerRules> = {},
  supports: (text: string) => boolean = unsupported,
): { verdicts: Verdict[]; memory: AnswerMemory } {
  const set = rules(change);
  let memory = emptyMemory;
  const verdicts = rounds.map((round) => {
    const judged = judgeAnswers(candidates(set.mode, ...round), memory, set, supports);
    memory = judged.memory;
    return judged.verdict;
  });
  return { verdicts, memory };
}

const RUSSIA: Pair[][] = [
  [['Russia', -0.1]],
  [['Russia', -0.1]],
  [['Russia (2018)', -0.1]],
  [['Russia (Host)', -0.1]],
  [
    ['Russia', -0.1],
    ['France', -0.4],
  ],
];

describe("the paper's Russia / France example", () => {
  it('corrected: Russia is invalid from round two, blocked after round four, and France stands', () => {
    const { verdicts, memory } = play(RUSSIA);
    expect(verdicts.map((v) => v.valid)).toEqual([true, false, false, false, true]);
    expect(verdicts.map((v) => v.aggDiff)).toEqual([null, 0, 0, 0, 1]);
    expect(verdicts.map((v) => v.counts['russia'])).toEqual([1, 2, 3, 4, 4]);
    expect(verdicts.map((v) => v.blocked)).toEqual([[], [], [], ['russia'], ['russia']]);
    expect(verdicts[4]).toMatchObject({ text: 'France', action: 'kept' });
    expect(finalCandidate(memory, 'sets')?.text).toBe('France');
  });

  it('paper: as printed nothing reaches N, nothing is blocked, and Russia stays', () => {
    const { verdicts, memory } = play(RUSSIA, { mode: 'paper' });
    // y2 repeats y1. y3 = {russia, 2018} differs 0.5 from both, which is enough at lags 1 and 2.
    // y4 = {russia, host} differs 0.5 from each, enough at lags 1 and 2, too little at lag 3.
    expect(verdicts.map((v) => v.checks.map((c) => c.diff))).toEqual([
      [],
      [0],
      [0.5, 0.5],
      [0.5, 0.5, 0.5],
      [0, 0, 0],
    ]);
    expect(verdicts.map((v) => v.valid)).toEqual([true, false, true, false, false]);
    expect(verdicts[4]?.counts).toEqual({ Russia: 3, 'Russia (2018)': 1, 'Russia (Host)': 1 });
    expect(memory.blocked.size).toBe(0);
    expect(verdicts[4]).toMatchObject({ text: 'Russia', action: 'kept-invalid' });
  });
});

describe('replacement, equations (10) and (11)', () => {
  const second: Pair[] = [
    ['Lyon', -0.9],
    ['Paris', -0.2],
  ];

  it('replaces an invalid first sample by a more confident alternative', () => {
    const { verdicts, memory } = play([[['Lyon', -0.5]], second], { current: 'first-sample' });
    expect(verdicts[1]).toMatchObject({ text: 'Lyon', action: 'replaced', replacement: 'Paris' });
    expect(memory.history.at(-1)?.text).toBe('Paris');
    expect(Object.fromEntries(memory.counts)).toEqual({ lyon: 1, paris: 1 });
  });

  it('keeps an invalid answer that is the more confident', () => {
    const less: Pair[] = [
      ['Lyon', -0.1],
      ['Paris', -0.2],
    ];
    const { verdicts } = play([[['Lyon', -0.5]], less], { current: 'first-sample' });
    expect(verdicts[1]?.action).toBe('kept-invalid');
  });

  it('never takes a blocked alternative', () => {
    const rounds = [[['Paris', -0.5]], [['Lyon', -0.5]], second] as Pair[][];
    const { verdicts } = play(rounds, { current: 'first-sample', maxCount: 1 });
    // With N = 1 both are blocked after their first round.
    expect(verdicts[2]).toMatchObject({ action: 'blocked', blocked: ['paris', 'lyon'] });
  });

  it('leaves a valid answer alone, however confident the other', () => {
    const { verdicts } = play([second], { current: 'first-sample' });
    expect(verdicts[0]).toMatchObject({ text: 'Lyon', action: 'kept' });
  });
});

describe('what corrected adds', () => {
  it('exempts an answer that retrieved passages support', () => {
    const rounds = [[['Paris', -0.5]], [['Paris', -0.5]]] as Pair[][];
    expect(play(rounds, {}, () => true).verdicts[1]).toMatchObject({ valid: true, action: 'kept' });
    expect(play(rounds, { mode: 'paper' }, () => true).verdicts[1]?.valid).toBe(false);
  });

  it('calls an empty answer invalid; the printed rule does not', () => {
    expect(play([[['', -0.5]]]).verdicts[0]).toMatchObject({ valid: false });
    expect(play([[['', -0.5]]], { mode: 'paper' }).verdicts[0]).toMatchObject({ valid: true });
  });
});

describe('blocking, equations (12) and (13)', () => {
  it('takes hold after the round that reached N', () => {
    const round: Pair[] = [['Oslo', -0.1]];
    const { memory: three } = play([round, round, round]);
    const { memory: four, verdicts } = play([round, round, round, round]);
    expect(verdicts[3]).toMatchObject({ text: 'Oslo', action: 'kept-invalid', blocked: ['oslo'] });
    expect(finalCandidate(four, 'sets', three.blocked)?.text).toBe('Oslo');
    expect(finalCandidate(four, 'sets')).toBeNull();
  });

  it('corrected never blocks yes or no; as printed it does', () => {
    const round: Pair[] = [['Yes', -0.1]];
    const rounds = [round, round, round, round, round];
    expect(play(rounds).memory.blocked.size).toBe(0);
    expect(play(rounds).memory.counts.get('yes')).toBe(5);
    expect([...play(rounds, { mode: 'paper' }).memory.blocked]).toEqual(['Yes']);
  });
});

describe('confidence', () => {
  it('is the mean or the least token log-probability', () => {
    expect(confidenceOf({ logprobs: [-0.1, -0.3, -0.2] }, 'mean')).toBeCloseTo(-0.2);
    expect(confidenceOf({ logprobs: [-0.1, -0.3, -0.2] }, 'min')).toBe(-0.3);
    expect(confidenceOf({ logprobs: [] }, 'mean')).toBe(-Infinity);
  });

  it('merges samples of one canonical form under the best confidence', () => {
    const merged = candidates(
      'corrected',
      ['Russia', -0.5],
      ['the Russia (2018)', -0.2],
      ['X', -1],
    );
    expect(merged.map((c) => [c.canonical, c.confidence])).toEqual([
      ['russia', -0.2],
      ['x', -1],
    ]);
    expect(candidates('paper', ['Russia', -0.5], ['Russia (2018)', -0.2])).toHaveLength(2);
  });
});

describe('the final candidate', () => {
  it('is the most confident; of equals, the least redundant', () => {
    const { memory } = play(
      [[['New York', -0.2]], [['New Delhi', -0.2]], [['Oslo', -0.2]], [['Rome', -0.9]]],
      { mode: 'paper' },
    );
    expect(finalCandidate(memory, 'sets')?.text).toBe('Oslo');
  });

  it('is none where everything is blocked', () => {
    const { memory } = play([[['Oslo', -0.2]]], { maxCount: 1 });
    expect(finalCandidate(memory, 'sets')).toBeNull();
  });
});
