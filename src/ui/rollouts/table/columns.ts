import type { Statistics } from '../../../evaluate/rollouts/statistics.ts';
import { isRowNumber, rowNumber } from '../../../evaluate/rollouts/row-numbers.ts';
import type { BrowseResult } from '../../../lab/contract/rollouts.ts';
import { COLUMN_NAMES } from '../../../lab/rollouts/columns.ts';
import { termsIn } from '../../kit/words/explain/terms.ts';

/** Column definitions. */
export interface Column {
  name: string;
  title: string;
  /** Tooltip of its head. */
  note: string;
  /** Default width in pixels. */
  width: number;
  kind: 'text' | 'number' | 'bit';
}

/** Non-numeric columns; numeric ones describe themselves. */
const TEXTS: Record<string, [note: string, width: number]> = {
  line: ['line of the file, or row of the parquet file', 64],
  id: ['id of the rollout', 180],
  run: ['run or file', 140],
  group: ['rollouts of one question at one step', 140],
  question: ['text of the question', 440],
  answer: ['the extracted answer', 180],
  recipe: ['recipe of the rollout', 110],
  policy: ['model that wrote it', 110],
  layout: ['file format', 100],
  protocol: ['prompt format, recognised by its tags', 110],
  outcome: ['how it ended; right or wrong by the judge, or by EM without one', 260],
  'outcome-by': ['what the outcome is judged by: judge, or em', 90],
  gold: ['gold answers', 150],
  ended: ['stage at which it failed: asked, found, read or answered', 150],
  why: ['why it is wrong, in one sentence', 420],
  hops: [
    'one mark per hop of the gold chain: whether its passage was retrieved, or how it failed',
    90,
  ],
  lint: ['what the checks found', 220],
  tags: ['★ for a bookmark, and your tags', 130],
};

/** Columns whose title differs from their name. */
const TITLES: Record<string, string> = {
  em: 'EM',
  f1: 'F1',
  'cover-em': 'cover-EM',
  'sub-em': 'sub-EM',
  'em.r1-searcher': 'EM (R1-Searcher)',
  'f1.r1-searcher': 'F1 (R1-Searcher)',
  'cover-em.r1-searcher': 'cover-EM (R1-Searcher)',
  'sub-em.r1-searcher': 'sub-EM (R1-Searcher)',
  'em.outside': 'EM outside the tags',
  'f1.outside': 'F1 outside the tags',
  lint: 'findings',
};

/** Pixels for the explanation mark of an acronym. */
const MARK = 21;

const marksOf = (title: string): number => termsIn(title).filter(({ id }) => id !== null).length;

/** A column by name; unknown names are reward clauses. */
export const columnOf = (name: string): Column => {
  const text = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  const title = (Object.hasOwn(TITLES, name) ? TITLES[name] : undefined) ?? name;
  if (text)
    return {
      name,
      title,
      note: text[0],
      width: text[1],
      kind: name === 'line' ? 'number' : 'text',
    };
  const number = isRowNumber(name) ? rowNumber(name) : null;
  return {
    name,
    title,
    note: number?.note ?? `clause ${name.replace(/^reward\./, '')} of the reward`,
    width: Math.max(64, 22 + title.length * 8) + MARK * marksOf(title),
    kind: number?.bit ? 'bit' : 'number',
  };
};

/**
 * All columns of the file.
 * @param clauses of its rewards
 */
export const allColumns = (clauses: readonly string[]): string[] => [
  ...COLUMN_NAMES,
  ...clauses.map((clause) => `reward.${clause}`),
];

/**
 * Columns with data in this file. The question is first and sticky; `why` is the second line of its cell.
 *
 * @param selected `run` is among them where rows come from several files
 */
export const usualColumns = (
  statistics: Statistics | null,
  { empty, runs }: Pick<BrowseResult, 'empty' | 'runs'> = { empty: [], runs: 1 },
): string[] => columnsFor(statistics, runs).filter((name) => !empty.includes(name));

const columnsFor = (statistics: Statistics | null, runs: number): string[] => [
  'question',
  ...(runs > 1 ? ['run'] : []),
  'answer',
  ...(statistics && statistics.scored > 0 ? ['gold', 'hops'] : []),
  ...(statistics && statistics.steps > 1 ? ['step'] : []),
  ...(statistics && statistics.scored > 0 ? ['em', 'f1', 'cover-em', 'retrieved'] : []),
  ...(statistics?.judge ? ['judge'] : []),
  ...(statistics && statistics.reward.n > 0 ? ['reward', 'advantage'] : []),
  'searches',
  'passages',
  'words',
  ...(statistics && statistics.scored > 0 ? ['outcome'] : []),
  'lint',
  'tags',
];
