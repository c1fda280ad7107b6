import { describe, expect, it } from 'vitest';
import { jointRank, hardAndLong } from '../../../src/learn/trajectories/choose.ts';
import { MAKE_DEFAULTS, makeTrajectories } from '../../../src/learn/trajectories/make.ts';
import { firstBoundary } from '../../../src/learn/trajectories/make.ts';
import type { AgentEvent, StopEvent } from '../../../src/records/events.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { emptyRollout, retrieve } from '../../fixtures/rollouts.ts';

const METRICS = {
  em: 0,
  f1: 0,
  cover_em: 0,
  sub_em: 0,
  recall: 0,
  searches: 0,
  tokens: 0,
  seconds: 0,
  formatValid: true,
};

/** A rollout of a prompt token and `length` tokens of the policy. */
const rollout = (
  id: string,
  question: string,
  right: boolean,
  { length = 2, events = [] }: { length?: number; events?: AgentEvent[] } = {},
): Rollout => {
  const base = emptyRollout(id);
  const ids = Array.from({ length }, (_, i) => 10 + i);
  return {
    ...base,
    question: { ...base.question, id: question, answers: ['Oslo'] },
    metrics: { ...METRICS, em: Number(right), f1: Number(right) },
    reward: Number(right),
    events,
    segments: [
      { source: 'prompt', role: 'question', text: 'q', ids: [1], mask: 0 },
      { source: 'policy', role: 'think', text: 'x', ids, logprobs: ids.map(() => -1), mask: 1 },
    ],
  };
};
const idsOf = (rollouts: readonly Rollout[], options = {}): string[] =>
  makeTrajectories(rollouts, { ...MAKE_DEFAULTS, ...options }).trajectories.map(({ id }) => id);

