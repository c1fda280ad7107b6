import type { Passage } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { missingTitles } from './changes.ts';
import { ForkError, type Fork } from './past.ts';

/** A title finds its passage among this many. */
const DEPTH = 10;

/**
 * Supporting passages that the kept part of a rollout has not retrieved, as the sources give them by title.
 * @throws ForkError where none is missing there that the sources hold
 */
export async function missingGold(
  retriever: Retriever,
  { of, event }: Pick<Fork, 'event'> & { of: Pick<Rollout, 'events' | 'question'> },
): Promise<Passage[]> {
  const found = await Promise.all(
    missingTitles(of, event).map(async (title) => {
      const { hits } = await retriever.search('both', title, DEPTH);
      return hits.find(({ passage }) => passage.title === title)?.passage;
    }),
  );
  const passages = found.filter((passage) => passage !== undefined);
  if (passages.length === 0)
    throw new ForkError(
      'No supporting passage is missing at this event, or the sources do not have it.',
    );
  return passages;
}
