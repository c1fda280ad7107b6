/** Between a policy that always keeps a habit and one that never does: the adapter on the line between the two that keeps it now and then. */

export interface HabitShare {
  /** 0: the adapter that keeps it too often; 1: the one that keeps it too seldom. */
  at: number;
  kept: number;
  of: number;
}

export interface Wanted {
  /** Least and greatest share of rollouts that may keep it. */
  least: number;
  most: number;
  /** Adapters that are measured at most. */
  tries: number;
}

/**
 * Halves the line until the share of rollouts that keep the habit is as wanted, since it can fall from all to none
 * within two updates: what is never sampled earns nothing, so none is of no use to reinforcement learning.
 * @param measure the share at a place of the line
 * @param end what was measured at 1; it is the answer where it keeps the habit often enough
 * @returns the place whose share is as wanted; where no try met it, of those that keep it at all the one that
 * keeps it least; `end` where none does
 */
export async function habitNowAndThen(
  measure: (at: number) => Promise<Pick<HabitShare, 'kept' | 'of'>>,
  end: HabitShare,
  { least, most, tries }: Wanted,
): Promise<HabitShare> {
  const share = ({ kept, of }: HabitShare): number => kept / of;
  if (share(end) >= least) return end;
  let best = end;
  let [often, seldom] = [0, end.at];
  for (let i = 0; i < tries; i++) {
    const at = (often + seldom) / 2;
    const here = { at, ...(await measure(at)) };
    if (share(here) >= least && share(here) <= most) return here;
    if (share(here) > most) often = at;
    else seldom = at;
    if (here.kept > 0 && (best.kept === 0 || share(here) < share(best))) best = here;
  }
  return best;
}

/** The adapter at a place of the line from `often` to `seldom`. */
export const between = (often: Float32Array, seldom: Float32Array, at: number): Float32Array =>
  often.map((value, i) => value + at * ((seldom[i] ?? value) - value));
