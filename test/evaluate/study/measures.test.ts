import { describe, expect, test } from 'vitest';
import { measuresOf, type MeasureId } from '../../../src/evaluate/study/measures/list.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { FormBlock } from '../../../src/records/form-line.ts';
import type { ChainStep } from '../../../src/records/records.ts';
import type { FrozenAnswer, Rollout } from '../../../src/records/rollout.ts';
import { made } from '../../learn/rewards/records.ts';

/** Hand-worked cases; the gold answer is Borfield. */

interface Search {
  /** Title and text of each passage. */
  brings: [title: string, text: string][];
  source?: 'local' | 'web' | 'both';
  block?: [FormBlock, string];
}

/** Searches with what they bring, the source that was asked, and the block after each. */
function rollout(
  searches: Search[],
  change: Partial<Rollout['question']> = {},
  answer: string | null = 'Borfield',
): Rollout {
  const base = made({ answer, queries: searches.map((_, i) => [`query ${i}`, 'answered']) });
  let at = 0;
  const events = base.events.flatMap((event): AgentEvent[] => {
    if (event.kind !== 'retrieve') return [event];
    const { brings, source, block } = searches[at++] ?? { brings: [] };
    const hits = brings.map(([title, text]) => ({
      passage: { id: title, title, text, sentences: [text] },
      score: 1,
      source: 'local' as const,
    }));
    return [
      ...(source
        ? [
            {
              t: 0,
              kind: 'route' as const,
              by: 'policy-tag' as const,
              choice: source,
              probabilities: { local: 1, web: 0 },
              features: [],
              reward: null,
            },
          ]
        : []),
      { ...event, hits },
      // In the thought after the result.
      ...(block
        ? [{ t: 0, kind: 'block' as const, block: block[0], text: block[1], segment: 3 * at + 1 }]
        : []),
    ];
  });
  return { ...base, question: { ...base.question, ...change }, events };
}

const of = (one: Rollout, id: MeasureId): number | undefined => measuresOf(one, readFacts(one))[id];

const GOLD: [string, string] = ['A', 'The city is Borfield.'];
const OTHER: [string, string] = ['B', 'The city is Ulmfield.'];
const step = (query: string, object: string, source?: 'local' | 'web' | 'both'): ChainStep => ({
  subject: '',
  relation: '',
  title: '',
  passageId: '',
  query,
  object,
  source,
});

test('gates are measured of rollouts that were read as mixtures', () => {
  const one = rollout([]);
  expect(of({ ...one, latent: { tokens: 20, gate: 0.994 } }, 'gate')).toBe(0.994);
  expect(of(one, 'gate')).toBeUndefined();
});

test('searches that check an answer: those after a thought that names it', () => {
  const asked = (change: Partial<Rollout['question']> = {}, answer: string | null = 'Borfield') =>
    of(rollout([{ brings: [GOLD] }, { brings: [OTHER] }], change, answer), 'checks');
  const base = rollout([{ brings: [GOLD] }, { brings: [OTHER] }]);
  const thought = base.segments.findIndex(({ text }) => text.startsWith('<think>'));
  expect(thought).toBeGreaterThanOrEqual(0);
  const naming = (at: number): Rollout => ({
    ...base,
    segments: base.segments.map((one, i) =>
      i === at ? { ...one, text: '<think> the city is Borfield .</think>' } : one,
    ),
  });
  const thoughts = base.segments.flatMap(({ text }, i) => (text.startsWith('<think>') ? [i] : []));
  // Before both searches, between them, and behind both.
  expect(thoughts.map((at) => of(naming(at), 'checks'))).toEqual([2, 1, 0]);
  expect(asked()).toBe(0);
  expect(asked({ text: 'Which is larger, Borfield or Ulmfield?' })).toBeUndefined();
  expect(asked({}, 'yes')).toBeUndefined();
  expect(asked({}, null)).toBeUndefined();
});

test('a memory contradicts itself where it gives two values of a thing, more often if facts are only added', () => {
  const keeping = (...banks: string[]): Rollout =>
    rollout(banks.map((bank) => ({ brings: [GOLD], block: ['memory', bank] })));
  const changed = keeping('home is Oslo . editor is A', 'home is Bergen . editor is A');
  expect(of(changed, 'contradictory')).toBe(0);
  // Of home and editor, home has two values if nothing goes.
  expect(of(changed, 'contradictoryAdded')).toBe(0.5);
  const both = keeping('home is Oslo . home is Bergen . editor is A . river is B');
  expect(of(both, 'contradictory')).toBeCloseTo(1 / 3);
  expect(of(both, 'contradictoryAdded')).toBe(0);
  expect(of(keeping('none'), 'contradictory')).toBeUndefined();
  expect(of(rollout([]), 'contradictory')).toBeUndefined();
});

