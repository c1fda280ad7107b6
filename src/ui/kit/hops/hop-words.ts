import {
  HOP_NAMES,
  type Hop,
  type HopMap,
  type HopState,
} from '../../../evaluate/rollouts/hops.ts';
import { asksWords, relationWords } from '../words/step-words.ts';

/** Texts of the hop map. */

/** A symbol per state, so that meaning does not depend on colour. */
export const HOP_SIGNS: Record<HopState, string> = {
  read: '✓',
  arrived: '●',
  misread: '✗',
  'not-found': '○',
  'wrong-source': '⇄',
  'not-searched': '∅',
};

/** Whether the passage was retrieved and not visibly misread. */
export const isFound = (state: HopState): boolean => state === 'read' || state === 'arrived';

const SOURCES = { local: 'local corpus', web: 'web', both: 'both sources' } as const;

/** When the passage was found, or how often it was searched. */
export const whenWords = ({ look, asked, state, source, refused }: Hop): string => {
  if (look === 0) return 'in the background';
  if (look !== null) return `search ${look}`;
  if (refused) return 'the query was refused';
  if (state === 'wrong-source' && source) return `it is in the ${SOURCES[source]}`;
  if (asked.length > 0)
    return asked.length === 1 ? `search ${asked[0]}` : `searches ${asked.join(', ')}`;
  return 'no query named it';
};

/** A hop in one sentence, for screen readers. */
export const hopLabel = (hop: Hop, at: number): string =>
  [
    `hop ${at + 1}`,
    hop.subject || hop.query ? `${asksWords(hop)}: ${hop.object}` : hop.title,
    HOP_NAMES[hop.state],
    whenWords(hop),
    ...(hop.instead === null ? [] : [`used ${hop.instead} instead`]),
  ].join(', ');

/** What the map says of itself. */
export const mapNote = (map: HopMap): string | null => {
  if (map.kind === 'none') return `No hop map: ${map.why}.`;
  if (map.kind === 'titles')
    return 'The record has supporting titles but no gold chain, so their order and the facts in them are unknown.';
  return map.missing
    ? `No corpus states the ${relationWords(map.missing.relation)} of ${map.missing.subject}: the right answer is to say so.`
    : null;
};

/** The state of a hop, in the legend. */
export const stateName = (state: HopState): string => HOP_NAMES[state];
