import { itemAt } from '../../base/items.ts';
import { roundsOf } from '../../formats/rollouts/rounds.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { searchNumbers } from '../../records/searches.ts';
import type { SearchTarget } from '../../records/hits.ts';

/** What a rollout looked up: from its events where it has them, else from its text. */

export interface LookupPassage {
  /** Null where the file gives texts without ids. */
  id: string | null;
  title: string;
  text: string;
}

export interface Lookup {
  /** As searches are counted (`searches.ts`); 0: the background, null: it was refused. */
  number: number | null;
  query: string;
  /** Null where the file does not say. */
  source: SearchTarget | null;
  /** It came with the question; nobody asked for it. */
  background: boolean;
  passages: LookupPassage[];
  /** Segment of the result, to go to; null where there is none. */
  segment: number | null;
  /** It was refused (STIE), so that nothing was searched. */
  refused: boolean;
}

type Searched = Pick<ImportedRollout, 'segments' | 'origin' | 'events'>;

function ofEvents(events: NonNullable<ImportedRollout['events']>): Lookup[] {
  const looks: Lookup[] = [];
  const numbers = searchNumbers(events);
  for (const [index, event] of events.entries()) {
    const number = numbers[index] ?? null;
    const segment = event.segment ?? null;
    if (event.kind === 'background' || event.kind === 'retrieve') {
      const background = event.kind === 'background';
      const passages = event.hits.map(({ passage: { id, title, text } }) => ({ id, title, text }));
      const source = event.kind === 'retrieve' ? event.source : null;
      looks.push({
        number: background ? 0 : number,
        query: event.query,
        source,
        background,
        passages,
        segment,
        refused: false,
      });
    }
    if (event.kind === 'verdict' && event.over === 'query' && event.action === 'refused')
      looks.push({
        number: null,
        query: event.text,
        source: null,
        background: false,
        passages: [],
        segment,
        refused: true,
      });
  }
  return looks;
}

const ofText = (rollout: Searched): Lookup[] => {
  let count = 0;
  return roundsOf(rollout).flatMap(({ query, passages, segments }): Lookup[] => {
    if (!query && passages.length === 0) return [];
    const background =
      !query &&
      segments.some((index) => itemAt(rollout.segments, index, 'segments').role === 'background');
    return [
      {
        number: background ? 0 : (count += 1),
        query: query?.text ?? '',
        source: null,
        background,
        passages: passages.map(({ title, text }) => ({ id: null, title, text })),
        segment: passages[0]?.segment ?? query?.segment ?? null,
        refused: false,
      },
    ];
  });
};

export const lookupsOf = (rollout: Searched): Lookup[] =>
  rollout.events && rollout.events.length > 0 ? ofEvents(rollout.events) : ofText(rollout);
