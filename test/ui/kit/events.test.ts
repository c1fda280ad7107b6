import { MantineProvider } from '@mantine/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { EventCard } from '../../../src/ui/kit/events/EventCard.tsx';
import { firstSeen } from '../../../src/ui/kit/events/parts/support.ts';
import { ownEventsBySegment } from '../../../src/ui/rollouts/reader/views/Rounds.tsx';
import { eventsOfEveryKind } from '../../fixtures/events.ts';
import { emptyRollout, hit, passage } from '../../fixtures/rollouts.ts';

const rolloutOf = (events: AgentEvent[]): Rollout => ({ ...emptyRollout('r'), events });

const markup = (rollout: Rollout, index: number, open: boolean): string => {
  const event = rollout.events[index];
  if (!event) throw new Error(`no event ${index}`);
  const card = createElement(EventCard, {
    rollout,
    index,
    event,
    gold: null,
    firstSeen: firstSeen(rollout.events),
    open,
    ahead: false,
    current: false,
    selected: false,
    onToggle: () => undefined,
    onEvent: () => undefined,
    onPassage: () => undefined,
  });
  return renderToStaticMarkup(createElement(MantineProvider, null, card));
};

/** What a reader sees of it. */
const textOf = (html: string): string =>
  html.replaceAll(/<style[^>]*>[^<]*<\/style>|<!-- -->/g, '').replaceAll(/<[^>]+>/g, '');

/** The name and the right-hand figure of the card, then what its opened body must tell. */
const TOLD: Record<AgentEvent['kind'], { name: string; figure: string; body: string[] }> = {
  background: {
    name: 'Background',
    figure: '12 ms',
    body: ['mode shown', 'shared terms 25', '100'],
  },
  think: { name: 'Think', figure: '', body: ['equation (2)'] },
  block: { name: 'Compute', figure: '', body: ['Answered with:', 'the environment computes'] },
  aside: {
    name: 'Candidate for a step',
    figure: '7 tokens',
    body: ['Its prompt', 'in a fresh one', 'never trained'],
  },
  search: { name: 'Search', figure: 'search 1', body: ['web_search tag'] },
  route: {
    name: 'Route: web',
    figure: '',
    body: ['75', 'more likely', 'took 340 ms, 300 ms added', '1 feature played no part', '0.16'],
  },
  retrieve: {
    name: 'Passages',
    figure: '340 ms',
    body: [
      'asked of both',
      '300 ms added',
      '2 requests',
      '1 new supporting title',
      '1 passage seen before',
      '2 new entities',
      'seen in the background',
    ],
  },
  summarize: {
    name: 'Summary',
    figure: '7.0 ms',
    body: ['sent back', 'from the cache', 'second line'],
  },
  candidate: { name: 'Candidates', figure: '2 probed', body: ['(empty)', 'share of the samples'] },
  verdict: {
    name: 'STIE replaced',
    figure: '',
    body: ['differs 0.25', 'needs 0.50', 'too similar', 'blocked at 4', '3/4', 'replaced by'],
  },
  answer: { name: 'Answer', figure: 'by STIE', body: ['short answer', 'among the probed'] },
  stop: { name: 'Stop', figure: '', body: ['repeats the earlier ones'] },
  error: { name: 'Fault', figure: '', body: ['A fault of the retrieval'] },
};

const KINDS = Object.keys(TOLD) as AgentEvent['kind'][];

describe.each(KINDS)('the card of %s', (kind) => {
  const of = (text: string, open: boolean): string => {
    const events: AgentEvent[] = Object.values(eventsOfEveryKind(text));
    return markup(
      rolloutOf(events),
      events.findIndex((event) => event.kind === kind),
      open,
    );
  };
  const part = (html: string, name: string): string | undefined =>
    new RegExp(`class="${name}">([^<]*)<`).exec(html)?.[1];

  it('closed: its name, its figure, one line and no body', () => {
    const html = of('Borfield', false);
    expect(part(html, 'card-name')).toBe(TOLD[kind].name);
    expect(part(html, 'card-meta')).toBe(TOLD[kind].figure);
    expect(part(html, 'card-text')).not.toBe('');
    expect(html).not.toContain('class="body"');
  });

  it('opened: what happened, in full', () => {
    const html = of('Borfield', true);
    const body = textOf(html.slice(html.indexOf('class="body"')));
    for (const fact of TOLD[kind].body) expect(body).toContain(fact);
  });

  it.each([
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)",
  ])('shows %s as text', (hostile) => {
    for (const open of [false, true]) {
      const html = of(hostile, open);
      expect(html).not.toMatch(/<(img|script)/);
      // Within a tag, what looks like a handler is in quotes or not at all.
      const bare = html.replaceAll(/"[^"]*"/g, '""');
      expect(bare).not.toMatch(/<[^>]* on\w+=/);
    }
    const shown = hostile
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#x27;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    expect(textOf(of(hostile, true))).toContain(shown);
  });
});

it('makes no link of an address that is not one of the web', () => {
  const cardOf = (url: string): string =>
    markup(
      rolloutOf([
        { ...eventsOfEveryKind('x').retrieve, hits: [hit({ ...passage('p', 'T', 's'), url })] },
      ]),
      0,
      true,
    );
  expect(cardOf('javascript:alert(1)')).not.toContain('<a');
  expect(cardOf('https://a.example/b')).toContain('href="https://a.example/b"');
});

it('says a text once: the line of a card gives way to its body', () => {
  const { think, answer } = eventsOfEveryKind('Borfield');
  const rollout = rolloutOf([think, answer]);
  for (const index of [0, 1])
    expect(textOf(markup(rollout, index, true)).match(/Borfield/g)).toHaveLength(1);
});

it('sets beside the text of a rollout what that text does not tell', () => {
  const events: AgentEvent[] = Object.values(eventsOfEveryKind('x'));
  const beside = [...ownEventsBySegment(events).values()].flat();
  const told = events.filter((_, index) => !beside.includes(index)).map(({ kind }) => kind);
  expect(told).toEqual(['think', 'block', 'search', 'answer']);
});
