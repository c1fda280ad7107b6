import type { BrowseResult } from '../../../lab/contract/rollouts.ts';

/** The lines of the table: positions of rows, and heads of groups as negative numbers. */

/**
 * The line that is the head of a group.
 * @param group index among the selection’s groups
 */
export const headOf = (group: number): number => -1 - group;

/** The group whose head a line is; for lines that are not rows. */
export const groupOf = (line: number): number => -1 - line;

/** Whether a line is a rollout: its number is then a position in the file. */
export const isRow = (line: number): boolean => line >= 0;

// Drawing, keys and opening ask for the lines of one selection again and again; it may have a million.
let last: { selected: BrowseResult; closed: ReadonlySet<string>; lines: Int32Array } | null = null;

const linesOf = (
  { order, groups }: Pick<BrowseResult, 'order' | 'groups'>,
  closed: ReadonlySet<string>,
): Int32Array => {
  if (groups.length === 0) return Int32Array.from(order);
  const lines: number[] = [];
  // Groups are in order, outer before inner; what lies in a closed one is passed over.
  let hiddenUntil = 0;
  groups.forEach((group, index) => {
    const to = group.from + group.count;
    if (group.from < hiddenUntil) return;
    const inner = groups[index + 1];
    lines.push(headOf(index));
    if (closed.has(group.key)) hiddenUntil = to;
    else if (!inner || inner.level <= group.level)
      for (let at = group.from; at < to; at++) lines.push(order[at]!);
  });
  return Int32Array.from(lines);
};

/** Lines of a selection with some groups closed; the last answer is kept. */
export const displayOf = (selected: BrowseResult, closed: ReadonlySet<string>): Int32Array => {
  if (last?.selected !== selected || last.closed !== closed)
    last = { selected, closed, lines: linesOf(selected, closed) };
  return last.lines;
};

/**
 * The row before or behind another among the lines; the first or last where that one is not there.
 * Null where there is no row at all; the same row at the end.
 */
export const nextRow = (lines: Int32Array, from: number | null, by: 1 | -1): number | null => {
  const at = from === null ? -1 : lines.indexOf(from);
  if (at < 0) return lines.find(isRow) ?? null;
  for (let i = at + by; i >= 0 && i < lines.length; i += by) if (isRow(lines[i]!)) return lines[i]!;
  return from;
};
