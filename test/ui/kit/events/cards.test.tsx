import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/records/events.ts';
import { EventCard, type EventCardProps } from '../../../../src/ui/kit/events/EventCard.tsx';
import { cardOf, eventLine, glyphOf } from '../../../../src/ui/kit/events/cards.ts';
import { emptyRollout, retrieve, search } from '../../../fixtures/rollouts.ts';
import { buttonsIn, htmlOf, valuesOf, wordsIn } from '../render.tsx';
import {
  answer,
  background,
  candidates,
  EVERY,
  fault,
  route,
  stop,
  summary,
  think,
  verdict,
} from './every-event.ts';

const card = (event: AgentEvent, rest: Partial<EventCardProps> = {}): string =>
  htmlOf(
    <EventCard
      rollout={{ ...emptyRollout('r'), events: [event] }}
      index={0}
      event={event}
      gold={null}
      firstSeen={new Map()}
      open={false}
      ahead={false}
      current={false}
      selected={false}
      onToggle={() => undefined}
      onEvent={() => undefined}
      onPassage={() => undefined}
      {...rest}
    />,
  );

describe('the closed card of an event', () => {
  it.each<[AgentEvent, string, string, string]>([
    [background, 'Background', 'Victor Kerlund', '4.2 ms'],
    [{ ...background, hits: [] }, 'Background', 'nothing found', '4.2 ms'],
    [think, 'Think', 'I look for him.', ''],
    [{ ...think, text: ' \n' }, 'Think', 'wrote nothing', ''],
    [search(3, 'who was he'), 'Search', 'who was he', 'not searched'],
    [search(1, ' '), 'Search', 'empty query', 'not searched'],
    [route, 'Route: web', 'web, 75.0 % · router', ''],
    [
      { ...route, routing: 'argmax' },
      'Route: web',
      'web, 75.0 % · router, the more likely source',
      '',
    ],
    [{ ...route, by: 'fixed', choice: 'local' }, 'Route: local', 'local · fixed, not sampled', ''],
    [{ ...route, by: 'policy-tag' }, 'Route: web', 'web · model’s tag', ''],
    [
      { ...route, by: 'fixed', choice: 'both' },
      'Route: both',
      'both sources · fixed, not sampled',
      '',
    ],
    [retrieve([]), 'Passages', 'nothing found', '3.0 ms'],
    [summary, 'Summary', 'Born in Borfield.', '1.50 s'],
    [
      { ...summary, fallback: true, reason: 'asks for reasoning' },
      'Summary',
      'sent back: asks for reasoning',
      '1.50 s',
    ],
    [candidates, 'Candidates', 'Borfield · (empty)', '2 probed'],
    [{ ...candidates, candidates: [] }, 'Candidates', 'none', '0 probed'],
    [verdict, 'STIE replaced', 'answer Borfield → Lund: too near the last answer', ''],
    [
      { ...verdict, action: 'kept' },
      'STIE kept',
      'answer Borfield → Lund: too near the last answer',
      '',
    ],
    [
      { ...verdict, action: 'kept-invalid' },
      'STIE objects',
      'answer Borfield → Lund: too near the last answer',
      '',
    ],
    [answer, 'Answer', 'Lund', 'by STIE'],
    [{ ...answer, text: '', by: 'forced' }, 'Answer', '(empty)', 'at a limit'],
    [{ ...answer, by: 'policy' }, 'Answer', 'Lund', ''],
    [stop, 'Stop', 'the model answered', ''],
    [fault, 'Fault', 'no answer', ''],
  ])('%# says what happened in one line', (event, name, line, meta) => {
    const html = card(event);
    const [button] = buttonsIn(html);
    // The summary's own line ends are blanks in a line.
    expect(button?.name.replaceAll('⌕', '')).toContain(`${name}${line}${meta}`);
    expect(eventLine(event).replaceAll(/\s+/g, ' ')).toBe(line);
    expect(
      cardOf(event).figure?.(event, {
        rollout: { ...emptyRollout('r'), events: [event] },
        index: 0,
      }) ?? '',
    ).toBe(meta);
    expect(valuesOf(html, 'aria-expanded')).toEqual(['false']);
    expect(valuesOf(html, 'data-kind')).toEqual([event.kind]);
  });

  it('has a sign of its own for every kind, hidden from those who hear the name', () => {
    const signs = EVERY.map((event) => glyphOf(event).sign);
    expect(new Set(signs).size).toBe(signs.length);
    for (const event of EVERY) expect(card(event)).toMatch(/class="glyph[^"]*" aria-hidden="true"/);
  });

  it('shows the playback position, and later events as pending', () => {
    const classes = (rest: Partial<EventCardProps>) => valuesOf(card(stop, rest), 'class')[0];
    expect(classes({ ahead: true })).toContain('ahead');
    expect(classes({ selected: true })).toContain('selected');
    expect(classes({})).not.toMatch(/ahead|current|selected|open/);
    expect(valuesOf(card(stop, { current: true }), 'aria-current')).toEqual(['step']);
    expect(valuesOf(card(stop), 'aria-current')).toEqual([]);
  });

  it('does not repeat its body when it is open', () => {
    const closed = wordsIn(card(think));
    const open = wordsIn(card(think, { open: true }));
    expect(closed.match(/I look for him/g)).toHaveLength(1);
    expect(open.match(/I look for him/g)).toHaveLength(1);
    expect(wordsIn(card(stop, { open: true }))).toContain('the model answered Stopped because');
  });
});

