import { describe, expect, it } from 'vitest';
import { besideSentence } from '../../../../src/evaluate/rollouts/siblings/beside-words.ts';
import { besideOf } from '../../../../src/evaluate/rollouts/siblings/beside.ts';
import { besideRounds } from '../../../../src/evaluate/rollouts/siblings/rounds.ts';
import type { AgentEvent } from '../../../../src/records/events.ts';
import type { SearchTarget } from '../../../../src/records/hits.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import {
  emptyRollout,
  hit,
  metrics,
  passage,
  policySegment,
  retrieve,
} from '../../../fixtures/rollouts.ts';

/** Supporting, by the fixture's question. */
const GOLD = 'Victor Kerlund';

const asked = (query: string, round: number): AgentEvent => ({
  t: 0,
  kind: 'search',
  query,
  round,
  tag: 'search',
});
const routed = (choice: SearchTarget): AgentEvent => ({
  t: 0,
  kind: 'route',
  by: 'fixed',
  choice,
  probabilities: { local: 1, web: 0 },
  features: [],
  reward: null,
});
const verdict = (
  over: 'query' | 'answer',
  text: string,
  action: 'refused' | 'kept',
): AgentEvent => ({
  t: 0,
  kind: 'verdict',
  over,
  round: 1,
  mode: 'paper',
  text,
  checks: [],
  aggDiff: null,
  valid: action === 'kept',
  action,
  reason: '',
  counts: {},
  blocked: [],
});
const brought = (query: string, source: SearchTarget, ...titles: string[]): AgentEvent => ({
  ...retrieve(
    titles.map((title) => hit(passage(title, title))),
    query,
  ),
  source,
});
const searched = (query: string, source: SearchTarget, ...titles: string[]): AgentEvent[] => [
  asked(query, 1),
  routed(source),
  brought(query, source, ...titles),
];

const ended = (events: AgentEvent[], answer: string | null): Rollout => ({
  ...emptyRollout('r'),
  events: [
    ...events,
    ...(answer === null
      ? []
      : [
          {
            t: 1,
            kind: 'answer' as const,
            text: answer,
            form: 'short' as const,
            by: 'policy' as const,
          },
        ]),
    { t: 2, kind: 'stop', reason: 'answer', detail: '' },
  ],
  answer,
  metrics: metrics({ em: answer === 'Borfield' ? 1 : 0 }),
});

const sentence = (a: Rollout, b: Rollout): string | null =>
  besideSentence(besideOf(a, b), ['before', 'after']);

const inProse = (text: string, ...events: AgentEvent[]): Rollout => ({
  ...ended(events, null),
  segments: [{ ...policySegment([1], 'other'), text }],
});

describe('an answer in prose, outside the tags', () => {
  it('is said as what it is, and is not the answer within them', () => {
    expect(sentence(inProse('It is Borfield.'), ended([], 'Borfield'))).toBe(
      'Both search and find the same; before answers outside the tags: “It is Borfield.”, after answers “Borfield”, which is right by EM.',
    );
    expect(besideOf(inProse('It is Borfield.'), inProse('Mondria.')).first).toBe(0);
    expect(sentence(inProse('Mondria.'), inProse('Mondria.'))).toBe(
      'Nothing differs: the same searches, the same passages, and both answer outside the tags: “Mondria.”.',
    );
    expect(
      sentence(
        inProse('Mondria.', ...searched('who', 'web')),
        inProse('Mondria.', ...searched('where', 'web')),
      ),
    ).toMatch(/ Both answer outside the tags all the same: “Mondria\.”\.$/);
  });

  it('is not said while the rollout runs: it may be a thought', () => {
    const running = { ...inProse('Perhaps Mondria.'), events: [] };
    expect(besideOf(running, running).ends[0]).not.toHaveProperty('outside');
  });
});

