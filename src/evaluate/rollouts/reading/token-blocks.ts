import type { ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import { itemAt } from '../../../base/items.ts';
import type { TokenTable } from './token-table.ts';

/** The tokens of a rollout as blocks of text: short enough that a page draws only those on the screen. */

export interface TokenBlock {
  segment: number;
  /** Tokens `from` up to but without `to`. */
  from: number;
  to: number;
  /** The segment begins here. */
  first: boolean;
  /** Text of the whole segment, where that of its tokens is not known. */
  whole: string | null;
}

/** Tokens from which on a block ends at the next blank, and at which it ends anyway. */
const LONG = 240;
const LONGEST = 400;

/** A line's end ends a block; so does a blank behind many tokens. */
const endsBlock = (text: string, next: string, count: number): boolean =>
  text.includes('\n') || count >= LONGEST || (count >= LONG && /^\s/.test(next));

/** Blocks in order; together they hold every token once. */
export function tokenBlocks(
  { starts, texts }: Pick<TokenTable, 'starts' | 'texts'>,
  segments: readonly Pick<ImportedSegment, 'text'>[],
): TokenBlock[] {
  const blocks: TokenBlock[] = [];
  segments.forEach(({ text }, segment) => {
    const [start, end] = [itemAt(starts, segment), itemAt(starts, segment + 1)];
    if (start === end) return;
    if (texts[start] === null) {
      blocks.push({ segment, from: start, to: end, first: true, whole: text });
      return;
    }
    let from = start;
    for (let at = start; at < end; at++) {
      const last = at + 1 === end;
      if (!last && !endsBlock(texts[at] ?? '', texts[at + 1] ?? '', at + 1 - from)) continue;
      blocks.push({ segment, from, to: at + 1, first: from === start, whole: null });
      from = at + 1;
    }
  });
  return blocks;
}

/** Block that holds a token; −1 where none does. */
export function blockAt(blocks: readonly TokenBlock[], token: number): number {
  let [low, high] = [0, blocks.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { from, to } = itemAt(blocks, middle);
    if (token < from) high = middle - 1;
    else if (token >= to) low = middle + 1;
    else return middle;
  }
  return -1;
}
