import type { TrlArguments } from './trl.ts';

/** How many processes, a GPU each, a folder proposes for one machine: a number that its trainer takes. */

/** GPUs of a machine as most have them. */
const GPUS = 8;

/** The largest power of two that is accepted, else the largest number; one where none is. */
function proposed(accepts: (processes: number) => boolean): number {
  const numbers = Array.from({ length: GPUS }, (_, i) => GPUS - i);
  const even = numbers.filter((n) => n > 1 && Number.isInteger(Math.log2(n)));
  return [...even, ...numbers].find(accepts) ?? 1;
}

/** As `layout` of `src/handover/files/trl/train.py` takes them. */
export const trlProcesses = ({
  rollouts,
  updates,
  micro,
  exactly,
}: TrlArguments['batch']): number =>
  proposed((n) => {
    const own = rollouts / (updates * n);
    return Number.isInteger(own) && (!exactly || own % micro === 0);
  });

/** verl's workers share the rollouts of an update out evenly, and end where that leaves some. */
export const verlProcesses = (rolloutsOfUpdate: number): number =>
  proposed((n) => rolloutsOfUpdate % n === 0);