describe('the rounds of a rollout', () => {
  it('hold what was asked, where, what was refused before, and which passages support the answer', () => {
    const rounds = besideRounds(
      ended(
        [
          asked('who', 1),
          verdict('query', 'who', 'refused'),
          asked('who else', 1),
          verdict('query', 'who else', 'kept'),
          routed('web'),
          brought('who else', 'web', 'Nobody', GOLD),
          verdict('answer', 'Nobody', 'refused'),
          ...searched('where', 'local', 'Borfield'),
        ],
        'Borfield',
      ),
    );
    expect(rounds).toEqual([
      {
        number: 1,
        query: 'who else',
        source: 'web',
        refused: [
          { what: 'query', text: 'who', event: 1 },
          { what: 'answer', text: 'Nobody', event: 6 },
        ],
        passages: [
          { title: 'Nobody', gold: false },
          { title: GOLD, gold: true },
        ],
        failed: false,
        event: 0,
      },
      {
        number: 2,
        query: 'where',
        source: 'local',
        refused: [],
        passages: [{ title: 'Borfield', gold: false }],
        failed: false,
        event: 7,
      },
    ]);
  });

  it('restart after a search that failed', () => {
    const failed: AgentEvent = {
      t: 0,
      kind: 'error',
      what: 'retrieval',
      message: 'search of web failed: x',
    };
    const rounds = besideRounds(
      ended([asked('a', 1), routed('web'), failed, ...searched('b', 'local', GOLD)], null),
    );
    expect(rounds.map(({ query, failed: lost }) => [query, lost])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});

describe('two rollouts beside each other', () => {
  const one = searched('who', 'local', GOLD);

  it('align by the number of the search, a background beside a background', () => {
    const background: AgentEvent = {
      t: 0,
      kind: 'background',
      mode: 'shown',
      query: 'Where?',
      hits: [hit(passage('x', 'X'))],
      relevance: { meanSimilarity: null, termOverlap: 0, supportingRecall: null },
      latencyMs: 0,
    };
    const { rows, first } = besideOf(
      ended([background, ...one], 'Borfield'),
      ended([...one, ...searched('more', 'web', 'Y')], 'Borfield'),
    );
    expect(rows.map(({ a, b, differs }) => [a?.query, b?.query, differs])).toEqual([
      ['Where?', undefined, 'missing'],
      ['who', 'who', null],
      [undefined, 'more', 'missing'],
    ]);
    expect(first).toBe(0);
  });

  it.each<[string, Rollout, Rollout, string]>([
    [
      'queries',
      ended(searched('where is he', 'local', 'X'), 'Norfield'),
      ended(one, 'Borfield'),
      'In search 1 before asks “where is he”, after asks “who”. Before answers “Norfield”, which is wrong by EM; after answers “Borfield”, which is right by EM.',
    ],
    [
      'sources',
      ended(searched('who', 'web', GOLD), 'Borfield'),
      ended(one, 'Borfield'),
      'In search 1 both ask “who”: before asks the web, after the local corpus. Both answer “Borfield” all the same, which is right by EM.',
    ],
    [
      'gold passages',
      ended(searched('who', 'local', 'X'), null),
      ended(one, 'Borfield'),
      'In search 1 both ask “who”: only after finds the supporting passage “Victor Kerlund”. Before gives no answer; after answers “Borfield”, which is right by EM.',
    ],
    [
      'refusals',
      ended([asked('who', 1), verdict('query', 'who', 'refused'), ...one], 'Borfield'),
      ended(one, 'Borfield'),
      'In search 1 before has “who” refused, after has no query refused. Both answer “Borfield” all the same, which is right by EM.',
    ],
    [
      'lengths',
      ended(one, 'Norfield'),
      ended([...one, ...searched('where', 'web', 'Y')], 'Borfield'),
      'Before stops after one search; after searches on: “where”. Before answers “Norfield”, which is wrong by EM; after answers “Borfield”, which is right by EM.',
    ],
    [
      'answers alone',
      ended(one, 'Norfield'),
      ended(one, 'Borfield'),
      'Both search and find the same; before answers “Norfield”, which is wrong by EM, after answers “Borfield”, which is right by EM.',
    ],
    [
      'nothing',
      ended(one, 'Borfield'),
      ended(one, 'the Borfield'),
      'Nothing differs: the same searches, the same passages, and both answer “Borfield”, which is right by EM.',
    ],
  ])('say what differs first: %s', (_, a, b, words) => {
    expect(sentence(a, b)).toBe(words);
  });

  it('say nothing while one of them runs', () => {
    const running = { ...emptyRollout('r'), events: one };
    expect(sentence(running, ended(one, 'Borfield'))).toBeNull();
    expect(besideOf(running, ended(searched('x', 'web', 'X'), 'y')).first).toBeNull();
  });
});
