import type { LoopHooks } from '../../agent/hooks.ts';
import { likest } from '../../agent/answers/evidence.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

/**
 * What is read of the memory of a manager that only adds: every sentence that was found is a fact of it, the first `cap` of them,
 * and the `read` ones most like the query are remembered.
 */
export function remembered(
  query: string,
  hits: readonly Hit[],
  { cap, read }: NonNullable<Params['memories']>,
): Hit[] {
  const facts = hits.flatMap((hit) =>
    hit.passage.sentences.map((text, i) => ({
      hit,
      fact: { ...hit.passage, id: `${hit.passage.id}.${i}`, text, sentences: [text] },
    })),
  );
  const held = facts.slice(0, cap);
  const chosen = likest(
    query,
    held.map(({ fact }) => fact),
    read,
  );
  return chosen.flatMap((passage) =>
    held.flatMap(({ hit, fact }) => (fact === passage ? [{ ...hit, passage }] : [])),
  );
}

export const hooks = ({ memories }: Params): LoopHooks => ({
  ...(memories && {
    changeHits: (_, { hits }, query) => Promise.resolve(remembered(query, hits, memories)),
  }),
});
