import { mean } from '../base/statistics.ts';
import type { Question } from '../records/records.ts';
import type { Rollout } from '../records/rollout.ts';

/** How far a policy comes without retrieval, with one, with all it needs, and by searching. */

interface Group {
  name: string;
  n: number;
  /** Exact match, 0 to 1. */
  em: number;
  f1: number;
  searches: number;
  formatValid: number;
}

export interface ArmResult {
  arm: string;
  all: Group;
  byHops: Group[];
  byType: Group[];
}

const group = (name: string, rollouts: readonly Rollout[]): Group => {
  const metrics = rollouts.flatMap((rollout) => rollout.metrics ?? []);
  return {
    name,
    n: rollouts.length,
    em: mean(metrics.map((m) => m.em)),
    f1: mean(metrics.map((m) => m.f1)),
    searches: mean(metrics.map((m) => m.searches)),
    formatValid: mean(metrics.map((m) => Number(m.formatValid))),
  };
};

const grouped = (rollouts: readonly Rollout[], keyOf: (rollout: Rollout) => string): Group[] =>
  [...new Set(rollouts.map(keyOf))]
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((key) =>
      group(
        key,
        rollouts.filter((rollout) => keyOf(rollout) === key),
      ),
    );

/** The results of one arm: in all, by hops (0 where nothing is looked up) and by type of question. */
export const armResult = (
  arm: string,
  rollouts: readonly Rollout[],
  questions: readonly Question[],
): ArmResult => {
  const hops = new Map(questions.map((q) => [q.id, q.hops ?? 0]));
  return {
    arm,
    all: group('all', rollouts),
    byHops: grouped(rollouts, (r) => String(hops.get(r.question.id) ?? 0)),
    byType: grouped(rollouts, (r) => r.question.type ?? 'other'),
  };
};

const percent = (share: number): string => (100 * share).toFixed(1);

/** A Markdown table: an arm a column, groups as rows, EM in percent. */
export const referenceTable = (arms: readonly ArmResult[]): string => {
  const rows = (pick: (arm: ArmResult) => readonly Group[], label: (name: string) => string) =>
    (arms[0] ? pick(arms[0]) : []).map(({ name, n }) => {
      const cells = arms.map((arm) => {
        const found = pick(arm).find((one) => one.name === name);
        return found ? percent(found.em) : '–';
      });
      return `| ${label(name)} | ${n} | ${cells.join(' | ')} |`;
    });
  return [
    `| EM, % | n | ${arms.map(({ arm }) => arm).join(' | ')} |`,
    `| --- | ---: | ${arms.map(() => '---:').join(' | ')} |`,
    ...rows(
      ({ all }) => [all],
      () => 'all',
    ),
    ...rows(
      ({ byHops }) => byHops,
      (name) => (name === '0' ? 'no hop' : `${name} hops`),
    ),
    ...rows(
      ({ byType }) => byType,
      (name) => name,
    ),
    `| format, % | | ${arms.map(({ all }) => percent(all.formatValid)).join(' | ')} |`,
    `| searches | | ${arms.map(({ all }) => all.searches.toFixed(2)).join(' | ')} |`,
  ].join('\n');
};
