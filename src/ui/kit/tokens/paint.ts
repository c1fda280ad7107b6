import type { Rollout, Segment } from '../../../records/rollout.ts';
import { writerOf } from './layout.ts';
import type { CellPaint } from './paint-cells.ts';

/** What token colours show: the writer, or the advantage. */
export type ColourMode = { by: 'writer' } | { by: 'advantage'; advantage: number; largest: number };

/** One shared object, so that memoised components do not re-render. */
export const BY_WRITER: ColourMode = { by: 'writer' };

/** Height of a policy token: its probability; read tokens have full height. */
const heightOf = (logprob: number | undefined): number =>
  logprob === undefined ? 1 : 0.3 + 0.7 * Math.exp(logprob);

/** How the tokens of a segment are drawn; heights are per token. */
type SegmentPaint = Omit<CellPaint, 'height'>;

/**
 * By advantage: tokens that become more probable stand, those that become less probable hang; the
 * colour strength is relative to the largest |advantage| of the group. Tokens outside the loss are
 * pale grey.
 */
export const paintOf = (
  segment: Pick<Segment, 'source' | 'role' | 'mask'>,
  mode: ColourMode,
): SegmentPaint => {
  const hatched = segment.mask === 0;
  if (mode.by === 'writer')
    return { colour: writerOf(segment), strength: 1, hangs: false, hatched };
  const { advantage, largest } = mode;
  if (hatched || advantage === 0)
    return { colour: 'idle', strength: hatched ? 0.55 : 1, hangs: false, hatched };
  const share = largest > 0 ? Math.min(1, Math.abs(advantage) / largest) : 1;
  return {
    colour: advantage > 0 ? 'gain' : 'loss',
    strength: 0.35 + 0.65 * share,
    hangs: advantage < 0,
    hatched,
  };
};

/** Opacity of cells after the playback position. */
const AHEAD = 0.22;

/**
 * The cells of a rollout in context order: colour = writer (or advantage), height = probability,
 * hatching = outside the loss.
 * @param until later tokens have not happened yet and are pale
 */
export function* cellsOf(
  { segments }: Pick<Rollout, 'segments'>,
  mode: ColourMode,
  until: number,
): Generator<CellPaint, void, void> {
  let position = 0;
  for (const segment of segments) {
    const paint = paintOf(segment, mode);
    for (let token = 0; token < segment.ids.length; token++, position++)
      yield {
        ...paint,
        strength: paint.strength * (position < until ? 1 : AHEAD),
        height: heightOf(segment.logprobs?.[token]),
      };
  }
}
