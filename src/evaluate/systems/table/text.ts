import { csvText as csvLines, markdownCell, markdownLine } from '../../../base/table-text.ts';
import { latexText } from '../../study/text.ts';
import { present } from '../../../base/items.ts';
import { endsText, NO_INTERVAL } from '../../paired-difference.ts';
import type { EvaluatedSystem, EvaluationResult } from '../result.ts';
import { MEASURES, SECONDS_NOTE, type Measure } from './measures.ts';
import { countNotes, INTERVALS, isMeasured } from './notes.ts';
import type { SystemsTable, TableCell, TableFormat, TableRow } from './shape.ts';

/** The tables as files: Markdown, CSV and LaTeX. */

export interface TableText {
  result: EvaluationResult;
  tables: readonly SystemsTable[];
  /** Whether measured seconds are in it; without them the same evaluation gives the same file again. */
  times: boolean;
}

const DIGITS: Record<Measure['unit'], number> = { share: 1, count: 2, seconds: 2 };

/** A value as tables show it: shares in percent. */
function shownValue(value: number, { unit }: Measure): string {
  const text = (unit === 'share' ? 100 * value : value).toFixed(DIGITS[unit]);
  // No minus in front of what rounds to nothing.
  return Number(text) === 0 ? text.replace('-', '') : text;
}

const signed = (value: number, measure: Measure): string => {
  const text = shownValue(value, measure);
  return Number(text) > 0 ? `+${text}` : text;
};

const shownP = (p: number): string => (p < 0.001 ? '<0.001' : p.toFixed(3));

interface Style {
  none: string;
  best: (text: string) => string;
  notWorse: (text: string) => string;
}

const PLAIN: Style = {
  none: '–',
  best: (text) => `**${text}**`,
  notWorse: (text) => `${text}°`,
};

function valueText({ value, mark }: TableCell, measure: Measure, style: Style): string {
  if (!value) return style.none;
  const mean = shownValue(value.mean, measure);
  const marked =
    mark === 'best' ? style.best(mean) : mark === 'not-worse' ? style.notWorse(mean) : mean;
  return `${marked} [${shownValue(value.low, measure)}, ${shownValue(value.high, measure)}]`;
}

function differenceText({ difference }: TableCell, measure: Measure, style: Style): string {
  if (!difference) return style.none;
  const { mean, adjusted } = difference;
  const ends = endsText(difference, (value) => signed(value, measure), style.none);
  return `${signed(mean, measure)} ${ends} p=${shownP(adjusted)}`;
}

/** Measures that some row has. */
function shownMeasures({ tables, times }: TableText): Measure[] {
  const rows = tables.flatMap((table) => table.rows);
  return MEASURES.filter((one) => isMeasured(rows, one) && (one.repeats || times));
}

const cellOf = ({ cells }: TableRow, { id }: Measure): TableCell =>
  present(
    cells.find(({ measure }) => measure === id),
    `the column ${id}`,
  );

const unitTitle = ({ title, unit }: Measure): string => (unit === 'share' ? `${title}, %` : title);

interface Names {
  labels: (row: TableRow) => string[];
  head: string[];
  titleOf: (id: string) => string;
}

/** Policy and retrieval have a column where rows differ in them. */
function namesOf({ systems }: EvaluationResult): Names {
  const byId = new Map(systems.map((system) => [system.id, system]));
  const of = (id: string): EvaluatedSystem => present(byId.get(id), `the system ${id}`);
  const differ = (value: (system: EvaluatedSystem) => string | undefined): boolean =>
    new Set(systems.map(value)).size > 1;
  const policies = differ(({ policy }) => policy);
  const retrievals = differ(({ retrieval }) => retrieval);
  return {
    labels: ({ system, questions }) => {
      const { title, policy, retrieval = 'its own' } = of(system);
      return [
        title,
        ...(policies ? [policy] : []),
        ...(retrievals ? [retrieval] : []),
        String(questions),
      ];
    },
    head: ['system', ...(policies ? ['policy'] : []), ...(retrievals ? ['retrieval'] : []), 'n'],
    titleOf: (id) => of(id).title,
  };
}

const CAPTION = `Mean over questions, each the mean over its seeds, with 95 % intervals ${INTERVALS}. Bold: best; °: not worse than the best (paired sign-flip permutation test, Holm-corrected, 5 %).`;

