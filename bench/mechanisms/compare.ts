import { markdownCell } from '../../src/base/table-text.ts';
import type { Rollout, RolloutMetrics } from '../../src/records/rollout.ts';
import type { BootstrapOptions } from '../../src/evaluate/bootstrap.ts';
import {
  differenceOf,
  endsText,
  NO_INTERVAL,
  type PairedDifference,
} from '../../src/evaluate/paired-difference.ts';
import { summarizeRollouts, type SummaryByHops } from '../../src/evaluate/summary.ts';
import { present } from '../../src/base/items.ts';
import { mean } from '../../src/base/statistics.ts';

/** Baselines and ablations over the same questions, with paired differences. */

export interface Arm {
  name: string;
  rollouts: readonly Rollout[];
}

type Measured = 'em' | 'f1' | 'recall' | 'searches' | 'formatValid';

/** Where an answer counts 0 or 1. */
const BINARY: readonly Measured[] = ['em', 'formatValid'];

/** Null without a question; recall is over those that name supporting titles. */
type Differences = Record<Measured, PairedDifference | null>;

interface ComparisonRow {
  name: string;
  summary: SummaryByHops;
  /** This arm minus the reference, question by question; null for the reference itself. */
  difference: Differences | null;
}

export interface Comparison {
  reference: string;
  /** Questions that every arm has; the differences are over these. */
  questions: number;
  rows: ComparisonRow[];
}

const valueOf = (metrics: RolloutMetrics, name: Measured): number => Number(metrics[name]);

/** Mean of a metric for each question, over that question's rollouts. */
function byQuestion(rollouts: readonly Rollout[], name: Measured): Map<string, number> {
  const lists = new Map<string, number[]>();
  for (const { question, metrics } of rollouts) {
    if (!metrics) continue;
    const list = lists.get(question.id) ?? [];
    lists.set(question.id, [...list, valueOf(metrics, name)]);
  }
  return new Map([...lists].map(([id, list]) => [id, mean(list)]));
}

function difference(
  arm: Arm,
  reference: Arm,
  shared: readonly string[],
  options: BootstrapOptions,
): Differences {
  const of = (name: Measured, over = shared): PairedDifference | null => {
    const a = byQuestion(reference.rollouts, name);
    const b = byQuestion(arm.rollouts, name);
    return differenceOf(
      over.map((id) => present(a.get(id), 'a question of every arm')),
      over.map((id) => present(b.get(id), 'a question of every arm')),
      { ...options, binary: BINARY.includes(name) },
    );
  };
  const named = new Set(
    reference.rollouts.flatMap(({ question }) =>
      question.supporting.length > 0 ? [question.id] : [],
    ),
  );
  const supported = shared.filter((id) => named.has(id));
  return {
    em: of('em'),
    f1: of('f1'),
    recall: of('recall', supported),
    searches: of('searches'),
    formatValid: of('formatValid'),
  };
}

/**
 * The table of an ablation: each arm's summary and its paired difference from the first arm.
 * @throws RangeError without arms
 */
export function compareArms(arms: readonly Arm[], options: BootstrapOptions = {}): Comparison {
  const [reference] = arms;
  if (!reference) throw new RangeError('a comparison needs at least one arm');
  const known = arms.map((arm) => byQuestion(arm.rollouts, 'em'));
  const shared = [...(known[0]?.keys() ?? [])].filter((id) => known.every((map) => map.has(id)));
  return {
    reference: reference.name,
    questions: shared.length,
    rows: arms.map((arm) => ({
      name: arm.name,
      summary: summarizeRollouts(arm.rollouts),
      difference: arm === reference ? null : difference(arm, reference, shared, options),
    })),
  };
}

const percent = (value: number | null): string => (value === null ? '–' : (100 * value).toFixed(1));

const signed = (difference: PairedDifference | null, scale: number): string => {
  if (!difference) return '–';
  const text = (value: number): string => (scale * value).toFixed(scale === 1 ? 2 : 1);
  const { mean } = difference;
  return `${mean > 0 ? '+' : ''}${text(mean)} ${endsText(difference, text, '–')}`;
};

/** The comparison as a Markdown table: shares in percent, differences with 95 % intervals. */
export function comparisonMarkdown(comparison: Comparison): string {
  const head = `| arm | n | EM | F1 | recall | searches | format | ΔEM | Δrecall | Δsearches |`;
  const rule = `|---|---:|---:|---:|---:|---:|---:|---|---|---|`;
  const rows = comparison.rows.map(({ name, summary: s, difference: d }) => {
    const changes = d
      ? [signed(d.em, 100), signed(d.recall, 100), signed(d.searches, 1)]
      : ['–', '–', '–'];
    const cells = [percent(s.em), percent(s.f1), percent(s.recall), s.searches.toFixed(2)];
    return `| ${[markdownCell(name), s.n, ...cells, percent(s.formatValid), ...changes].join(' | ')} |`;
  });
  const unbounded = comparison.rows.some(({ difference: d }) =>
    [d?.em, d?.recall, d?.searches].some((one) => one?.low === null),
  );
  return [head, rule, ...rows, ...(unbounded ? ['', `[–]: ${NO_INTERVAL}.`] : [])].join('\n');
}
