import { csvText, markdownCell, markdownLine } from '../../base/table-text.ts';
import { createTurns } from '../../base/turns.ts';
import type { ExportFormat, SpellTokens } from '../contract/rollouts.ts';
import { writeRollout, type TokenTexts } from '../../formats/rollouts/write.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { Spelling } from './spelling.ts';
import { columnReader, type Cell } from './columns.ts';
import type { StoredRow } from '../contract/records/rollout-files.ts';

/** A selection as a file: the rollouts themselves, or the table's columns. */

type RolloutFormat = Extract<ExportFormat, 'forage' | 'verl' | 'rl-logging-board'>;

export const isRolloutFormat = (format: ExportFormat): format is RolloutFormat =>
  format === 'forage' || format === 'verl' || format === 'rl-logging-board';

/** Media types of tables by their format. */
export const TABLE_TYPES = {
  csv: 'text/csv',
  markdown: 'text/markdown',
  latex: 'text/x-tex',
} as const;

/** Digits that a table shows; CSV keeps all. */
const shown = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell.replaceAll(/\s+/g, ' ').trim();
  return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(4)));
};

const markdownOf = (cell: Cell): string =>
  typeof cell === 'string' ? markdownCell(cell) : shown(cell);

const LATEX: Record<string, string> = {
  '\\': String.raw`\textbackslash{}`,
  '{': String.raw`\{`,
  '}': String.raw`\}`,
  $: String.raw`\$`,
  '&': String.raw`\&`,
  '#': String.raw`\#`,
  _: String.raw`\_`,
  '%': String.raw`\%`,
  '~': String.raw`\textasciitilde{}`,
  '^': String.raw`\textasciicircum{}`,
  '<': String.raw`\textless{}`,
  '>': String.raw`\textgreater{}`,
  '|': String.raw`\textbar{}`,
};

const latexText = (text: string): string =>
  text.replaceAll(/[\\{}$&#_%~^<>|]/g, (sign) => LATEX[sign]!);

const latexCell = (cell: Cell): string => latexText(shown(cell));

/** An outcome is right or wrong by the judge or by EM: without saying by which it could not be counted again. */
const withBasis = (columns: readonly string[]): readonly string[] =>
  columns.includes('outcome-by')
    ? columns
    : columns.flatMap((name) => (name === 'outcome' ? [name, 'outcome-by'] : [name]));

/** The columns of rows as one text; an outcome brings what it was judged by. */
export function tableText(
  rows: readonly StoredRow[],
  names: readonly string[],
  format: Exclude<ExportFormat, RolloutFormat>,
): string {
  const columns = withBasis(names);
  const readers = columns.map(columnReader);
  const cells = rows.map((row) => readers.map((read) => read(row)));
  if (format === 'csv') return csvText([columns, ...cells]);
  const numeric = columns.map((_, i) => cells.every((row) => typeof row[i] !== 'string'));
  if (format === 'markdown') {
    const lines = [
      columns.map(markdownCell),
      numeric.map((right) => (right ? '---:' : '---')),
      ...cells.map((row) => row.map(markdownOf)),
    ];
    return `${lines.map(markdownLine).join('\n')}\n`;
  }
  const line = (row: readonly string[]): string => `${row.join(' & ')} ${String.raw`\\`}\n`;
  return [
    `% needs \\usepackage{booktabs}\n\\begin{tabular}{${numeric.map((right) => (right ? 'r' : 'l')).join('')}}\n\\toprule\n`,
    line(columns.map(latexCell)),
    '\\midrule\n',
    ...cells.map((row) => line(row.map(latexCell))),
    '\\bottomrule\n\\end{tabular}\n',
  ].join('');
}

/** Asks for each token of a policy once. */
class TokenBook {
  readonly #spell: SpellTokens;
  readonly #texts = new Map<string, Map<number, string>>();

  constructor(spell: SpellTokens) {
    this.#spell = spell;
  }

  /** Texts of all tokens of a rollout; undefined where its policy's tokenizer is not available. */
  async textsOf({ policy, segments }: ImportedRollout): Promise<TokenTexts | undefined> {
    if (!policy) return undefined;
    const known = this.#texts.get(policy.id) ?? new Map<number, string>();
    this.#texts.set(policy.id, known);
    const fresh = [...new Set(segments.flatMap(({ ids }) => ids ?? []))].filter(
      (id) => !known.has(id),
    );
    const texts = fresh.length === 0 ? [] : await this.#spell(policy.id, fresh);
    if (texts?.length !== fresh.length) return undefined;
    fresh.forEach((id, i) => known.set(id, texts[i]!));
    return (ids) => ids.map((id) => known.get(id) ?? '');
  }
}

/** Texts by the tokenizer that cut this very rollout, where that is on the device. */
async function textsBy(
  spelling: Pick<Spelling, 'spell'>,
  rollout: ImportedRollout,
): Promise<TokenTexts | undefined> {
  const spelled = await spelling.spell(rollout);
  if (spelled.status !== 'spelled') return undefined;
  const known = new Map(
    rollout.segments.flatMap(({ ids }, s) =>
      (ids ?? []).map((id, i) => [id, spelled.pieces[s]?.[i] ?? ''] as const),
    ),
  );
  return (ids) => ids.map((id) => known.get(id) ?? '');
}

/** Rollouts between two words on how far it is: a message for each would take as long as the rollouts. */
const ROLLOUTS_A_WORD = 32;

interface LinesOptions {
  signal: AbortSignal;
  /** For layouts that show tokens as text: those of the policy that is loaded. */
  spell?: SpellTokens | undefined;
  /** The same for policies whose tokenizers are on the device. */
  spelling?: Pick<Spelling, 'spell'> | undefined;
  /** Rollouts that were written, of how many. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Rollouts of a layout as a file of lines; they are read one by one. @throws the signal's reason */
export async function rolloutLines(
  rows: readonly StoredRow[],
  read: (row: StoredRow) => Promise<ImportedRollout>,
  format: RolloutFormat,
  { signal, spell, spelling, onProgress }: LinesOptions,
): Promise<Blob> {
  const parts: string[] = [];
  const book = spell && format === 'rl-logging-board' ? new TokenBook(spell) : null;
  const turn = createTurns(signal);
  for (const [at, row] of rows.entries()) {
    // A stored chunk is read once: without a turn nothing would be heard within it.
    await turn();
    if (at % ROLLOUTS_A_WORD === 0) onProgress?.(at, rows.length);
    const rollout = await read(row);
    const own = book && spelling ? await textsBy(spelling, rollout) : undefined;
    const texts = own ?? (await book?.textsOf(rollout));
    parts.push(`${writeRollout(rollout, format, texts)}\n`);
  }
  signal.throwIfAborted();
  onProgress?.(rows.length, rows.length);
  return new Blob(parts, { type: 'application/x-ndjson' });
}