/** Whether a difference of these rows has no interval: then the title says why. */
const differenceTitle = (
  title: string,
  rows: readonly TableRow[],
  measures: readonly Measure[],
  { none }: Style,
): string => {
  const unbounded = rows.some((row) =>
    measures.some((measure) => cellOf(row, measure).difference?.low === null),
  );
  const why = unbounded ? `; [${none}]: ${NO_INTERVAL}` : '';
  return `Paired differences from ${title}, with 95 % intervals and p after Holm's correction over the rows${why}`;
};

const PUBLISHED = 'published elsewhere, not comparable';
const PUBLISHED_NOTE =
  'Published elsewhere: a number from the system’s paper or code, on its benchmark and model; not comparable with the measurements here.';

/** The published figure of each row as a last column, with benchmark and model; none where no row has one. */
function publishedColumn({ systems }: EvaluationResult): {
  head: string[];
  of: (row: TableRow) => string[];
} {
  if (systems.every(({ published }) => published === null)) return { head: [], of: () => [] };
  return {
    head: [PUBLISHED],
    of: ({ system }) => {
      const paper = systems.find(({ id }) => id === system)?.published;
      return [paper ? `${paper.figure} (${paper.benchmark}; ${paper.model})` : 'none given'];
    },
  };
}

/** Rows that were asked for and are not run, a sentence each. */
const notRun = ({ skipped = [] }: EvaluationResult): string[] =>
  skipped.map(
    ({ title, policy, retrieval, reason }) =>
      `${[title, policy, retrieval].filter(Boolean).join(', ')}: ${reason}.`,
  );

const mdTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(markdownLine).join('\n');

function markdown(text: TableText): string {
  const { result, tables } = text;
  const measures = shownMeasures(text);
  const { labels, head, titleOf } = namesOf(result);
  const published = publishedColumn(result);
  const blocks = tables.flatMap(({ part, rows, reference }) => [
    ...(tables.length > 1 ? [`## ${part}`] : []),
    mdTable(
      [...head, ...measures.map(unitTitle), ...published.head],
      rows.map((row) => [
        ...labels(row).map(markdownCell),
        ...measures.map((measure) => valueText(cellOf(row, measure), measure, PLAIN)),
        ...published.of(row).map(markdownCell),
      ]),
    ),
    ...countNotes(rows, titleOf),
    ...(rows.length > 1
      ? [
          `${differenceTitle(titleOf(reference), rows, measures, PLAIN)}:`,
          mdTable(
            [...head, ...measures.map(unitTitle)],
            rows
              .filter(({ system }) => system !== reference)
              .map((row) => [
                ...labels(row).map(markdownCell),
                ...measures.map((measure) => differenceText(cellOf(row, measure), measure, PLAIN)),
              ]),
          ),
        ]
      : []),
  ]);
  const told = [
    ...(measures.some(({ id }) => id === 'seconds') ? [`Device seconds: ${SECONDS_NOTE}`] : []),
    ...(published.head.length > 0 ? [PUBLISHED_NOTE] : []),
  ];
  const skipped = notRun(result).map((line) => `- ${markdownCell(line)}`);
  const left = skipped.length > 0 ? ['Not run:', skipped.join('\n')] : [];
  return `${[`# ${markdownCell(result.name)}`, CAPTION, ...blocks, ...left, ...told].join('\n\n')}\n`;
}

const CSV_HEAD = [
  'part',
  'system',
  'title',
  'policy',
  'retrieval',
  'measure',
  'questions',
  'rollouts',
  'failed',
  'mean',
  'low',
  'high',
  'compared_with',
  'compared_questions',
  'difference',
  'difference_low',
  'difference_high',
  'difference_note',
  'p',
  'p_holm',
  'published',
  'published_benchmark',
  'published_model',
  'mark',
];

