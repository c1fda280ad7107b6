import { itemAt } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import { remasked, type Trained } from '../mask.ts';
import type { Grouping } from './grouping.ts';

/** How tokens that several rollouts of a group share count in the loss. */

/** One rollout as it is trained. */
export interface Shared {
  rollout: Pick<Rollout, 'id' | 'forks' | 'reward' | 'advantage'>;
  group: number;
  /** 1 where the loss may train a token; one for each of the context. */
  mask: Uint8Array;
}

/** What each trained token of a rollout counts for; `null`: it is left out of the loss. */
export type Credit = (number | null)[];

/** The rollout that token `at` of a context was written in. */
export const ownerAt = ({ id, forks = [] }: Shared['rollout'], at: number): string =>
  forks.find(({ tokens }) => at < tokens)?.rolloutId ?? id;

/** Places in the context of the trained tokens. */
export const placesOf = (mask: Uint8Array): number[] =>
  Array.from(mask, (bit, i) => (bit === 1 && i > 0 ? i : 0)).filter(Boolean);

type Sequence = Shared & Trained;

/** One value a sequence: of the whole, or one a trained token. */
interface Weighed<S extends Sequence> {
  sequences: readonly S[];
  advantages: readonly (number | Float32Array)[];
  references: readonly Float32Array[] | null;
}

/** What is trained, where rollouts share tokens: those that the credit leaves out are masked. */
export function creditShared<S extends Sequence>(
  weighed: Weighed<S>,
  grouping: Pick<Grouping, 'credit'> | undefined,
): Weighed<S> {
  const { sequences, advantages, references } = weighed;
  const credits = grouping?.credit?.(sequences, advantages);
  if (!credits) return weighed;
  const kept = credits.map((own) => own.flatMap((value, i) => (value === null ? [] : [i])));
  const only = (values: Float32Array, s: number): Float32Array =>
    Float32Array.from(itemAt(kept, s), (i) => itemAt(values, i));
  const own = credits.map((credit) => Float32Array.from(credit.filter((value) => value !== null)));
  return {
    sequences: sequences.map((sequence, s) => {
      const mask = sequence.mask.slice();
      let trained = 0;
      for (let i = 1; i < mask.length; i++)
        if (mask[i] === 1 && itemAt(credits, s)[trained++] === null) mask[i] = 0;
      return remasked(sequence, mask);
    }),
    advantages: own,
    references: references && references.map((values, s) => only(values, s)),
  };
}
