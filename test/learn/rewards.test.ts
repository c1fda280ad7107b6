import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/records/events.ts';
import type { RewardClause, Rollout, Segment } from '../../src/records/rollout.ts';
import { scoreRollout, totalReward } from '../../src/learn/rewards/index.ts';
import { lengthReward } from '../../src/systems/kunlun-baize/reward.ts';
import { readFacts } from '../../src/learn/rewards/parts/facts.ts';
import { emptyRollout, hit, passage, retrieve } from '../fixtures/rollouts.ts';
import { read, written } from './rewards/records.ts';
import { REWARDS, type RewardId } from '../../src/systems/rewards.ts';

const search = (query: string, round: number, segment: number): AgentEvent => ({
  t: round,
  kind: 'search',
  query,
  round,
  tag: 'search',
  segment,
});
/** STIE sends a query back. */
const refusal = (text: string): AgentEvent => ({
  t: 4,
  kind: 'verdict',
  over: 'query',
  round: 2,
  mode: 'corrected',
  text,
  checks: [],
  aggDiff: 0,
  valid: false,
  action: 'refused',
  reason: 'as before',
  counts: {},
  blocked: [],
});
const answered = (text: string, form: 'short' | 'long' = 'short'): AgentEvent[] => [
  { t: 8, kind: 'answer', text, form, by: 'policy' },
  { t: 9, kind: 'stop', reason: 'answer', detail: '' },
];

/** One search that is answered, one answer; gold is `Borfield`. */
function rollout(answer: string, change: Partial<Rollout> = {}): Rollout {
  return {
    ...emptyRollout('r'),
    segments: [
      read('question', 'Where?'),
      written('think', 'plan : city .', 4),
      written('search', '<search> city </search>', 4),
      read(
        'result',
        'Kerlund : He lives in \\boxed{ Borfield } <short_answer> \\boxed{ Borfield }',
      ),
      written('answer', `<short_answer> \\boxed{ ${answer} } </short_answer>`, 8),
    ],
    events: [search('city', 1, 2), retrieve([]), ...answered(answer)],
    answer,
    ...change,
  };
}

const right = rollout('Borfield');
const wrong = rollout('Ulmfield');
const malformed = rollout('Borfield', {
  events: [
    search('city', 1, 2),
    retrieve([]),
    { t: 5, kind: 'error', what: 'malformed', message: 'a tag inside a block', segment: 1 },
    ...answered('Borfield'),
  ],
});
const silent = rollout('', {
  answer: null,
  events: [
    search('city', 1, 2),
    retrieve([]),
    { t: 9, kind: 'stop', reason: 'end-of-text', detail: '' },
  ],
});
const twice = rollout('Borfield', {
  events: [
    search('city', 1, 2),
    retrieve([]),
    search('town', 2, 2),
    retrieve([]),
    ...answered('Borfield'),
  ],
});
/** The second query got a hint, not passages. */
const refused = rollout('Borfield', {
  events: [
    search('city', 1, 2),
    retrieve([]),
    search('city', 2, 2),
    refusal('city'),
    ...answered('Borfield'),
  ],
});
/** The second query got no passages either, but because the retriever failed. */
const unreachable = rollout('Borfield', {
  events: [
    search('city', 1, 2),
    retrieve([]),
    search('town', 2, 2),
    { t: 5, kind: 'error', what: 'retrieval', message: 'no network' },
    ...answered('Borfield'),
  ],
});
const idle = rollout('Borfield', { events: answered('Borfield') });
const partly = rollout('Borfield town');

const total = (r: Rollout, reward: RewardId): number => totalReward(scoreRollout(r, reward));
const value = (clauses: RewardClause[], name: string): number =>
  clauses.find((c) => c.clause === name)!.value;

