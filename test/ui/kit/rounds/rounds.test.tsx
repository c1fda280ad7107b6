import { describe, expect, it } from 'vitest';
import type { AgentEvent, VerdictEvent } from '../../../../src/records/events.ts';
import { eventRounds } from '../../../../src/records/rounds.ts';
import { countSearches } from '../../../../src/records/searches.ts';
import { RoundCard } from '../../../../src/ui/kit/rounds/RoundCard.tsx';
import { hit, passage, retrieve, search } from '../../../fixtures/rollouts.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../render.tsx';
import {
  answer,
  background,
  candidates,
  fault,
  route,
  stop,
  think,
  verdict,
} from '../events/every-event.ts';

const { segment: _, ...judged } = verdict;
const onQuery = (action: VerdictEvent['action']): AgentEvent => ({
  ...judged,
  over: 'query',
  action,
  checks: action === 'kept' ? [] : judged.checks,
});
const found = retrieve([hit(passage('p1', 'Victor Kerlund', 'Born in Borfield.'))]);

/** Background; a search; one after a refused query; the answer. */
const WHOLE: AgentEvent[] = [
  { ...route, of: 'background' },
  background,
  { ...think, phase: 'alignment' },
  search(1, 'who was he'),
  onQuery('kept'),
  route,
  found,
  candidates,
  judged,
  think,
  search(2, 'who was he'),
  onQuery('refused'),
  think,
  search(2, 'where is Borfield'),
  onQuery('kept'),
  { ...route, choice: 'local' },
  found,
  think,
  { ...verdict, segment: 9 },
  answer,
  stop,
];

const rounds = (events: readonly AgentEvent[]): string[] =>
  eventRounds(events).map(({ kind, search: number, from, to }) =>
    [kind, number ?? '–', from, to].join(' '),
  );

describe('the rounds of a rollout', () => {
  it('hold one search each, what led to it and what came of it; refused queries make no round', () => {
    expect(rounds(WHOLE)).toEqual([
      'background – 0 3',
      'search 1 3 9',
      'search 2 9 17',
      'end – 17 21',
    ]);
    expect(countSearches(WHOLE)).toBe(2);
  });

  it('count as searches do, and hold every event once, at each moment while it is made', () => {
    for (let length = 0; length <= WHOLE.length; length++) {
      const events = WHOLE.slice(0, length);
      const made = eventRounds(events);
      expect(made.filter((round) => round.search !== null)).toHaveLength(countSearches(events));
      expect(made.flatMap(({ from, to }) => events.slice(from, to))).toEqual(events);
    }
  });

  it.each<[string, AgentEvent[], string[]]>([
    ['no search', [think, answer, stop], ['end – 0 3']],
    [
      'a search that failed',
      [search(1), route, fault, think, answer],
      ['search 1 0 3', 'end – 3 5'],
    ],
    [
      'searches without queries of its own',
      [route, found, route, found, stop],
      ['search 1 0 2', 'search 2 2 4', 'end – 4 5'],
    ],
    ['one retrieval without a route', [found, think, answer], ['search 1 0 1', 'end – 1 3']],
    [
      'only refused queries after the last search',
      [found, think, search(2), onQuery('refused'), answer],
      ['search 1 0 1', 'end – 1 5'],
    ],
    ['nothing yet', [], []],
    ['a thought so far', [think], ['open – 0 1']],
  ])('of %s', (_name, events, expected) => {
    expect(rounds(events)).toEqual(expected);
  });
});

const card = (at: number, gold: Parameters<typeof RoundCard>[0]['gold'] = null): string => {
  const round = eventRounds(WHOLE)[at];
  if (!round) throw new Error('no such round');
  return htmlOf(
    <RoundCard
      round={round}
      at={at}
      events={WHOLE}
      gold={gold}
      step={null}
      selected={null}
      chosen={false}
      onSelect={() => undefined}
      onRound={() => undefined}
    />,
  );
};

/** Its words, a space between any two parts. */
const said = (at: number): string => wordsIn(card(at).replaceAll('<', ' <'));

describe('the card of a round', () => {
  it('says in short what was thought, asked, where, what came, and what STIE said of it', () => {
    expect(said(2)).toBe(
      'Round 2 I look for him. who was he STIE a repeat, refused I look for him. where is Borfield STIE new query NLR local, 25 % Victor Kerlund',
    );
    expect(said(1)).toContain('STIE guess: (empty) and 1 more STIE a repeat, replaced by Lund');
    expect(said(3)).toMatch(/^Answer .*Lund the model answered$/);
  });

  it('names RDRA, NLR and STIE where they act', () => {
    const tags = (at: number) =>
      valuesOf(card(at), 'class').flatMap((name) => /^mechanism of-(\w+)$/.exec(name)?.[1] ?? []);
    expect(tags(0)).toEqual(['nlr', 'rdra', 'rdra']);
    expect(tags(1)).toEqual(['stie', 'nlr', 'stie', 'stie']);
    expect(tags(3)).toEqual(['stie']);
  });

  it('leads to every event in full, and marks gold only once it is given', () => {
    const html = card(1);
    expect(buttonsIn(html)).toHaveLength(7);
    expect(valuesOf(html, 'data-index')).toEqual(['3', '4', '5', '6', '7', '8']);
    expect(wordsIn(html)).not.toContain('gold');
    const gold = { id: 'q', text: 'Where?', answers: ['Borfield'], supporting: ['Victor Kerlund'] };
    expect(wordsIn(card(1, gold))).toContain('gold: Victor Kerlund');
  });
});
