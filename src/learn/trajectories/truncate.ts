import { sum } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { StoredSegment } from '../../formats/trajectories/shape.ts';
import { renderBoxed } from '../../records/protocol.ts';
import { exactMatch } from '../../agent/answers/scores.ts';
import { segmentsOf } from './segments.ts';

/**
 * DTO, "don't think longer, think wisely" (arXiv 2505.21765): what a policy would answer is estimated at every boundary
 * of its reasoning; the trajectory is cut at the first where it would be right with a share of at least α, and the cut
 * one is preferred to the whole one. Here a boundary is the end of a search's result, and the estimate is over the
 * answers that STIE sampled there. The paper's pruning by a judge is left out.
 */

/** Place of the first share that is at least α; null without one. */
export function firstBoundary(shares: readonly number[], alpha: number): number | null {
  const at = shares.findIndex((share) => share >= alpha);
  return at < 0 ? null : at;
}

interface Boundary {
  /** Segments before it. */
  segments: number;
  /** Share of the answers sampled there that are right. */
  share: number;
  /** The likeliest right one. */
  answer: string | null;
}

/** The boundaries at which answers were sampled, in order. */
function boundariesOf({ events, question }: Rollout): Boundary[] {
  let result = -1;
  return events.flatMap((event) => {
    if (event.kind === 'retrieve') result = event.segment ?? result;
    if (event.kind !== 'candidate' || result < 0) return [];
    const right = event.candidates.filter(({ text }) => exactMatch(text, question.answers) === 1);
    const of = (list: typeof right): number => sum(list.map(({ samples = 1 }) => samples));
    const share = of(right) / Math.max(1, of(event.candidates));
    return [{ segments: result + 1, share, answer: right[0]?.text ?? null }];
  });
}

/**
 * The rollout as far as the first boundary at which its answer would be right, with that answer; null where there is
 * none, or nothing is left out by it.
 */
export function truncated(rollout: Rollout, alpha: number): StoredSegment[] | null {
  const boundaries = boundariesOf(rollout);
  const at = firstBoundary(
    boundaries.map(({ share }) => share),
    alpha,
  );
  const boundary = at === null ? undefined : boundaries[at];
  const whole = segmentsOf(rollout);
  if (!boundary || boundary.answer === null || at === null) return null;
  // After the last boundary it answers anyhow.
  if (at === boundaries.length - 1) return null;
  return [
    ...whole.slice(0, boundary.segments),
    // As the policy spells it: a space before the tag is a token that it never writes there.
    { by: 'policy', text: `<short_answer>${renderBoxed(boundary.answer)}</short_answer>` },
  ];
}
