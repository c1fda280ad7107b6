/** Cells of tables as text. Names in them may be imported and hostile: every table file is written through these. */

export type TableCell = string | number | null;

/** A spreadsheet would run such a text as a formula. A number with its sign is one as well, and safe. */
const isFormula = (text: string): boolean =>
  /^[=+\-@\t\r]/.test(text) && !(text.trim() !== '' && Number.isFinite(Number(text)));

function csvCell(cell: TableCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = isFormula(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of comma-separated values (RFC 4180); a text that a spreadsheet would run gets an apostrophe before it. */
export const csvText = (rows: readonly (readonly TableCell[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

/** A text as a cell of a Markdown table: it cannot end the cell, or become an image, a link or HTML. */
export const markdownCell = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]<>|!#~&]/g, String.raw`\$&`);

/** A line of a Markdown table. */
export const markdownLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