describe('searches', () => {
  const two = rollout([{ brings: [GOLD, OTHER] }, { brings: [OTHER, OTHER] }], {
    supporting: ['A', 'B'],
  });

  test('bring what was seen, and bring nothing new', () => {
    // 0 of 2, then 2 of 2.
    expect(of(two, 'seen')).toBe(0.5);
    expect(of(two, 'bestSearch')).toBe(1);
    expect(of(two, 'barren')).toBe(0.5);
    expect(of(two, 'calls')).toBe(2);
    expect(of(two, 'callless')).toBe(0);
    const none = rollout([], { supporting: ['A'] });
    expect(of(none, 'seen')).toBeUndefined();
    expect(of(none, 'bestSearch')).toBe(0);
    expect(of(none, 'callless')).toBe(1);
    expect(of(rollout([{ brings: [GOLD] }], { supporting: [] }), 'barren')).toBeUndefined();
  });

  test('are read in tokens, open pages, and are as sure as their least likely token', () => {
    // Each result is of two tokens; the tags are no part of a query, of whose tokens one is left.
    expect(of(two, 'resultTokens')).toBe(2);
    expect(of(two, 'leastCertain')).toBeCloseTo(Math.exp(-0.1), 9);
    expect(of(two, 'pageless')).toBe(0);
    const results = [...two.segments];
    const at = results.findIndex(({ role }) => role === 'result');
    const text = '<result> could not find A . similar : B .</result>';
    results[at] = { ...(results[at] ?? results[0]), text } as (typeof results)[number];
    expect(of({ ...two, segments: results }, 'pageless')).toBe(0.5);
  });

  test('of the right source: that of the gold step whose query is most like theirs', () => {
    const chain = [step('query 0', 'x', 'web'), step('query 1', 'Borfield', 'local')];
    const routed = rollout(
      [
        { brings: [GOLD], source: 'web' },
        { brings: [GOLD], source: 'web' },
      ],
      { chain },
    );
    expect(of(routed, 'rightSource')).toBe(0.5);
    expect(of(rollout([{ brings: [GOLD], source: 'both' }], { chain }), 'rightSource')).toBe(
      undefined,
    );
  });
});

describe('blocks', () => {
  test('lose what a result held', () => {
    const refined = (text: string, brings: [string, string][]): number | undefined =>
      of(rollout([{ brings, block: ['refine', text] }]), 'goldLost');
    expect(refined('it is Ulmfield', [GOLD])).toBe(1);
    expect(refined('it is Borfield', [GOLD])).toBe(0);
    // It never was there, or nothing was to be kept.
    expect(refined('it is Ulmfield', [OTHER])).toBeUndefined();
    expect(of(rollout([{ brings: [GOLD] }]), 'goldLost')).toBeUndefined();
  });

  test('judge rightly what brings a supporting passage first', () => {
    const judged = rollout(
      [
        { brings: [GOLD], block: ['judge', 'yes'] },
        { brings: [GOLD], block: ['judge', 'yes'] },
        { brings: [OTHER], block: ['judge', 'no'] },
      ],
      { supporting: ['A'] },
    );
    // The second brings it again.
    expect(of(judged, 'judgedRight')).toBeCloseTo(2 / 3, 9);
    expect(of(judged, 'rightBehindNo')).toBe(1);
  });

  test('name exactly the supporting passages, or others', () => {
    const named = (text: string): (number | undefined)[] => {
      const one = rollout([{ brings: [GOLD, OTHER], block: ['relevance', text] }], {
        supporting: ['A'],
      });
      return [of(one, 'namedExactly'), of(one, 'rightOnOthers')];
    };
    expect(named('1')).toEqual([1, 0]);
    expect(named('1 , 2')).toEqual([0, 1]);
    expect(named('who knows')).toEqual([undefined, undefined]);
  });

  test('give sub-answers: which, and after how many tokens', () => {
    const chain = [step('a', 'Vell'), step('b', 'Sorn'), step('c', 'Borfield')];
    const said = rollout(
      [
        { brings: [OTHER], block: ['summary', 'nothing'] },
        { brings: [OTHER], block: ['summary', 'Sorn'] },
      ],
      { chain },
    );
    expect(of(said, 'subAnswers')).toBe(0.5);
    // Plan, query, thought, query, thought: five of three tokens each.
    expect(of(said, 'toSubAnswer')).toBe(15);
    expect(of(rollout([], { chain }), 'toSubAnswer')).toBeUndefined();
  });

  test('keep a memory: what it updates and deletes', () => {
    const kept = rollout([
      { brings: [GOLD], block: ['memory', 'city is Ulmfield . age is 3'] },
      { brings: [GOLD], block: ['memory', 'city is Borfield'] },
    ]);
    expect([of(kept, 'updated'), of(kept, 'deleted')]).toEqual([1, 1]);
  });

  test('ask back, and compute', () => {
    const computed = rollout([{ brings: [GOLD], block: ['compute', '1 + 1'] }]);
    expect([of(computed, 'rightByBoth'), of(computed, 'calls')]).toEqual([1, 2]);
    expect(of(computed, 'asked')).toBe(0);
    expect(of(rollout([{ brings: [GOLD], block: ['ask', 'which one'] }]), 'asked')).toBe(1);
    const rivals = ['p', 'q', 'r'].map((passageId) => ({
      object: passageId,
      passageId,
      why: 'namesake' as const,
    }));
    const open = { type: 'underspecified' as const, chain: [{ ...step('q', 'x'), rivals }] };
    const told = rollout([{ brings: [GOLD], block: ['ask', 'which one'] }], open);
    expect([of(told, 'narrowed'), of(rollout([{ brings: [GOLD] }], open), 'narrowed')]).toEqual([
      0.75, 0,
    ]);
    expect(of(computed, 'narrowed')).toBeUndefined();
  });
});

