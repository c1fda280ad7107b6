import type { PartShare } from '../../contract/progress.ts';

/** Often enough for an eye, seldom enough for the one who draws it. */
const EVERY_MS = 150;
/** Before, the pace says little. */
const SETTLED_MS = 1500;

const figures = new Intl.NumberFormat('en');

/**
 * Turns counts of passages into progress lines: how far a stage is, and how long it takes at the pace so far.
 * @param report at most every 150 ms, and where a stage begins or ends
 * @returns to be called with the passages that are done; a total of 0 is not known
 */
export function createPace(
  report: (stage: string, progress: PartShare) => void,
  now: () => number = () => performance.now(),
): (stage: string, done: number, total: number) => void {
  let current = '';
  let [begun, first, reportedAt] = [0, 0, -Infinity];
  return (stage, done, total) => {
    const at = now();
    if (stage !== current) [current, begun, first, reportedAt] = [stage, at, done, -Infinity];
    if (at - reportedAt < EVERY_MS && done !== total) return;
    reportedAt = at;
    const elapsed = at - begun;
    const known = total > 0 && elapsed > SETTLED_MS && done > first;
    const words =
      total > 0
        ? `${stage}, ${figures.format(done)} of ${figures.format(total)}`
        : `${stage}, ${figures.format(done)}`;
    report(words, {
      share: total > 0 ? done / total : 0,
      ...(known && { leftMs: (elapsed * (total - done)) / (done - first) }),
    });
  };
}