describe('rewards, by hand', () => {
  it.each([
    // 0.1 · 1 + 0.1 · 1 + 0.8 · EM; 16 tokens are far under the target
    ['kunlun-short', right, 1],
    ['kunlun-short', wrong, 0.2],
    ['kunlun-short', malformed, 0.9],
    ['kunlun-short', silent, 0],
    // clean +1, one query +3
    ['ur2-stage-1', right, 4],
    ['ur2-stage-1', wrong, 4],
    ['ur2-stage-1', twice, 5],
    ['ur2-stage-1', malformed, 2],
    ['ur2-stage-1', refused, 3.5],
    // nothing retrieved is a violation
    ['ur2-stage-1', idle, -1],
    ['ur2-stage-2', right, 3],
    ['ur2-stage-2', idle, 3],
    ['ur2-stage-2', wrong, 1],
    ['ur2-stage-2', malformed, 2],
    ['ur2-stage-2', refused, 2.5],
    ['ur2-stage-1', unreachable, 4],
    ['ur2-stage-2', unreachable, 3],
    ['r1-searcher-stage-1', wrong, 1],
    ['r1-searcher-stage-1', idle, 0.5],
    ['r1-searcher-stage-1', malformed, 0.5],
    // F1 of "borfield town" with "borfield": 2 · ½ · 1 / 1.5
    ['r1-searcher-stage-2', partly, 2 / 3],
    ['r1-searcher-stage-2', malformed, -1],
    ['search-r1', right, 1],
    ['search-r1', partly, 0],
    ['search-r1', malformed, 1],
    ['research', partly, 2 / 3],
    ['research', wrong, 0.1],
    ['research', malformed, 0],
    ['em', partly, 0],
    ['f1', partly, 2 / 3],
  ] as const)('%s', (reward, of, expected) => expect(total(of, reward)).toBeCloseTo(expected, 9));

  const PAGE = hit(passage('p', 'Borfield', 'Kerlund lives there, in a small house.'));

  it('long answers earn their form and the prose that a passage supports', () => {
    const text = '<long_answer> Kerlund lives there . \\boxed{ Borfield } </long_answer>';
    const long = rollout('Borfield', {
      segments: [...right.segments.slice(0, 4), written('answer', text)],
      events: [search('city', 1, 2), retrieve([PAGE]), ...answered('Borfield', 'long')],
    });
    expect(total(long, 'kunlun-long')).toBeCloseTo(1, 9);
    // The same sentence where no passage says it: half of the structure's 0.2.
    const invented = rollout('Borfield', {
      segments: long.segments,
      events: [search('city', 1, 2), retrieve([]), ...answered('Borfield', 'long')],
    });
    expect(total(invented, 'kunlun-long')).toBeCloseTo(0.9, 9);
    // The form alone, without prose beside the box: half of the structure's 0.2.
    const bare = rollout('Borfield', {
      segments: [
        ...right.segments.slice(0, 4),
        written('answer', '<long_answer> \\boxed{ Borfield } </long_answer>'),
      ],
      events: [search('city', 1, 2), retrieve([]), ...answered('Borfield', 'long')],
    });
    expect(readFacts(bare).prose).toBe('');
    expect(total(bare, 'kunlun-long')).toBeCloseTo(0.9, 9);
    // In the short form: 0.1 + 0.1 + 0.6, no structure.
    expect(total(right, 'kunlun-long')).toBeCloseTo(0.8, 9);
  });

  it('length control falls in a line from the target to twice the target', () => {
    const facts = readFacts(right);
    const at = (tokens: number): number => lengthReward({ ...facts, tokens }, 100);
    expect([50, 100, 150, 200, 300].map(at)).toEqual([1, 1, 0.5, 0, 0]);
    expect(lengthReward({ ...facts, form: null, tokens: 1 }, 100)).toBe(0);
  });

  it('queries of twenty words are violations, not retrievals', () => {
    const wordy = Array.from({ length: 20 }, () => 'word').join(' ');
    const long = rollout('Borfield', {
      events: [search(wordy, 1, 2), retrieve([]), ...answered('Borfield')],
    });
    const clauses = scoreRollout(long, 'ur2-stage-1');
    expect([value(clauses, 'format'), value(clauses, 'retrieval')]).toEqual([-1, 0]);
  });

  it('λ can be given, and must sum to 1', () => {
    const weights = { format: 0.2, length: 0, accuracy: 0.8 };
    expect(totalReward(scoreRollout(wrong, 'kunlun-short', weights))).toBeCloseTo(0.2, 9);
    expect(() => scoreRollout(wrong, 'kunlun-short', { accuracy: 1 })).toThrow(/sum to 1.2/);
    expect(() => scoreRollout(wrong, 'kunlun-short', { style: 0.1 })).toThrow(/no clause "style"/);
    expect(() => scoreRollout(wrong, 'em', { em: 1 })).toThrow(
      /em has fixed values and no weights/,
    );
  });

  it('an ablation leaves the fallback penalty out by a weight of 0, and nothing else', () => {
    const without = scoreRollout(refused, 'ur2-stage-2', { fallback: 0 });
    expect(without.map(({ clause }) => clause)).toEqual(['answer', 'format']);
    expect(totalReward(without)).toBe(3);
    expect(() => scoreRollout(refused, 'ur2-stage-2', { fallback: 0.5 })).toThrow(/weight of 0/);
    expect(() => scoreRollout(refused, 'ur2-stage-2', { answer: 0 })).toThrow(/for fallback/);
  });
});