test('an answer that no passage holds', () => {
  expect(of(rollout([{ brings: [OTHER] }]), 'unheld')).toBe(1);
  expect(of(rollout([{ brings: [GOLD] }]), 'unheld')).toBe(0);
  expect(of(rollout([{ brings: [GOLD] }], { answers: ['yes'] }), 'unheld')).toBeUndefined();
});

test('thoughts that name what was not read', () => {
  // Thoughts of `made`: one plan, and one after the result.
  const thinking = (thought: string): Rollout => {
    const one = rollout([{ brings: [GOLD] }]);
    const segments = one.segments.map((segment, i) =>
      i === 4 ? { ...segment, text: `<think> ${thought} </think>` } : segment,
    );
    return { ...one, segments };
  };
  expect(of(thinking('the city is Borfield'), 'unread')).toBe(0);
  expect(of(thinking('the city is Ulmfield'), 'unread')).toBe(0.5);
});

test('how sure a wrong answer is', () => {
  // Every token of `made` has log-probability −0.1.
  expect(of(rollout([], {}, 'Ulmfield'), 'wrongSure')).toBeCloseTo(Math.exp(-0.1));
  expect(of(rollout([]), 'wrongSure')).toBeUndefined();
  expect(of(rollout([], {}, null), 'wrongSure')).toBeUndefined();
});

test('the frozen answerer is wrong where it had nothing to read, and unknown where it was not asked', () => {
  const answered = (from: FrozenAnswer['from'], right: number): FrozenAnswer => ({
    from,
    answer: '',
    em: right,
    f1: right,
    holds: right,
  });
  const harmed = (frozen: FrozenAnswer[]) => {
    const one = { ...rollout([{ brings: [GOLD] }]), frozen };
    return [of(one, 'frozenF1'), of(one, 'frozenRight'), of(one, 'frozenHarmed')];
  };
  expect(harmed([answered('selected', 1), answered('question', 1)])).toEqual([1, 1, 0]);
  expect(harmed([answered('selected', 0), answered('question', 1)])).toEqual([0, 0, 1]);
  expect(harmed([answered('question', 1)])).toEqual([0, 0, 1]);
  expect(harmed([answered('evidence', 1)])).toEqual([1, 1, undefined]);
  expect(of(rollout([]), 'frozenF1')).toBeUndefined();
});

test('gold sentences that summaries keep: of those among the passages, and not of fallbacks', () => {
  const chain = [{ ...step('author', 'Victor Kerlund'), passageId: 'Old Wolf' }];
  const base = rollout(
    [
      { brings: [['Old Wolf', 'Old Wolf was written by Victor Kerlund.']] },
      { brings: [['Old Wolf', 'Old Wolf was written by Victor Kerlund.']] },
      { brings: [['Silent Harbor', 'A film.']] },
    ],
    { chain },
  );
  const summarized = (text: string): AgentEvent => ({
    t: 0,
    kind: 'summarize',
    query: 'query',
    by: 'extractive',
    passages: [],
    text,
    fallback: false,
    reason: '',
    latencyMs: 1,
    cached: false,
    segment: 0,
  });
  const texts = ['Old Wolf : Old Wolf was written by Victor Kerlund.', 'nothing', 'nothing'];
  let at = 0;
  const events = base.events.flatMap((event): AgentEvent[] =>
    event.kind === 'retrieve' ? [event, summarized(texts[at++] ?? '')] : [event],
  );
  expect(of({ ...base, events }, 'goldKept')).toBe(0.5);
  expect(of(base, 'goldKept')).toBeUndefined();
});