describe('trajectories from rollouts', () => {
  it('of START are right with a hint where greedy decoding is wrong: questions 2 and 5 of five', () => {
    const of = (bits: number[], name: string): Rollout[] =>
      bits.map((bit, i) => rollout(`${name}${i + 1}`, `q${i + 1}`, bit === 1));
    const failed = of([1, 0, 0, 1, 0], 'greedy');
    expect(idsOf(of([1, 1, 0, 0, 1], 'hint'), { failed })).toEqual(['hint2', 'hint5']);
  });

  it('of RARE are the first right one of each question', () => {
    const tries = [false, true, true].map((right, i) => rollout(`a${i}`, 'q', right));
    expect(idsOf([...tries, rollout('b0', 'r', false)], { weight: 'first' })).toEqual(['a1']);
  });

  it('of Select2Reason rank difficulty and length together, by the weight', () => {
    // X (.9, .4), Y (.5, .7).
    expect(jointRank(0.9, 0.4, 0.25)).toBeCloseTo(0.525, 12);
    expect(jointRank(0.5, 0.7, 0.25)).toBeCloseTo(0.65, 12);
    expect(jointRank(0.9, 0.4, 0.75)).toBeCloseTo(0.775, 12);
    expect(jointRank(0.5, 0.7, 0.75)).toBeCloseTo(0.55, 12);
    const hard = rollout('h', 'hard', false, { length: 2 });
    const long = rollout('l', 'long', true, { length: 9 });
    const easy = rollout('e', 'easy', true, { length: 4 });
    const share = 1 / 3;
    expect([...hardAndLong([hard, long, easy], { share, weight: 0.25 })]).toEqual(['long']);
    expect([...hardAndLong([hard, long, easy], { share, weight: 1 })]).toEqual(['hard']);
  });

  it('of its controls are drawn: as many, or as many tokens as the selected ones have', () => {
    const short = Array.from({ length: 12 }, (_, i) => rollout(`s${i}`, `q${i}`, true));
    const long = ['a', 'b'].map((id) => rollout(id, `q-${id}`, true, { length: 6 }));
    const all = [...short, ...long];
    const top = { share: 1 / 7, weight: 0 };
    expect(idsOf(all, { top })).toEqual(['a', 'b']);
    const drawn = (equal: 'trajectories' | 'tokens', seed: number): string[] =>
      idsOf(all, { top, drawn: { seed, equal } });
    const lengthOf = (id: string): number => (id.startsWith('s') ? 2 : 6);
    for (const seed of [1, 2, 3]) {
      expect(drawn('trajectories', seed)).toHaveLength(2);
      // 12 tokens are left to no other that fits.
      const tokens = drawn('tokens', seed).reduce((sum, id) => sum + lengthOf(id), 0);
      expect(tokens).toBeLessThanOrEqual(12);
      expect(tokens).toBeGreaterThan(12 - 6);
    }
    const draws = [1, 2, 3, 4].map((seed) => drawn('trajectories', seed).join(' '));
    expect(new Set(draws).size).toBeGreaterThan(1);
    expect(drawn('tokens', 1)).toEqual(drawn('tokens', 1));
  });

  it('leave out those that ask a query twice, where that is asked for', () => {
    const search = (query: string, round: number): AgentEvent => ({
      t: 0,
      kind: 'search',
      query,
      round,
      tag: 'search',
    });
    const twice = rollout('a', 'q', true, { events: [search('Oslo', 1), search('oslo ', 2)] });
    const once = rollout('b', 'q', true, { events: [search('Oslo', 1), search('Rome', 2)] });
    expect(idsOf([twice, once], { noRepeats: true })).toEqual(['b']);
  });

  it('of InstructRAG leave out what is right without a passage that supports it, where that is asked for', () => {
    const reading = (id: string, titles: readonly string[]): Rollout => {
      const hits = titles.map((title) => ({
        passage: { id: title, title, text: title, sentences: [title] },
        score: 1,
        source: 'local' as const,
      }));
      const one = rollout(id, id, true, { events: [retrieve(hits)] });
      return { ...one, question: { ...one.question, supporting: ['g'] } };
    };
    const both = [
      reading('second', ['d', 'g', 'd', 'd', 'd']),
      reading('none', ['d', 'd', 'd', 'd', 'd']),
    ];
    expect(idsOf(both, { grounded: true })).toEqual(['second']);
    expect(idsOf(both)).toEqual(['second', 'none']);
  });

  it('of Agent-Distillation are right, within limits and well formed; a call that failed is kept', () => {
    const ended = (id: string, reason: StopEvent['reason'], what?: 'retrieval' | 'malformed') => {
      const events: AgentEvent[] = what ? [{ t: 0, kind: 'error', what, message: 'no' }] : [];
      events.push({ t: 1, kind: 'stop', reason, detail: '' });
      return rollout(id, id, true, { events });
    };
    const all = [
      ended('plain', 'answer'),
      ended('failed-call', 'answer', 'retrieval'),
      ended('unreadable', 'answer', 'malformed'),
      ended('too-long', 'max-searches'),
    ];
    expect(idsOf(all, { finished: true })).toEqual(['plain', 'failed-call']);
    expect(idsOf(all)).toHaveLength(4);
  });

  it('keep wrong ones that stand in a pair, with no weight of their own', () => {
    const set = makeTrajectories([rollout('a', 'q', true), rollout('b', 'q', false)], {
      ...MAKE_DEFAULTS,
      pairs: 'reward',
    });
    expect(set.pairs).toEqual([{ chosen: 'a', rejected: 'b' }]);
    expect(set.trajectories.map(({ weight }) => weight)).toEqual([1, 0]);
  });

  it('say so where nothing is left', () => {
    expect(() => idsOf([rollout('a', 'q', false)])).toThrow(/none of 1 rollouts can be used/);
  });
});