describe('why a rollout ended', () => {
  it.each([
    ['answer', 'the model answered'],
    ['end-of-text', 'the model ended its text'],
    ['stie-overlap', 'STIE: overlap with earlier answers or queries'],
    ['stie-confidence', 'STIE: confidence at its ceiling'],
    ['stie-no-new-information', 'STIE: too little new information'],
    ['max-searches', 'no searches left'],
    ['token-budget', 'token budget spent'],
    ['context-full', 'context full'],
    ['malformed', 'the output broke the format'],
    ['cancelled', 'cancelled'],
    ['error', 'an error'],
  ] as const)('%s is said in words', (reason, words) => {
    expect(eventLine({ ...stop, reason })).toBe(words);
  });

  it.each([
    ['overlap-above', 'STIE: the answer repeats the earlier ones'],
    ['overlap-below', 'STIE as printed: little overlap with the earlier answers'],
    ['confidence', 'STIE: confidence at its ceiling'],
    ['new-information', 'STIE: too little new information'],
    ['repeated-queries', 'STIE: the queries repeat themselves'],
  ] as const)('%s, the very rule, comes before the reason', (rule, words) => {
    const clause = { rule, value: 0.9, threshold: 0.8 };
    expect(eventLine({ ...stop, reason: 'stie-overlap', clause })).toBe(words);
  });
});

describe('text that was retrieved or written', () => {
  const EVIL = '<img src=x onerror="alert(1)"> & \'q\'';
  const hostile: AgentEvent[] = [
    { ...think, text: EVIL },
    search(1, EVIL),
    retrieve([
      {
        passage: {
          id: EVIL,
          title: EVIL,
          text: EVIL,
          sentences: [EVIL],
          url: 'javascript:alert(1)',
        },
        score: 1,
        source: 'web',
      },
    ]),
    { ...summary, text: EVIL, reason: EVIL, query: EVIL, by: EVIL, fallback: true },
    {
      ...candidates,
      candidates: [{ text: EVIL, canonical: EVIL, confidence: -1, count: 1, blocked: true }],
    },
    {
      ...verdict,
      text: EVIL,
      replacement: EVIL,
      reason: EVIL,
      counts: { [EVIL]: 9 },
      blocked: [EVIL],
    },
    { ...answer, text: EVIL },
    { ...stop, detail: EVIL },
    { ...fault, message: EVIL },
  ];

  it.each(hostile)('$kind is shown as it is, never as markup', (event) => {
    for (const open of [false, true]) {
      const html = card(event, { open });
      expect(html).not.toMatch(/<img|onerror="/);
    }
    expect(wordsIn(card(event, { open: true }))).toContain(EVIL);
  });

  it('becomes a link only where it is an address of the web', () => {
    const withUrl = (url: string) =>
      card(
        retrieve([
          {
            passage: { id: 'p', title: 'T', text: '', sentences: [], url },
            score: 1,
            source: 'web',
          },
        ]),
        { open: true },
      );
    expect(withUrl('https://wiki.example/T')).toContain(
      'href="https://wiki.example/T" target="_blank" rel="noopener noreferrer"',
    );
    for (const url of ['javascript:alert(1)', 'data:text/html,x', ' https://x', '//x'])
      expect(withUrl(url)).not.toContain('href=');
  });
});
