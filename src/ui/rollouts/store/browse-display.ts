import type { BrowseResult } from '../../../lab/contract/rollouts.ts';

/** Table lines: row positions, and group heads as negative numbers. */

/**
 * The line that is the head of a group.
 * @param group index among the selection’s groups
 */
export const headOf = (group: number): number => -1 - group;

/** The group of a head; for lines that are not rows. */
export const groupOf = (line: number): number => -1 - line;

/** Whether a line is a rollout; its number is then a position in the file. */
export const isRow = (line: number): boolean => line >= 0;

// Cached, because a selection may have a million lines.
let last: { selected: BrowseResult; closed: ReadonlySet<string>; lines: Int32Array } | null = null;

const linesOf = (
  { order, groups }: Pick<BrowseResult, 'order' | 'groups'>,
  closed: ReadonlySet<string>,
): Int32Array => {
  if (groups.length === 0) return Int32Array.from(order);
  const lines: number[] = [];
  // Groups are ordered outer before inner; rows of closed groups are skipped.
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

/** Lines of a selection with closed groups; the last result is cached. */
export const displayOf = (selected: BrowseResult, closed: ReadonlySet<string>): Int32Array => {
  if (last?.selected !== selected || last.closed !== closed)
    last = { selected, closed, lines: linesOf(selected, closed) };
  return last.lines;
};

/**
 * The row before or after another one; the first or last if that is missing. Null without rows; the
 * same row at the end.
 */
export const nextRow = (lines: Int32Array, from: number | null, by: 1 | -1): number | null => {
  const at = from === null ? -1 : lines.indexOf(from);
  if (at < 0) return lines.find(isRow) ?? null;
  for (let i = at + by; i >= 0 && i < lines.length; i += by) if (isRow(lines[i]!)) return lines[i]!;
  return from;
};
