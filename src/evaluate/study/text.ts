import { csvText, markdownCell, markdownLine } from '../../base/table-text.ts';
import { endsText } from '../paired-difference.ts';
import { SIGNATURE_NUMBERS, signatureNumber, type SignatureNumber } from './file/numbers.ts';
import { shown, shownDifference } from './measures/units.ts';
import type { Verdict } from './signatures/verdict.ts';
import { differenceWords, OUTCOME_WORDS } from './signatures/words.ts';
import type { StudyTable, TableCell, TableRow } from './table.ts';

/** The tables as files: Markdown, CSV and LaTeX. */

export interface StudyText {
  name: string;
  question: string;
  /** Sentences over the tables. */
  caption: readonly string[];
  tables: readonly StudyTable[];
  numbers: readonly SignatureNumber[];
  reference: string;
  /** Whether claims hold; absent or empty where the study has none. */
  verdicts?: readonly Verdict[];
}

/** `61.2 (+3.1 [0.4, 5.9])`, with what a format writes for what is missing. */
function valueText({ number, mean, difference }: TableCell, none: string): string {
  if (mean === null) return none;
  const { unit } = signatureNumber(number);
  if (!difference) return shown(mean, unit);
  const ends = endsText(difference, (value) => shown(value, unit), none);
  return `${shown(mean, unit)} (${shownDifference(difference.mean, unit)} ${ends})`;
}

const titles = (numbers: readonly SignatureNumber[]): string[] =>
  numbers.map((id) => {
    const { title, unit } = signatureNumber(id);
    return unit === 'percent' ? `${title}, %` : title;
  });

/** Whether the rows of a table are of more than one part. */
const hasParts = ({ id }: StudyTable): boolean => id === 'parts' || id === 'start-parts';

const labels = (table: StudyTable, row: TableRow): string[] => [
  ...(hasParts(table) ? [row.part] : []),
  row.arm,
  row.seeds.length === 0 ? '–' : row.seeds.join(', '),
  String(row.n),
];

const head = (table: StudyTable, numbers: readonly SignatureNumber[]): string[] => [
  ...(hasParts(table) ? ['questions'] : []),
  'arm',
  'seeds',
  'n',
  ...titles(numbers),
];

const SIGNATURE_HEAD = ['recipe', 'claim', 'compared', 'number', 'difference', 'n', 'verdict'];

/** Claims beside their differences; nothing of a study without any. */
function signatureBlock(verdicts: readonly Verdict[]): string[] {
  if (verdicts.length === 0) return [];
  const lines = [
    SIGNATURE_HEAD,
    SIGNATURE_HEAD.map((title) => (title === 'n' ? '---:' : '---')),
    ...verdicts.map((one) => [
      one.recipe,
      markdownCell(one.claim),
      markdownCell(one.compared),
      one.title,
      differenceWords(one) ?? '–',
      String(one.n),
      OUTCOME_WORDS[one.outcome],
    ]),
  ];
  return [['## Signatures', '', ...lines.map(markdownLine)].join('\n')];
}

export function markdownOf(text: StudyText): string {
  const { name, question, caption, tables, numbers, verdicts = [] } = text;
  const blocks = tables.map((table) => {
    const cells = head(table, numbers);
    const lines = [
      cells,
      cells.map((title, i) =>
        title === 'n' || i >= cells.length - numbers.length ? '---:' : '---',
      ),
      ...table.rows.map((row) => [
        ...labels(table, row).map(markdownCell),
        ...row.cells.map((cell) => valueText(cell, '–')),
      ]),
    ];
    return [`## ${table.title}`, '', ...lines.map(markdownLine)].join('\n');
  });
  const parts = [`# ${name}`, question, caption.join('\n'), ...blocks, ...signatureBlock(verdicts)];
  return `${parts.join('\n\n')}\n`;
}

const CSV_HEAD = [
  'table',
  'questions',
  'arm',
  'number',
  'seeds',
  'n',
  'mean',
  'compared_with',
  'paired_seeds',
  'difference',
  'low',
  'high',
];

/** All tables, a line for each number, values as they are (shares between 0 and 1); a difference without an interval has no ends. */
export function csvOf({ tables, reference }: StudyText): string {
  const rows = tables.flatMap((table) =>
    table.rows.flatMap((row) =>
      row.cells.map(({ number, mean, difference }) => [
        table.id,
        row.part,
        row.arm,
        number,
        row.seeds.join(' '),
        row.n,
        mean ?? '',
        difference ? (row.against ?? reference) : '',
        difference ? row.pairedSeeds.join(' ') : '',
        ...(difference
          ? [difference.mean, difference.low ?? '', difference.high ?? '']
          : ['', '', '']),
      ]),
    ),
  );
  return csvText([CSV_HEAD, ...rows]);
}

const LATEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '"': "''",
  '−': '$-$',
  '–': '--',
  '²': '$^2$',
  β: '$\\beta$',
};

/** Text for LaTeX, which sets it as it is read. */
export const latexText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\{}$&#%_~^<>"−–²β]/gu, (sign) => LATEX[sign] ?? sign);

/** A number with its sign in math, where the minus is one. */
const latexValue = (text: string): string =>
  text.replaceAll(/[+-]?\d+(?:\.\d+)?/g, (number) =>
    /^[+-]/.test(number) ? `$${number}$` : number,
  );

/** Every table as a `table*` for the packages booktabs and graphicx. */
export function latexOf({ name, question, caption, tables, numbers }: StudyText): string {
  const blocks = tables.map((table) => {
    const cells = head(table, numbers);
    const align = cells
      .map((title, i) => (title === 'n' || i >= cells.length - numbers.length ? 'r' : 'l'))
      .join('');
    const line = (values: readonly string[]): string => `    ${values.join(' & ')} \\\\`;
    return [
      '\\begin{table*}',
      '  \\centering',
      `  \\caption{${[`${table.title}.`, question, ...caption].map(latexText).join(' ')}}`,
      `  \\label{tab:${name}-${table.id}}`,
      '  \\resizebox{\\textwidth}{!}{%',
      `  \\begin{tabular}{${align}}`,
      '    \\toprule',
      line(cells.map(latexText)),
      '    \\midrule',
      ...table.rows.map((row) =>
        line([
          ...labels(table, row).map(latexText),
          ...row.cells.map((cell) => latexValue(valueText(cell, '--'))),
        ]),
      ),
      '    \\bottomrule',
      '  \\end{tabular}}',
      '\\end{table*}',
    ].join('\n');
  });
  return `% Needs \\usepackage{booktabs,graphicx}\n${blocks.join('\n\n')}\n`;
}

/** Numbers in the order in which tables show them, whatever the file's. */
export const inOrder = (numbers: readonly SignatureNumber[]): SignatureNumber[] =>
  SIGNATURE_NUMBERS.filter((id) => numbers.includes(id));
