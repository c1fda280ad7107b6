import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { revealHidden } from '../../../../evaluate/rollouts/reading/visible.ts';
import {
  TOKEN_COLUMNS,
  type TokenColumn,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import { formatNumber } from '../../../kit/words/format.ts';
import { writerName } from '../../../kit/tokens/layout.ts';
import { trueToken, visible } from '../../../kit/tokens/pieces.ts';

/** All kinds of numbers a token may have, in the order in which they are listed. */
export const COLUMN_IDS = Object.keys(TOKEN_COLUMNS) as TokenColumn[];

/** The policy’s own token as text, where it is shown under the name that the recipe’s format has for it; else undefined. */
export const renamedToken = ({ names, texts }: TokenTable, at: number): string | undefined => {
  const own = texts[at] ?? null;
  return own !== null && names.has(own) ? trueToken(own) : undefined;
};

/** A token’s text with blanks and controls made visible, tags by the recipe’s name; `#id` where no text is known. */
export const tokenText = (table: TokenTable, at: number): string => {
  const own = table.texts[at] ?? null;
  return own === null ? `#${table.ids[at]}` : visible(revealHidden(table.names.get(own) ?? own));
};

/** The loss mask as text: 1, 0, or −1 where the file does not say. */
export const maskWords = (bit: number): string =>
  bit === 1 ? '1, trained' : bit === 0 ? '0, not in the loss' : 'not in the file';

/** Everything known about a token in one line, for screen readers and the line below a strip. */
export const tokenWords = (
  table: TokenTable,
  segments: readonly Pick<ImportedSegment, 'source' | 'role'>[],
  at: number,
): string => {
  const { source, role } = segments[table.segment[at]!]!;
  const numbers = COLUMN_IDS.flatMap((name) => {
    const value = table.columns[name]?.[at];
    return value === undefined || Number.isNaN(value)
      ? []
      : [`${TOKEN_COLUMNS[name].name} ${formatNumber(value)}`];
  });
  const renamed = renamedToken(table, at);
  return [
    `token ${at}: ${tokenText(table, at)}`,
    ...(renamed === undefined ? [] : [renamed]),
    `${writerName(source)}, ${role}`,
    `mask ${maskWords(table.mask[at]!)}`,
    ...numbers,
  ].join(' · ');
};