describe('what must not earn anything', () => {
  it('an answer that only stands in what was read, or in the question', () => {
    const quoted = rollout('', {
      answer: null,
      segments: right.segments.slice(0, 4),
      events: [
        search('city', 1, 2),
        retrieve([]),
        { t: 9, kind: 'stop', reason: 'token-budget', detail: '' },
      ],
    });
    for (const reward of ['kunlun-short', 'search-r1', 'em', 'f1', 'research'] as const)
      expect(total(quoted, reward)).toBe(0);
  });

  it('a box of the prompt’s example: without an answer of its own there is none', () => {
    const example: Segment = {
      source: 'prompt',
      role: 'instruction',
      text: 'End with <short_answer> \\boxed{ Borfield } </short_answer>',
      ids: [7, 7],
      mask: 0,
    };
    const parroted = rollout('', {
      answer: null,
      segments: [example, ...right.segments.slice(0, 4)],
      events: [search('city', 1, 3), retrieve([])],
    });
    for (const reward of REWARDS.map(({ id }) => id))
      for (const { clause, value: earned, evidence } of scoreRollout(parroted, reward)) {
        if (['answer', 'accuracy', 'em', 'f1', 'structure', 'length'].includes(clause))
          expect(earned).toBeLessThanOrEqual(0);
        for (const { segment } of evidence) expect(segment).toBe(3);
      }
  });

  it('one box of two: evidence is the content of the last, not of both nor of the tag', () => {
    const text = '<short_answer> \\boxed{ Ulmfield } or \\boxed{ an } </short_answer>';
    const boxes = rollout('an', {
      segments: [...right.segments.slice(0, 4), written('answer', text)],
    });
    const [{ evidence } = { evidence: [] }] = scoreRollout(boxes, 'search-r1');
    expect(evidence).toHaveLength(1);
    const { start, end } = evidence[0]!;
    expect(text.slice(start, end)).toBe('an');
    expect(start).toBe(text.lastIndexOf('{ an }') + 2);
  });

  it('a forced answer: the environment opened the box, evidence is what the policy put in', () => {
    const opening = read('answer', '<short_answer> \\boxed{');
    const forced = rollout('Borfield', {
      segments: [
        ...right.segments.slice(0, 4),
        opening,
        written('answer', ' Borfield } </short_answer>'),
      ],
    });
    expect(scoreRollout(forced, 'em')[0]).toEqual({
      clause: 'em',
      value: 1,
      weight: 1,
      evidence: [{ segment: 5, start: 1, end: 9 }],
    });
  });

  it('evidence stands in text that the policy wrote, and quotes it', () => {
    for (const reward of REWARDS.map(({ id }) => id))
      for (const of of [right, wrong, malformed, silent, twice, refused])
        for (const { evidence } of scoreRollout(of, reward))
          for (const { segment, start, end } of evidence) {
            expect(of.segments[segment]!.source).toBe('policy');
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeLessThanOrEqual(of.segments[segment]!.text.length);
          }
    const [clause] = scoreRollout(right, 'search-r1');
    const { segment, start, end } = clause!.evidence[0]!;
    expect(right.segments[segment]!.text.slice(start, end)).toBe('Borfield');
  });

  it('scoring changes nothing in the record, and depends on it alone', () => {
    for (const reward of REWARDS.map(({ id }) => id)) {
      const [a, b] = [structuredClone(right), structuredClone(wrong)];
      const forward = [scoreRollout(a, reward), scoreRollout(b, reward)];
      const backward = [scoreRollout(b, reward), scoreRollout(a, reward)].reverse();
      expect(backward).toEqual(forward);
      expect([a, b]).toEqual([right, wrong]);
      // Two calls share nothing, so that scaling one cannot scale the other.
      const again = scoreRollout(a, reward);
      again.forEach((clause) => (clause.value *= 2));
      expect(scoreRollout(a, reward)).toEqual(forward[0]);
    }
  });
});
