import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { revealHidden } from '../../../../evaluate/rollouts/reading/visible.ts';
import {
  TOKEN_COLUMNS,
  type TokenColumn,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import { formatNumber } from '../../../kit/words/format.ts';
import { trueToken, visible } from '../../../kit/tokens/pieces.ts';

export const COLUMN_IDS = Object.keys(TOKEN_COLUMNS) as TokenColumn[];

/** The token itself, where it is shown by the name that the recipe's own format has for it; else undefined. */
export const renamedToken = ({ names, texts }: TokenTable, at: number): string | undefined => {
  const own = texts[at] ?? null;
  return own !== null && names.has(own) ? trueToken(own) : undefined;
};

/** A token's text as it can be read, a tag by its shown name; its id where no text is known. */
export const tokenText = (table: TokenTable, at: number): string => {
  const own = table.texts[at] ?? null;
  return own === null ? `#${table.ids[at]}` : visible(revealHidden(table.names.get(own) ?? own));
};

export const maskWords = (bit: number): string =>
  bit === 1 ? '1, trained' : bit === 0 ? '0, not in the loss' : 'not in the file';

/** All that is known of a token in one line, for people who do not see the table beside it. */
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
    `${source}, ${role}`,
    `mask ${maskWords(table.mask[at]!)}`,
    ...numbers,
  ].join(' · ');
};