/** A line for each row and measure with its own n, values as they are: shares between 0 and 1. A row that is not run has one, which says so. */
function csvText(text: TableText): string {
  const measures = shownMeasures(text);
  const byId = new Map(text.result.systems.map((system) => [system.id, system]));
  const rows = text.tables.flatMap(({ part, reference, rows: own }) =>
    own.flatMap((row) =>
      measures.map((measure) => {
        const { value, n, rollouts, difference, mark } = cellOf(row, measure);
        const system = byId.get(row.system);
        return [
          part,
          row.system,
          system?.title ?? '',
          system?.policy ?? '',
          system?.retrieval ?? '',
          measure.id,
          n,
          rollouts,
          row.failed,
          ...(value ? [value.mean, value.low, value.high] : ['', '', '']),
          ...(difference
            ? [
                reference,
                difference.n,
                difference.mean,
                difference.low ?? '',
                difference.high ?? '',
                difference.low === null ? NO_INTERVAL : '',
                difference.p,
                difference.adjusted,
              ]
            : ['', '', '', '', '', '', '', '']),
          system?.published?.figure ?? '',
          system?.published?.benchmark ?? '',
          system?.published?.model ?? '',
          mark ?? '',
        ];
      }),
    ),
  );
  const left = (text.result.skipped ?? []).map(({ id, title, policy, retrieval = '' }) => [
    'all',
    id,
    title,
    policy,
    retrieval,
    ...CSV_HEAD.slice(5, -1).map(() => ''),
    'not run',
  ]);
  return csvLines([CSV_HEAD, ...rows, ...left]);
}

/** The marks as LaTeX sets them. */
const LATEX: Style = {
  none: '--',
  best: (text) => `\\textbf{${text}}`,
  notWorse: (text) => `${text}$^\\circ$`,
};

const latexNumbers = (text: string): string =>
  text.replaceAll(/[+-]\d+(?:\.\d+)?/gu, (number) => `$${number}$`).replaceAll('<', '$<$');

function latex(text: TableText): string {
  const { result, tables } = text;
  const measures = shownMeasures(text);
  const { labels, head, titleOf } = namesOf(result);
  const line = (cells: readonly string[]): string => `    ${cells.join(' & ')} \\\\`;
  const published = publishedColumn(result);
  const block = (
    caption: string,
    label: string,
    rows: readonly (readonly string[])[],
    last: readonly string[] = [],
  ): string =>
    [
      '\\begin{table*}',
      '  \\centering',
      `  \\caption{${latexText(caption)}}`,
      `  \\label{tab:${label}}`,
      '  \\resizebox{\\textwidth}{!}{%',
      `  \\begin{tabular}{${'l'.repeat(head.length - 1)}${'r'.repeat(measures.length + 1)}${'l'.repeat(last.length)}}`,
      '    \\toprule',
      line([...head, ...measures.map(unitTitle), ...last].map(latexText)),
      '    \\midrule',
      ...rows.map(line),
      '    \\bottomrule',
      '  \\end{tabular}}',
      '\\end{table*}',
    ].join('\n');
  const blocks = tables.flatMap(({ part, rows, reference }, at) => [
    block(
      `${result.name}${tables.length > 1 ? `, ${part}` : ''}. ${[CAPTION.replace('°', 'Circle'), ...countNotes(rows, titleOf)].join(' ')}${published.head.length > 0 ? ` ${PUBLISHED_NOTE}` : ''}`,
      `systems-${at + 1}`,
      rows.map((row) => [
        ...labels(row).map(latexText),
        ...measures.map((measure) => latexNumbers(valueText(cellOf(row, measure), measure, LATEX))),
        ...published.of(row).map(latexText),
      ]),
      published.head,
    ),
    ...(rows.length > 1
      ? [
          block(
            `${differenceTitle(titleOf(reference), rows, measures, PLAIN)}.`,
            `differences-${at + 1}`,
            rows
              .filter(({ system }) => system !== reference)
              .map((row) => [
                ...labels(row).map(latexText),
                ...measures.map((measure) =>
                  latexNumbers(differenceText(cellOf(row, measure), measure, LATEX)),
                ),
              ]),
          ),
        ]
      : []),
  ]);
  const left = notRun(result).map((line) => `% Not run: ${line}\n`);
  return `% Needs \\usepackage{booktabs,graphicx}\n${left.join('')}${blocks.join('\n\n')}\n`;
}

/** The tables in a format. */
export function tableText(text: TableText, format: TableFormat): string {
  if (format === 'csv') return csvText(text);
  return format === 'latex' ? latex(text) : markdown(text);
}
