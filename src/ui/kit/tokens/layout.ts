import type { Rollout, Segment } from '../../../records/rollout.ts';
import { SMALL_CELLS } from './paint-cells.ts';

/** One token of a rollout with everything that is known about it. */
export interface TokenFacts {
  segment: number;
  /** Index within the segment. */
  token: number;
  id: number;
  /** The record's own text of it, where ids are pieces of text; else the policy's tokenizer knows. */
  text: string | null;
  /** null where the policy did not write the token, or gave none. */
  logprob: number | null;
  entropy: number | null;
  writer: Writer;
  role: Segment['role'];
  mask: 0 | 1;
}

/** Who wrote a token, as the colour code has it; a hint is the environment's, shown apart. */
export type Writer = 'prompt' | 'policy' | 'environment' | 'hint';

/** In the order of the legend. */
export const WRITERS: readonly Writer[] = ['prompt', 'policy', 'environment', 'hint'];

/** A hint is of the environment too, but it is a fixed instruction and no result: it has a colour of its own. */
export const writerOf = (segment: Pick<Segment, 'source' | 'role'>): Writer =>
  segment.role === 'hint' ? 'hint' : segment.source;

/** Tokens of all writers; pieces of text where the record has no tokens. */
export const countTokens = (rollout: Pick<Rollout, 'segments'>): number =>
  rollout.segments.reduce((sum, segment) => sum + segment.ids.length, 0);

/** The token at `position` of the whole context; null beyond its end. */
export const tokenAt = (
  rollout: Pick<Rollout, 'segments'>,
  position: number,
): TokenFacts | null => {
  let rest = position;
  for (const [index, segment] of rollout.segments.entries()) {
    const id = segment.ids[rest];
    if (rest < segment.ids.length && id !== undefined) {
      return {
        segment: index,
        token: rest,
        id,
        text: segment.tokens?.[rest] ?? null,
        logprob: segment.logprobs?.[rest] ?? null,
        entropy: segment.entropies?.[rest] ?? null,
        writer: writerOf(segment),
        role: segment.role,
        mask: segment.mask,
      };
    }
    rest -= segment.ids.length;
  }
  return null;
};

/** The number of tokens that existed when event `step` happened: its segments and all before. */
export const tokensUpTo = (rollout: Pick<Rollout, 'segments' | 'events'>, step: number): number => {
  let last = -1;
  for (const event of rollout.events.slice(0, step + 1)) last = Math.max(last, event.segment ?? -1);
  return rollout.segments.slice(0, last + 1).reduce((sum, segment) => sum + segment.ids.length, 0);
};

/** The strip at a width, CSS pixels. */
export interface StripGrid {
  columns: number;
  rows: number;
  cell: number;
  rowHeight: number;
}

/** Cells of a fixed size, as many a row as fit in `width` CSS pixels. */
export const stripGrid = (count: number, width: number): StripGrid => {
  const { width: cell, row: rowHeight } = SMALL_CELLS;
  const columns = Math.max(1, Math.floor(width / cell));
  return { columns, rows: Math.max(1, Math.ceil(count / columns)), cell, rowHeight };
};

/** Index of the token at a point of the strip, CSS pixels; null beside and after them. */
export const cellAt = (grid: StripGrid, x: number, y: number, count: number): number | null => {
  const column = Math.floor(x / grid.cell);
  const row = Math.floor(y / grid.rowHeight);
  if (column < 0 || row < 0 || column >= grid.columns) return null;
  const position = row * grid.columns + column;
  return position < count ? position : null;
};

/**
 * The token that a key moves to from `at`, -1 for none yet; null for a key that moves nowhere.
 * @param page rows that Page Up and Page Down pass; those keys are the page's own where it is not given
 */
export const moveInGrid = (
  key: string,
  at: number,
  count: number,
  columns: number,
  page?: number,
): number | null => {
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: count - 1,
    ...(page !== undefined && { PageDown: at + columns * page, PageUp: at - columns * page }),
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
};
