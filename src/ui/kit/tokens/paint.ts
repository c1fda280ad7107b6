import type { Rollout, Segment } from '../../../records/rollout.ts';
import { writerOf } from './layout.ts';
import type { CellPaint } from './paint-cells.ts';

/** What the colour of a token tells: who wrote it, or what the update does with it. */
export type ColourMode = { by: 'writer' } | { by: 'advantage'; advantage: number; largest: number };

/** One object for all, so that components that compare it are not drawn again. */
export const BY_WRITER: ColourMode = { by: 'writer' };

/** Height of a policy token: how probable it was; full height for what was only read. */
const heightOf = (logprob: number | undefined): number =>
  logprob === undefined ? 1 : 0.3 + 0.7 * Math.exp(logprob);

/** How the tokens of one segment are drawn; their heights are each token's own. */
type SegmentPaint = Omit<CellPaint, 'height'>;

/**
 * By advantage: tokens that the update makes more probable stand, those that it makes less probable
 * hang; the stronger the colour, the larger the advantage beside the largest of the group. What the
 * loss leaves out is a pale grey.
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

/** How much of its strength a cell keeps that playback has not come to. */
const AHEAD = 0.22;

/**
 * The cells of a rollout in the order of its context: colour tells who wrote a token (or its advantage),
 * height how probable it was, a hatch that the loss leaves it out.
 * @param until tokens from here on have not happened yet and are pale
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
