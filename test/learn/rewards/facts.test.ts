import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { mayRetrieve, readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { scoreRollout } from '../../../src/learn/rewards/index.ts';
import type { RewardId } from '../../../src/systems/rewards.ts';
import { tagBegun } from '../../../src/agent/answers/answer-text.ts';
import { openingTags, thoughtsAfterReading } from '../../../src/learn/rewards/parts/written.ts';
import { emptyRollout, retrieve } from '../../fixtures/rollouts.ts';
import { made, read, written } from './records.ts';

/** What rewards read in a record, and which words they show for what they paid. */

const asked = (query: string, segment?: number): AgentEvent => ({
  t: 1,
  kind: 'search',
  query,
  round: 1,
  tag: 'search',
  segment,
});
const summary = (fallback: boolean): AgentEvent =>
  ({ t: 2, kind: 'summarize', query: 'city', fallback }) as unknown as AgentEvent;
const verdict = (over: 'query' | 'answer', action: string): AgentEvent =>
  ({ t: 2, kind: 'verdict', over, action }) as unknown as AgentEvent;
const broken = (segment?: number): AgentEvent => ({
  t: 3,
  kind: 'error',
  what: 'malformed',
  message: 'a tag in it',
  segment,
});
const record = (events: AgentEvent[], change: Partial<Rollout> = {}): Rollout => ({
  ...emptyRollout('r'),
  segments: [
    read('question', 'Where?'),
    written('think', 'plan'),
    written('search', '<search> city </search>'),
    read('result', 'Borfield'),
  ],
  events,
  ...change,
});
const queriesOf = (...events: AgentEvent[]) =>
  readFacts(record(events)).queries.map(({ answered, refused }) => [answered, refused]);

describe('queries', () => {
  it.each([
    ['answered by passages', [asked('city', 2), retrieve([])], [true, false]],
    ['answered by a summary of them', [asked('city'), retrieve([]), summary(false)], [true, false]],
    // UR²: the passages were held back, and a hint is in their place.
    ['sent back behind them', [asked('city'), retrieve([]), summary(true)], [false, true]],
    ['refused', [asked('city'), verdict('query', 'refused')], [false, true]],
    ['let through', [asked('city'), verdict('query', 'accepted')], [false, false]],
    ['followed by a refused answer', [asked('city'), verdict('answer', 'refused')], [false, false]],
  ] as [string, AgentEvent[], boolean[]][])('are %s', (_, events, wanted) => {
    expect(queriesOf(...events)).toEqual([wanted]);
  });

  it('are each told by what follows them, not by what came before', () => {
    expect(queriesOf(retrieve([]), summary(true), verdict('query', 'refused'))).toEqual([]);
    expect(
      queriesOf(asked('city'), retrieve([]), asked('town'), verdict('query', 'refused')),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('stand where the policy wrote them', () => {
    const evidence = (segment?: number) =>
      readFacts(record([asked('city', segment)])).queries[0]?.evidence;
    expect(evidence(2)).toEqual([{ segment: 2, start: 0, end: 23 }]);
    // Not said, and a place that the policy did not write.
    expect(evidence()).toEqual([]);
    expect(evidence(3)).toEqual([]);
    expect(evidence(9)).toEqual([]);
  });
});

describe('faults', () => {
  it('are the breaches that the record names, one a place', () => {
    expect(readFacts(record([broken(1), broken(), broken(3)])).faults).toEqual([
      [{ segment: 1, start: 0, end: 4 }],
      [],
      [],
    ]);
    const other: AgentEvent = { t: 1, kind: 'error', what: 'retrieval', message: '', segment: 1 };
    expect(readFacts(record([other])).faults).toEqual([]);
  });

  const noSearch = { recipe: { id: 'search', version: '1', settings: { loop: 'naive-rag' } } };
  const own = [{ segment: 2, start: 0, end: 23 }];

  it('where no search is allowed, are searches as well, each counted once', () => {
    expect(readFacts(record([asked('city', 2)], noSearch)).faults).toEqual([own]);
    // The record names it already.
    expect(readFacts(record([asked('city', 2), broken(2)], noSearch)).faults).toEqual([own]);
    expect(readFacts(record([asked('city', 2), broken(1)], noSearch)).faults).toEqual([
      [{ segment: 1, start: 0, end: 4 }],
      own,
    ]);
    expect(readFacts(record([asked('city', 2)])).faults).toEqual([]);
  });

  it.each([
    [{ loop: 'agent', retrieval: { maxSearches: 1 } }, true],
    [{ loop: 'agent', retrieval: { maxSearches: 0 } }, false],
    [{ loop: 'naive-generation', retrieval: { maxSearches: 4 } }, false],
    // Records that say nothing of it, or what cannot be read.
    [{}, true],
    [{ retrieval: {} }, true],
    [{ loop: 3 }, true],
    [undefined, true],
  ])('settings %j let the policy search: %s', (settings, wanted) => {
    expect(mayRetrieve(settings === undefined ? {} : { recipe: { settings } })).toBe(wanted);
  });
});

describe('the answer', () => {
  const answering = (text: string, answer: string | null, before = 'so'): Rollout =>
    record([{ t: 8, kind: 'answer', text: answer ?? '', form: 'long', by: 'policy' }], {
      segments: [read('question', '?'), written('think', before), written('answer', text)],
      answer,
    });
  const quoted = (rollout: Rollout): string[] =>
    readFacts(rollout).answer.map(({ segment, start, end }) =>
      (rollout.segments[segment]?.text ?? '').slice(start, end),
    );

  it('stands in the last box that holds it; the prose is what stands before, without tags', () => {
    const rollout = answering(
      '<long_answer> Kerlund <b>lives</b> \\boxed{a} \\boxed { Borfield }</long_answer>',
      'Borfield',
    );
    expect(quoted(rollout)).toEqual(['Borfield']);
    expect(readFacts(rollout).prose).toBe('Kerlund lives \\boxed{a}');
    expect(readFacts(rollout).form).toBe('long');
  });

  it('begins where its segment does, where the environment opened the box', () => {
    const rollout = answering('  Borfield } </short_answer>', 'Borfield');
    expect(readFacts(rollout).answer).toEqual([{ segment: 2, start: 2, end: 10 }]);
    expect(readFacts(rollout).prose).toBe('');
  });

  it('that stands in no box of the policy’s has no place, and all of the text is prose', () => {
    const rollout = answering('<short_answer> I say Oslo </short_answer>', 'Borfield');
    expect(quoted(rollout)).toEqual([]);
    expect(readFacts(rollout).prose).toBe('I say Oslo');
  });

  it('that was not given has no form', () => {
    const facts = readFacts(answering('<short_answer> \\boxed{', null));
    expect([facts.form, facts.answer, facts.prose]).toEqual([null, [], '\\boxed{']);
    const without = readFacts(record([]));
    expect([without.form, without.answer, without.prose]).toEqual([null, [], '']);
  });

  it('of a tag that begins in the token before is read with it', () => {
    const rollout = answering('answer> It is \\boxed{ Borfield }', 'Borfield', 'so it is<short_');
    expect(readFacts(rollout).prose).toBe('It is');
  });
});

describe('what the policy wrote', () => {
  it('counts its tokens alone', () => {
    // Thought 3, search 3; what was read has 2 each.
    expect(readFacts(record([])).tokens).toBe(6);
  });

  it('are searches by any tag, closed or not, never in what was read', () => {
    const segments = [
      read('question', '<search>'),
      written('search', '<search> a </search> <local_search> b <web_search>'),
      read('result', '<search> x </search>'),
      written('think', '<research> <search >'),
    ];
    const text = segments[1]?.text ?? '';
    const tags = openingTags({ ...emptyRollout('r'), segments });
    expect(tags.map(({ segment }) => segment)).toEqual([1, 1, 1]);
    expect(tags.map(({ start, end }) => text.slice(start, end))).toEqual([
      '<search>',
      '<local_search>',
      '<web_search>',
    ]);
  });

  it.each([
    ['so it is<sea', '<sea'],
    ['done</thi', '</thi'],
    ['so it is>', ''],
    ['a < b', ''],
  ])('%j begins the tag %j', (text, begun) => {
    expect(tagBegun([written('think', text), written('search', '')], 1)).toBe(begun);
    // What was read begins none, nor does anything before the first segment.
    expect(tagBegun([read('result', text), written('search', '')], 1)).toBe('');
    expect(tagBegun([written('think', text)], 0)).toBe('');
  });

  it('behind the first result are its thoughts, and nothing that it read', () => {
    const segments = [
      read('question', '?'),
      written('think', 'before'),
      read('result', 'first'),
      written('think', 'one'),
      written('search', 'query'),
      read('result', 'second'),
      read('think', 'put there'),
      written('think', 'two'),
      written('answer', 'end'),
    ];
    expect(thoughtsAfterReading({ ...emptyRollout('r'), segments })).toEqual({
      text: 'one two',
      spans: [
        { segment: 3, start: 0, end: 3 },
        { segment: 7, start: 0, end: 3 },
      ],
    });
    expect(thoughtsAfterReading({ ...emptyRollout('r'), segments: segments.slice(0, 2) })).toEqual({
      text: '',
      spans: [],
    });
  });
});

describe('the words that a clause shows', () => {
  const busy = made({
    malformed: true,
    queries: [
      ['city', 'answered'],
      ['town', 'refused'],
    ],
  });
  const [PLAN, CITY, TOWN, TAG, ANSWER] = [
    '<think> plan </think>',
    '<search> city </search>',
    '<search> town </search>',
    '<search>',
    'Borfield',
  ];
  const shown = (rollout: Rollout, id: RewardId): Record<string, string[]> =>
    Object.fromEntries(
      scoreRollout(rollout, id).map(({ clause, evidence }) => [
        clause,
        evidence.map(({ segment, start, end }) =>
          (rollout.segments[segment]?.text ?? '').slice(start, end),
        ),
      ]),
    );

  it.each([
    ['kunlun-short', { format: [PLAN], length: [], accuracy: [ANSWER] }],
    ['kunlun-long', { format: [PLAN], length: [], accuracy: [ANSWER], structure: [ANSWER] }],
    ['ur2-stage-1', { format: [PLAN], retrieval: [CITY], fallback: [TOWN] }],
    ['ur2-stage-1-3b', { format: [PLAN], retrieval: [CITY], fallback: [TOWN] }],
    ['ur2-stage-1-llama', { format: [PLAN], retrieval: [CITY], fallback: [TOWN] }],
    ['ur2-stage-1-weak', { answer: [ANSWER], format: [PLAN], retrieval: [CITY], fallback: [TOWN] }],
    ['ur2-stage-1-released', { format: [PLAN], retrieval: [TAG, TAG], fallback: [TOWN] }],
    ['ur2-stage-2', { answer: [ANSWER], format: [PLAN], fallback: [TOWN] }],
    ['ur2-stage-2-released', { answer: [ANSWER], format: [PLAN], fallback: [TOWN] }],
    ['r1-searcher-stage-1', { retrieval: [CITY], format: [PLAN] }],
    ['r1-searcher-stage-1-released', { answer: [ANSWER], retrieval: [CITY], format: [PLAN] }],
    ['r1-searcher-stage-2', { answer: [ANSWER], format: [PLAN] }],
    ['r1-searcher-stage-2-released', { answer: [ANSWER], format: [PLAN] }],
    ['r1-searcher-stage-2-instruct', { answer: [ANSWER], format: [PLAN] }],
    ['search-r1', { answer: [ANSWER] }],
    ['search-r1-format', { answer: [ANSWER], format: [PLAN], answered: [] }],
    ['research', { answer: [ANSWER], format: [PLAN] }],
    ['autorefine', { answer: [ANSWER], refinement: [] }],
    ['em', { em: [ANSWER] }],
    ['f1', { f1: [ANSWER] }],
  ] as const)('of %s are %j', (id, wanted) => {
    expect(shown(busy, id)).toEqual(wanted);
  });

  it('are none where nothing was paid for: a query left open, no retrieval allowed', () => {
    const open = made({
      queries: [
        ['city', 'answered'],
        ['town', 'open'],
      ],
    });
    expect(shown(open, 'r1-searcher-stage-1-released')['retrieval']).toEqual([]);
    const settings = { loop: 'agent', retrieval: { maxSearches: 0 } };
    const barred = { ...made(), recipe: { id: 'search', version: '1', settings } };
    for (const id of ['ur2-stage-1', 'ur2-stage-1-released', 'ur2-stage-1-weak'] as const) {
      expect(shown(barred, id)).toMatchObject({ format: [CITY], retrieval: [], fallback: [] });
      const paid = scoreRollout(barred, id).find(({ clause }) => clause === 'retrieval');
      expect(paid?.value).toBe(0);
    }
  });

  it('are what was too long, too often, or wordy', () => {
    const words = (n: number): string => Array.from({ length: n }, () => 'word').join(' ');
    const long = made({ queries: [[words(21), 'answered']] });
    for (const id of ['ur2-stage-1', 'ur2-stage-1-released', 'ur2-stage-2'] as const)
      expect(shown(long, id)['format']).toEqual([`<search> ${words(21)} </search>`]);
    const often = made({ queries: Array.from({ length: 6 }, () => ['city', 'answered']) });
    // From the fifth on.
    expect(shown(often, 'ur2-stage-1-released')['format']).toEqual([TAG, TAG]);
    expect(shown(often, 'ur2-stage-2')['format']).toEqual([]);
    const wordy = made({ answer: words(11) });
    expect(shown(wordy, 'ur2-stage-2-released')['format']).toEqual([words(11)]);
    expect(shown(wordy, 'r1-searcher-stage-2')['format']).toEqual([]);
  });

  it('are the answer, where it earns for being there; the thought, where it holds one', () => {
    const poor = made({ answer: 'Ulmfield', malformed: true, thought: 'Borfield it is' });
    expect(shown(poor, 'search-r1-format')['answered']).toEqual(['Ulmfield']);
    expect(shown(poor, 'autorefine')['refinement']).toEqual(['<think> Borfield it is </think>']);
  });
});
