import { csvText, markdownCell, markdownLine } from '../../base/table-text.ts';
import { escapeXml } from '../../base/xml-text.ts';
import { shown } from '../study/measures/units.ts';
import { shortName, valueText, type SweepAxis, type SweepValue } from './axes.ts';
import { gridOf } from './cells.ts';
import { bestOf, shade } from './matrix.ts';

/** The grid of a sweep as files: Markdown, CSV, and a heat map as SVG. Values are shares. */

export interface SweepResult {
  /** As a title says what the values are. */
  title: string;
  axes: readonly SweepAxis[];
  /** Row by row; null where a cell is not made. */
  values: readonly (number | null)[];
}

const [CELL, ROW, TOP, PAD] = [84, 44, 76, 16];
const CHARACTER = 8;

const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#1c2127}.small{font-size:12px;fill:#57606b}',
  '.ground{fill:#fff}.cell{fill:#1f5fa8;stroke:#8b949e;stroke-opacity:.5}.best{fill:none;stroke:#1c2127;stroke-width:2}',
  '@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.small{fill:#a7b0ba}.ground{fill:#15181c}',
  '.cell{fill:#6aa9ea}.best{stroke:#e6e9ec}}',
].join('');

/** Tint of a cell: text is on the strongest in the ground's own ink. */
export const tint = (share: number): number => 0.06 + 0.44 * share;

interface Layout {
  rows: readonly (SweepValue | null)[];
  columns: readonly SweepValue[];
  rowName: string | null;
  columnName: string;
}

function layoutOf(axes: readonly SweepAxis[]): Layout {
  const { rows, columns } = gridOf(axes);
  return {
    rows: rows?.values ?? [null],
    columns: columns.values,
    rowName: rows && shortName(rows.path),
    columnName: shortName(columns.path),
  };
}

const percent = (value: number | null, none: string): string =>
  value === null ? none : shown(value, 'percent');

function heatMapSvg({ title, axes, values }: SweepResult): string {
  const { rows, columns, rowName, columnName } = layoutOf(axes);
  const known = values.flatMap((value) => value ?? []);
  const best = new Set(bestOf(values, { up: true }));
  const names = rows.map((value) => (value === null ? '' : `${rowName} ${valueText(value)}`));
  const left = PAD + CHARACTER * Math.max(0, ...names.map((name) => name.length));
  const width = Math.max(left + CELL * columns.length + PAD, 2 * PAD + 7 * title.length);
  const height = TOP + ROW * rows.length + PAD;
  const cells = rows.flatMap((_, r) =>
    columns.map((_column, c) => {
      const value = values[r * columns.length + c] ?? null;
      const at = `x="${left + CELL * c + 1}" y="${TOP + ROW * r + 1}" width="${CELL - 2}" height="${ROW - 2}" rx="3"`;
      const opacity = value === null ? 0 : tint(shade(value, known));
      const frame = best.has(r * columns.length + c) ? `<rect class="best" ${at}/>` : '';
      return (
        `<rect class="cell" ${at} fill-opacity="${opacity.toFixed(3)}"/>${frame}` +
        `<text text-anchor="middle" x="${left + CELL * (c + 0.5)}" y="${TOP + ROW * (r + 0.5) + 5}">${percent(value, '–')}</text>`
      );
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    `<text x="${PAD}" y="24">${escapeXml(title)}</text>`,
    ...columns.map(
      (value, c) =>
        `<text class="small" text-anchor="middle" x="${left + CELL * (c + 0.5)}" y="${TOP - 10}">${escapeXml(valueText(value))}</text>`,
    ),
    `<text class="small" x="${left}" y="${TOP - 30}">${escapeXml(columnName)}</text>`,
    ...names.map(
      (name, r) =>
        `<text class="small" x="${PAD}" y="${TOP + ROW * (r + 0.5) + 5}">${escapeXml(name)}</text>`,
    ),
    ...cells,
    '</svg>\n',
  ].join('\n');
}

function markdown({ title, axes, values }: SweepResult): string {
  const { rows, columns, rowName, columnName } = layoutOf(axes);
  const corner = rowName === null ? columnName : `${rowName} \\ ${columnName}`;
  const best = new Set(bestOf(values, { up: true }));
  return [
    markdownCell(title),
    '',
    markdownLine([markdownCell(corner), ...columns.map((value) => markdownCell(valueText(value)))]),
    markdownLine(['---', ...columns.map(() => '---:')]),
    ...rows.map((row, r) =>
      markdownLine([
        row === null ? '' : markdownCell(valueText(row)),
        ...columns.map((_, c) => {
          const at = r * columns.length + c;
          const text = percent(values[at] ?? null, '–');
          return best.has(at) ? `**${text}**` : text;
        }),
      ]),
    ),
    '',
  ].join('\n');
}

function csv({ axes, values }: SweepResult): string {
  const { rows, columns } = layoutOf(axes);
  const lines = rows.flatMap((row, r) =>
    columns.map((column, c) => [
      ...(row === null ? [] : [String(row)]),
      String(column),
      values[r * columns.length + c] ?? null,
    ]),
  );
  return csvText([[...axes.map(({ path }) => path), 'em'], ...lines]);
}

/** Files by name. */
export const sweepFiles = (result: SweepResult): Record<string, string> => ({
  'sweep.md': markdown(result),
  'sweep.csv': csv(result),
  'sweep.svg': heatMapSvg(result),
});
