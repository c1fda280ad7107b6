/**
 * DAPO's soft overlong punishment (2503.14476, equation 13), added to the reward:
 * `min(−(length − (max − buffer)) / buffer · factor, 0)`; at most `−factor` is taken at `max`, more
 * beyond it.
 * @param length policy tokens of the rollout
 */
export function overlongPenalty(
  length: number,
  { max, buffer, factor }: { max: number; buffer: number; factor: number },
): number {
  return Math.min((-(length - (max - buffer)) / buffer) * factor, 0);
}
