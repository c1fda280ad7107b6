/** Finds the adapter between one that always shows a behaviour and one that never does, at which some rollouts show it. */

export interface HabitShare {
  /** Interpolation weight. 0: the adapter that shows the behaviour too often; 1: the one that shows it too rarely. */
  scale: number;
  /** Rollouts that show it, of this many. */
  kept: number;
  of: number;
}

export interface TargetShare {
  /** Smallest and largest share of rollouts that may show it. */
  least: number;
  most: number;
  /** Largest number of adapters to measure. */
  tries: number;
}

/**
 * Bisects the interpolation weight until the share of rollouts with the behaviour is in range. Supervision can take
 * the share from all to none within two updates, and a behaviour that is never sampled gets no reward.
 * @param measure the share at an interpolation weight
 * @param end what was measured at weight 1; returned when it shows the behaviour often enough
 * @returns a share in range; if no try reached it, the lowest share above 0; `end` if all were 0
 */
export async function bisectAdapterScale(
  measure: (scale: number) => Promise<Pick<HabitShare, 'kept' | 'of'>>,
  end: HabitShare,
  { least, most, tries }: TargetShare,
): Promise<HabitShare> {
  const share = ({ kept, of }: HabitShare): number => kept / of;
  if (share(end) >= least) return end;
  let best = end;
  let [often, seldom] = [0, end.scale];
  for (let i = 0; i < tries; i++) {
    const scale = (often + seldom) / 2;
    const here = { scale, ...(await measure(scale)) };
    if (share(here) >= least && share(here) <= most) return here;
    if (share(here) > most) often = scale;
    else seldom = scale;
    if (here.kept > 0 && (best.kept === 0 || share(here) < share(best))) best = here;
  }
  return best;
}

/** Linear interpolation from `often` (0) to `seldom` (1). */
export const interpolateAdapters = (
  often: Float32Array,
  seldom: Float32Array,
  scale: number,
): Float32Array => often.map((value, i) => value + scale * ((seldom[i] ?? value) - value));
