import type { Rollout, Segment } from '../../../records/rollout.ts';
import { SMALL_CELLS } from './paint-cells.ts';

/** One token of a rollout with all its data. */
export interface TokenFacts {
  segment: number;
  /** Index within the segment. */
  token: number;
  id: number;
  /** Its text in the record, if ids are pieces of text; otherwise the tokenizer has it. */
  text: string | null;
  /** null if the policy did not write the token, or reported none. */
  logprob: number | null;
  entropy: number | null;
  writer: Writer;
  role: Segment['role'];
  mask: 0 | 1;
}

/** Who wrote a token, for its colour; hints of the environment are separate. */
export type Writer = 'prompt' | 'policy' | 'environment' | 'hint';

/** In legend order. */
export const WRITERS: readonly Writer[] = ['prompt', 'policy', 'environment', 'hint'];

/** The name of a writer on the page: the policy is the model. */
export const writerName = (writer: Writer): string => (writer === 'policy' ? 'model' : writer);

/** A hint also comes from the environment, but it is a fixed instruction, not a result: it has its own colour. */
export const writerOf = (segment: Pick<Segment, 'source' | 'role'>): Writer =>
  segment.role === 'hint' ? 'hint' : segment.source;

/** Tokens of all writers; pieces of text if the record has no tokens. */
export const countTokens = (rollout: Pick<Rollout, 'segments'>): number =>
  rollout.segments.reduce((sum, segment) => sum + segment.ids.length, 0);

/** The token at `position` of the whole context; null past its end. */
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

/** The number of tokens when event `step` happened. */
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

/** Fixed-size cells, as many per row as fit in `width` CSS pixels. */
export const stripGrid = (count: number, width: number): StripGrid => {
  const { width: cell, row: rowHeight } = SMALL_CELLS;
  const columns = Math.max(1, Math.floor(width / cell));
  return { columns, rows: Math.max(1, Math.ceil(count / columns)), cell, rowHeight };
};

/** Index of the token at a point of the strip, CSS pixels; null outside. */
export const cellAt = (grid: StripGrid, x: number, y: number, count: number): number | null => {
  const column = Math.floor(x / grid.cell);
  const row = Math.floor(y / grid.rowHeight);
  if (column < 0 || row < 0 || column >= grid.columns) return null;
  const position = row * grid.columns + column;
  return position < count ? position : null;
};

/**
 * The target of a key from `at`, -1 for none yet; null for other keys.
 * @param page rows of Page Up and Page Down; if absent, those keys scroll the page
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
