import type { EvaluationResult } from '../result.ts';
import type { MeasureId } from './measures.ts';
import type { SystemsTable, TableCell, TableRow } from './shape.ts';
import {
  countText,
  fewestQuestions,
  intervalText,
  pointsText,
  pText,
  questionsNeeded,
  shareText,
  type Verdict,
} from '../../verdict.ts';

const LEVEL = 0.05;

interface Measured {
  title: string;
  row: TableRow;
  cell: TableCell;
  mean: number;
}

const measuredRows = (
  table: SystemsTable,
  { systems }: Pick<EvaluationResult, 'systems'>,
  measure: MeasureId,
): Measured[] =>
  table.rows.flatMap((row) => {
    const cell = row.cells.find((one) => one.measure === measure);
    return cell?.value
      ? [
          {
            title: systems.find(({ id }) => id === row.system)?.title ?? row.system,
            row,
            cell,
            mean: cell.value.mean,
          },
        ]
      : [];
  });

/** Titles of rows of several models or retrieval settings may be equal. */
const distinctTitles = (
  rows: Measured[],
  { systems }: Pick<EvaluationResult, 'systems'>,
): Measured[] => {
  const titles = rows.map(({ title }) => title);
  return rows.map((one) => {
    if (titles.filter((title) => title === one.title).length < 2) return one;
    const system = systems.find(({ id }) => id === one.row.system);
    const more = [system?.policy, system?.retrieval].filter((part) => part !== undefined);
    return { ...one, title: `${one.title} (${more.join(', ')})` };
  });
};

const byMean = (rows: readonly Measured[]): Measured[] => rows.toSorted((a, b) => b.mean - a.mean);

/** The system with the others' reference on the losing side, or the winning one. */
function againstReference(
  rows: readonly Measured[],
  reference: Measured,
  name: string,
): Verdict | null {
  const [best] = byMean(rows);
  const rival = best === reference ? byMean(rows.filter((one) => one !== reference))[0] : best;
  const difference = rival?.cell.difference;
  if (!best || !rival || !difference) return null;
  const [winner, loser] = difference.mean > 0 ? [rival, reference] : [reference, rival];
  const comparisons = rows.filter(({ cell }) => cell.difference !== null).length;
  const fewest = fewestQuestions(comparisons);
  const questions = countText(difference.n, 'question');
  if (difference.mean === 0)
    return {
      kind: 'open',
      sentence: `${winner.title} and ${loser.title} are equal: ${shareText(winner.mean)} ${name} on ${questions}`,
      next:
        difference.n < fewest
          ? `Use at least ${fewest} questions; with fewer, no difference can be significant.`
          : 'Compare their cost below, or use harder questions.',
    };
  const lead = `${winner.title} is ${pointsText(difference.mean)} ahead of ${loser.title}`;
  if (difference.n < fewest)
    return {
      kind: 'open',
      sentence: `Too few questions to tell: ${lead}, on ${questions}`,
      next: `Use at least ${fewest} questions; with fewer, no difference can be significant.`,
    };
  if (difference.adjusted > LEVEL) {
    const needed = questionsNeeded(difference, difference.n);
    const interval = intervalText(difference);
    return {
      kind: 'open',
      sentence: `Inconclusive: ${lead} (${name}, ${pText(difference.adjusted)}${interval === '' ? '' : `, ${interval}`})`,
      next:
        needed === null
          ? 'The difference is small for this many questions; compare cost below.'
          : `About ${needed.toLocaleString('en')} questions would show a difference of this size.`,
    };
  }
  const close = rows.filter(({ cell }) => cell.mark === 'not-worse').length;
  return {
    kind: 'clear',
    sentence: `${winner.title} beats ${loser.title} by ${pointsText(difference.mean)} (${name} ${shareText(loser.mean)} → ${shareText(winner.mean)}, ${questions}, ${pText(difference.adjusted)})`,
    next:
      close > 0
        ? `${countText(close, 'other system')} ${close === 1 ? 'is' : 'are'} not significantly worse than the best.`
        : 'Open Hops to see where the others lose the chain, and Cost for the price.',
  };
}

/**
 * Who won an evaluation and by how much, by EM (F1 where no question has EM). The test is the table's own: paired over
 * questions, Holm-corrected.
 *
 * @param table over all questions
 * @param running whether more rollouts are to come
 */
export function systemsVerdict(
  table: SystemsTable,
  result: Pick<EvaluationResult, 'systems' | 'rollouts' | 'planned'>,
  running: boolean,
): Verdict {
  const em = measuredRows(table, result, 'em');
  const [name, found] = em.length > 0 ? ['EM', em] : ['F1', measuredRows(table, result, 'f1')];
  const rows = distinctTitles(found, result);
  const [first] = rows;
  if (!first)
    return running
      ? {
          kind: 'open',
          sentence: 'No rollout has ended yet',
          next: 'The first scores follow soon.',
        }
      : {
          kind: 'warning',
          sentence: 'Nothing was measured: no rollout has a score',
          next: 'Check that the questions have reference answers, then run it again.',
        };
  const reference = rows.find(({ row }) => row.system === table.reference) ?? first;
  const verdict =
    rows.length > 1 && byMean(rows)[0]?.mean === 0
      ? {
          kind: 'warning' as const,
          sentence: `No system answered a question correctly (${name} 0 % on ${countText(first.cell.n, 'question')})`,
          next: 'Use a larger or trained model, or easier questions.',
        }
      : (againstReference(rows, reference, name) ?? {
          kind: 'open' as const,
          sentence: `${first.title}: ${name} ${shareText(first.mean)} on ${countText(first.cell.n, 'question')}`,
          next:
            result.systems.length > 1
              ? 'The other systems have no score on these questions yet.'
              : 'Add a second system on the same questions to compare it with.',
        });
  return running
    ? {
        kind: 'open',
        sentence: `So far (${result.rollouts.length.toLocaleString('en')} of ${countText(result.planned, 'rollout')}): ${verdict.sentence}`,
        next: 'It may change until all rollouts are done.',
      }
    : verdict;
}
