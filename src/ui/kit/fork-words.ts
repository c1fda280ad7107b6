import type { ForkChange, ForkOffer } from '../../agent/fork/changes.ts';

/** Words of a fork. */

/** Labels of the buttons; options are next to them. */
export const CHANGE_NAMES: Record<ForkChange, string> = {
  source: 'Ask the other source',
  gold: 'Insert the gold passages',
  admit: 'Without this refusal',
  draw: 'Sample again',
  temperature: 'At another temperature',
  policy: 'With another adapter',
};

/** A symbol per change, for trees and lists. */
export const CHANGE_SIGNS: Record<ForkChange, string> = {
  source: '⇄',
  gold: '▤',
  admit: '⊘',
  draw: '↻',
  temperature: '≈',
  policy: '◧',
};

const SOURCES = { local: 'the local corpus', web: 'the web' } as const;

const LONGEST = 80;
const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;

/** The effect of an offer, next to its button. */
export function offerWords(change: ForkChange, offer: ForkOffer): string {
  if (!offer.possible) return `not here: ${offer.why}`;
  const what = cut(offer.what ?? '');
  switch (change) {
    case 'source':
      return offer.source ? `“${what}” goes to ${SOURCES[offer.source]}` : '';
    case 'gold':
      return what;
    case 'admit':
      return `“${what}” is allowed`;
    case 'draw':
      return 'other random numbers from here on';
    case 'temperature':
    case 'policy':
      return '';
  }
}

/** The change of a fork, after "forked at event 5: ". */
export function changeWords(
  change: ForkChange,
  {
    source,
    temperature,
    adapter,
  }: { source?: 'local' | 'web'; temperature?: number; adapter?: string },
): string {
  switch (change) {
    case 'source':
      return source ? `the search goes to ${SOURCES[source]}` : 'another source';
    case 'gold':
      return 'with the gold passages';
    case 'admit':
      return 'without the refusal';
    case 'draw':
      return 'sampled again';
    case 'temperature':
      return `temperature ${temperature ?? ''}`;
    case 'policy':
      return `with ${adapter ?? 'another adapter'}`;
  }
}
