import { describe, expect, it } from 'vitest';
import { estimateAdvantages } from '../../../src/learn/advantages.ts';
import { maskedByTags, maskedFirstCalls } from '../../../src/systems/parts/masks.ts';
import type { RewardFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import '../../../src/systems/rewards.ts';
import { goldPlaces } from '../../../src/systems/in-forage/reward.ts';
import { computeReply } from '../../../src/agent/expression.ts';
import { keyMatch } from '../../../src/systems/step-search/reward.ts';
import { pairsOf } from '../../../src/learn/supervised/dpo.ts';
import { cutResult } from '../../../src/systems/search-r1/loop.ts';
import { made } from './records.ts';

/** Cases of the specifications in which released code and paper differ, and of rewards of other tools. */

type Search = RewardFacts['searches'][number];
const search = (titles: readonly string[], judged?: boolean, text = ''): Search => ({
  query: 'q',
  logprobs: null,
  passages: titles.map((title) => ({ title, text: text || title, sound: true })),
  judged: judged === undefined ? null : { useful: judged, evidence: [] },
  asked: null,
  evidence: [],
});
const facts = (change: Partial<RewardFacts> = {}): RewardFacts => ({
  ...readFacts(made({})),
  em: 1,
  f1: 1,
  form: 'short',
  golds: ['Borfield'],
  formatValid: true,
  searches: [],
  blocks: [],
  computed: [],
  supporting: [],
  ...change,
});
const clausesOf = (id: string, of: RewardFacts) => rewardById(id)?.clauses(of, {}) ?? [];
const total = (id: string, change: Partial<RewardFacts>): number =>
  Number(
    clausesOf(id, facts(change))
      .reduce((sum, { value, weight }) => sum + value * weight, 0)
      .toFixed(4),
  );
const normal = (rewards: number[]): number[] => {
  const [groups, lengths] = [rewards.map(() => 0), rewards.map(() => 1)];
  return [...estimateAdvantages('grpo', rewards, groups, lengths)].map((a) => Number(a.toFixed(4)));
};

describe('Collab-RAG', () => {
  const plan = (text: string, of: 'block' | 'lines' = 'lines'): boolean =>
    readFacts({
      ...made({}),
      events: [
        of === 'block'
          ? { t: 0, kind: 'block', block: 'plan', text }
          : { t: 0, kind: 'aside', of: 'chain', prompt: '', text, tokens: 1 },
      ],
    }).planned;

  it('pays a right answer behind a plan that can be read: of answers 1, 0, 1 and formats 1, 1, 0 the first', () => {
    const formats = [plan('1. Who wrote K? [yes]\n2. Where was #1 born? [yes]'), plan('1. Where was K born?'), plan('1. Where was #1 born?')]; // prettier-ignore
    expect(formats).toEqual([true, true, false]);
    const rewards = [1, 0, 1].map((em, i) => total('collab-rag', { em, planned: formats[i]! }));
    expect(rewards).toEqual([1, 0, 0]);
    expect(pairsOf(rewards, [0, 0, 0], { high: 1, low: 0 })).toEqual([
      { chosen: 0, rejected: 1 },
      { chosen: 0, rejected: 2 },
    ]);
  });

  it('knows a plan of the built-in policy by its parts, and none without one', () => {
    expect([plan('author , birthplace', 'block'), plan(' , ', 'block')]).toEqual([true, false]);
    expect(readFacts(made({})).planned).toBe(false);
  });
});

describe('CoRT', () => {
  const compute = (text: string) => ({ kind: 'compute' as const, text, reply: computeReply(text), after: 0, evidence: [] }); // prettier-ignore
  const fails = [compute('1931 - Veldor'), compute('1 / 0'), compute('2 +')];

  it('takes ω where all calls failed; as released, where there was none, too', () => {
    expect([total('cort', {}), total('cort-released', {})]).toEqual([1, 0.9]);
    for (const id of ['cort', 'cort-released']) {
      expect(total(id, { em: 0, blocks: fails })).toBe(-0.1);
      expect(total(id, { em: 0, blocks: [...fails.slice(1), compute('1931 - 1907')] })).toBe(0);
    }
    expect(total('cort', { em: 0, searches: [search([])] })).toBe(-0.1);
  });
});

it('CIR: 12 of 16 right at ±1 leave +0.5 and −1.5 about their mean', () => {
  const rewards = Array.from({ length: 16 }, (_, i) => total('cir', { em: i < 12 ? 1 : 0 }));
  const [groups, lengths] = [rewards.map(() => 0), rewards.map(() => 1)];
  const advantages = [...estimateAdvantages('dr-grpo', rewards, groups, lengths)];
  expect(advantages[0]).toBeCloseTo(0.5, 6);
  expect(advantages[15]).toBeCloseTo(-1.5, 6);
});

describe('Tool-Star', () => {
  const both = { searches: [search(['a'])], computed: [{ segment: 0, start: 0, end: 1 }] };

  it('adds 0.1 to an answer that has something right by both tools', () => {
    expect(total('tool-star', { ...both, f1: 0.6667 })).toBe(0.7667);
    expect(total('tool-star', { searches: both.searches })).toBe(1);
    expect(total('tool-star', { ...both, f1: 0 })).toBe(0);
    expect(total('tool-star', { ...both, formatValid: false })).toBe(-1);
  });

  it('of a group 1.1, 1, 0.6667, 0, −1, 0, 0, −1 makes these advantages', () => {
    expect(normal([1.1, 1, 0.6667, 0, -1, 0, 0, -1])).toEqual([
      1.2413, 1.1177, 0.7057, -0.1185, -1.3546, -0.1185, -0.1185, -1.3546,
    ]);
  });
});

describe('StepSearch', () => {
  it('weighs searches by 0.6, as released by 1.6', () => {
    // The first search brings one of two gold pages and another; the second the same gold page again and the other.
    const searches = [search(['G1', 'x']), search(['G1', 'G2'])];
    const scores = (id: string) =>
      clausesOf(id, facts({ searches, supporting: ['G1', 'G2'] }))
        .filter(({ clause }) => clause !== 'answer' && clause !== 'keys')
        .map(({ value }) => Number(value.toFixed(4)) + 0);
    expect(scores('step-search')).toEqual([0.3, 0, 0.3, -0.3]);
    expect(scores('step-search-released')).toEqual([0.8, 0, 0.8, -0.8]);
  });

  it('matches queries with sub-questions: the best of each counts, as released the latest', () => {
    const gold = ['birthplace of Ada', 'capital of Peru'];
    const queries = ['birthplace of Ada', 'birthplace of Ada mother'];
    expect(keyMatch(queries, gold, 'best')).toBe(0.5);
    expect(keyMatch(queries, gold, 'last')).toBeCloseTo(0.42855, 12);
    // A query that is like no sub-question takes nothing away.
    expect(keyMatch([...queries, 'weather'], gold, 'last')).toBeCloseTo(0.42855, 12);
    expect(keyMatch(['weather'], gold, 'best')).toBe(0);
    expect(keyMatch(queries, [], 'best')).toBe(0);
    const steps = gold.map((query) => ({ query, object: 'x', source: 'web' as const }));
    const searches = queries.map((query) => ({ ...search([]), query }));
    expect(total('step-search', { plainF1: 0, steps, searches })).toBe(0.309);
    // 0.618 · 0.8571 / 2: the code rounds each F1 to four places.
    expect(total('step-search-released', { plainF1: 0, steps, searches })).toBe(0.2648);
  });
});

describe('ReSeek as released', () => {
  const held = 'It lies in Borfield.';

  it('counts 0.3 for a right judgement, 0.1 more for a right answer, and yes with one as right', () => {
    expect(total('re-seek-released', { searches: [search(['a'], true, held)] })).toBe(1.4);
    expect(total('re-seek-released', { em: 0, searches: [search(['a'], true, 'no')] })).toBe(-0.6);
    expect(total('re-seek-released', { searches: [search(['a'], true, 'no')] })).toBe(1.4);
    expect(total('re-seek-released', { em: 0, searches: [search(['a'], false, held)] })).toBe(-0.3);
    expect(
      total('re-seek-released', { em: 0, form: null, searches: [search(['a'], false, 'no')] }),
    ).toBe(0);
  });

  it('of its group makes these advantages', () => {
    expect(normal([1, 1.4, 0.3, -0.6, 0, -0.3, 0.3, 1.3])).toEqual([
      0.7768, 1.3173, -0.1689, -1.3848, -0.5742, -0.9795, -0.1689, 1.1822,
    ]);
  });
});

describe('Search-R1 as released', () => {
  it('scores an output without an answer by the example of its prompt', () => {
    const silent = { form: null, answerText: null, em: 0 };
    expect(total('search-r1-released', { ...silent, golds: ['Beijing'] })).toBe(1);
    expect(total('search-r1', { ...silent, golds: ['Beijing'] })).toBe(0);
    expect(total('search-r1-released', { ...silent, golds: ['Borfield'] })).toBe(0);
    // An answer of its own is the last block.
    expect(total('search-r1-released', { em: 0, answerText: 'x', golds: ['Beijing'] })).toBe(0);
    expect(total('search-r1-released', { answerText: 'Borfield' })).toBe(1);
  });
});

describe('ReSeek with a mean', () => {
  it('pays as much for four right "no"s as for one, where the sum pays four times', () => {
    const no = (n: number) => ({
      em: 0,
      supporting: ['A'],
      searches: Array.from({ length: n }, () => search(['x'], false)),
    });
    expect([1, 4].map((n) => total('re-seek', no(n)))).toEqual([0.3, 1.2]);
    expect([1, 4].map((n) => total('re-seek-mean', no(n)))).toEqual([0.3, 0.3]);
    const mixed = [search(['A'], true), search(['x'], true)];
    expect(total('re-seek-mean', { supporting: ['A'], searches: mixed })).toBe(0.85);
    expect(total('re-seek-mean', { searches: [] })).toBe(1);
  });
});

describe('ReSeek with both mistakes alike', () => {
  it('takes 0.3 for a wrong "yes" as for a wrong "no", where the paper takes 0.6', () => {
    const judged = (useful: boolean, titles: string[]) => ({
      em: 0,
      supporting: ['A'],
      searches: [search(titles, useful)],
    });
    expect(total('re-seek', judged(true, ['x']))).toBe(-0.6);
    expect(total('re-seek-symmetric', judged(true, ['x']))).toBe(-0.3);
    for (const reward of ['re-seek', 're-seek-symmetric'] as const) {
      expect(total(reward, judged(false, ['A']))).toBe(-0.3);
      expect(total(reward, judged(true, ['A']))).toBe(0.3);
    }
  });
});

describe('InForage as released', () => {
  it('judges the j-th that searches by the gold of the batch’s j-th', () => {
    expect(goldPlaces([false, true, true])).toEqual([null, 0, 1]);
    expect(goldPlaces([true, true, true])).toEqual([0, 1, 2]);
    const batch = [
      facts({ supporting: ['A'], searches: [] }),
      facts({ supporting: ['B'], searches: [search(['B'])] }),
      facts({ supporting: ['C'], searches: [search(['B'])] }),
    ];
    const shares = rewardById('in-forage-released')?.ofBatch?.(batch, null) ?? [];
    // The second found its own page and is asked for A's; the third found the second's, by whose gold it is judged.
    expect(shares.map(({ value }) => value)).toEqual([0, 0, 0.2]);
    const own = clausesOf('in-forage', batch[1] ?? facts());
    expect(own.find(({ clause }) => clause === 'best-search')?.value).toBe(0.2);
  });
});

it('a result that is cut keeps its tags, or loses the one at the end that is cut', () => {
  const ids = [1, 10, 11, 12, 13, 2];
  const cut = (keep: 'first' | 'last', tags: 'kept' | 'lost') =>
    cutResult(ids, { tokens: 4, keep, tags }, [1, 1]);
  expect(cut('first', 'kept')).toEqual([1, 10, 11, 2]);
  expect(cut('last', 'kept')).toEqual([1, 12, 13, 2]);
  expect(cut('first', 'lost')).toEqual([1, 10, 11, 12]);
  expect(cut('last', 'lost')).toEqual([11, 12, 13, 2]);
});

it('a mask by tags hides what the policy wrote between tags that it made up', () => {
  const [open, close] = [7, 8];
  // Policy, a real result, policy, tags of the policy’s own with text in them, policy.
  const ids = [1, open, 5, close, 2, open, 3, close, 4];
  const written = Uint8Array.of(1, 0, 0, 0, 1, 1, 1, 1, 1);
  expect([...maskedByTags(ids, written, { open, close })]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect([...maskedByTags([1, open, 2, 3], Uint8Array.of(1, 1, 1, 1), { open, close })]).toEqual([
    1, 0, 0, 0,
  ]);
});

describe('CIR as released', () => {
  const tags = { open: 7, close: 8 };
  const masked = (ids: number[], mask: number[], outputs: number[], calls: number): number[] => [
    ...maskedFirstCalls(
      Int32Array.from(ids),
      { mask: Uint8Array.from(mask), outputs: Uint8Array.from(outputs) },
      tags,
      calls,
    ),
  ];

  it('masks as many blocks of output as calls are allowed, and trains on the third of two', () => {
    //          policy, result, policy, result, policy, result, policy
    const ids = [1, 7, 5, 8, 2, 7, 5, 8, 3, 7, 5, 8, 4];
    const written = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
    const outputs = written.map((bit) => 1 - bit);
    expect(masked(ids, written, outputs, 2)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(masked(ids, written, outputs, 3)).toEqual(written);
  });

  it('counts blocks that the policy made up, and finds none without an end', () => {
    // The policy’s own block takes the place of the real one.
    const ids = [1, 7, 5, 8, 2, 7, 6, 8, 3];
    const written = [1, 1, 1, 1, 1, 0, 0, 0, 1];
    const outputs = [0, 0, 0, 0, 0, 1, 1, 1, 0];
    expect(masked(ids, written, outputs, 1)).toEqual([1, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(masked([9, 1, 7, 5], [0, 1, 0, 0], [0, 0, 1, 1], 1)).toEqual([0, 1, 1, 1]);
  });
});