describe('a trajectory that is cut where its answer would be right', () => {
  it('ends at the first share that is at least α', () => {
    expect(firstBoundary([0.2, 0.6, 0.9, 0.9, 0.7], 0.9)).toBe(2);
    expect(firstBoundary([0.1, 0.3, 0.4], 0.9)).toBeNull();
  });

  const candidates = (right: number, wrong: number): AgentEvent => ({
    t: 0,
    kind: 'candidate',
    round: 1,
    candidates: [
      {
        text: 'Oslo',
        canonical: 'oslo',
        confidence: -0.1,
        count: 0,
        blocked: false,
        samples: right,
      },
      { text: 'Rome', canonical: 'rome', confidence: -1, count: 0, blocked: false, samples: wrong },
    ],
  });
  const retrieve = (segment: number): AgentEvent => ({
    t: 0,
    kind: 'retrieve',
    query: 'x',
    source: 'both',
    hits: [],
    latencyMs: 0,
    addedDelayMs: 0,
    newSupporting: null,
    duplicates: [],
    newEntities: 0,
    segment,
  });
  const long = (shares: readonly [number, number][]): Rollout => {
    const one = rollout('long', 'q', false);
    const result = (i: number) => ({
      source: 'environment' as const,
      role: 'result' as const,
      text: `r${i}`,
      ids: [20 + i],
      mask: 0 as const,
    });
    return {
      ...one,
      segments: [...one.segments, ...shares.map((_, i) => result(i))],
      events: shares.flatMap(([right, wrong], i) => [retrieve(2 + i), candidates(right, wrong)]),
    };
  };

  it('is preferred to the whole one, and holds the answer that was right there', () => {
    const set = makeTrajectories([long([[1, 4], [9, 1], [1, 9]])], { ...MAKE_DEFAULTS, pairs: 'truncated' }); // prettier-ignore
    expect(set.pairs).toEqual([{ chosen: 'long-cut', rejected: 'long' }]);
    const cut = set.trajectories.find(({ id }) => id === 'long-cut');
    // Prompt, thought and the first two results; then the answer.
    expect(cut?.segments.map(({ by, text }) => [by, text])).toEqual([
      ['prompt', 'q'],
      ['policy', 'x'],
      ['environment', 'r0'],
      ['environment', 'r1'],
      ['policy', '<short_answer> \\boxed{ Oslo }</short_answer>'],
    ]);
  });

  it('stands in pairs alone without weights, and as a control in an order that is drawn', () => {
    const rollouts = Array.from({ length: 12 }, (_, i) => ({
      ...long([[9, 1], [1, 9]]), // prettier-ignore
      id: `r${i}`,
    }));
    const options = { ...MAKE_DEFAULTS, pairs: 'truncated', weight: 'none' } as const;
    const set = makeTrajectories(rollouts, options);
    expect(set.pairs).toHaveLength(12);
    expect(set.trajectories.every(({ weight }) => weight === 0)).toBe(true);
    const control = makeTrajectories(rollouts, { ...options, shuffle: 3 });
    const turned = control.pairs.filter(({ rejected }) => rejected.endsWith('-cut'));
    expect(turned.length).toBeGreaterThan(2);
    expect(turned.length).toBeLessThan(10);
    const both = ({ chosen, rejected }: { chosen: string; rejected: string }) =>
      [chosen, rejected].toSorted();
    expect(control.pairs.map(both)).toEqual(set.pairs.map(both));
    expect(makeTrajectories(rollouts, { ...options, shuffle: 3 }).pairs).toEqual(control.pairs);
  });

  it('is none where no boundary, or only the last, is right often enough', () => {
    for (const shares of [
      [
        [1, 4],
        [8, 2],
        [1, 9],
      ],
      [
        [1, 4],
        [9, 1],
      ],
    ] as [number, number][][])
      // prettier-ignore
      expect(() =>
        makeTrajectories([long(shares)], { ...MAKE_DEFAULTS, pairs: 'truncated' }),
      ).toThrow('none of 1 rollouts can be used');
  });
});
