import type { StoredSegment } from '../../formats/trajectories/shape.ts';
import type { Rollout } from '../../records/rollout.ts';

/**
 * The segments of a recorded rollout, ids and text. What the policy sampled is learned; words that a loop put into its
 * mouth, such as a hint that opens a thought, where `words` says so.
 * @throws Error where the rollout has no tokens of a model, or several contexts
 */
export const segmentsOf = (
  { id, segments, contexts }: Pick<Rollout, 'id' | 'segments' | 'contexts'>,
  words = false,
): StoredSegment[] => {
  if (contexts)
    throw new Error(
      `rollout ${id}: its context was reset after a search, and a stored trajectory is one context`,
    );
  return segments.map(({ source, ids, tokens, text, mask }) => {
    if (tokens) throw new Error(`rollout ${id}: its ids are pieces of text, not tokens of a model`);
    const own = source === 'policy';
    const trained = own && (mask === 1 || words);
    return { by: source, ids, text, ...(own && !trained && { trained }) };
  });
};
