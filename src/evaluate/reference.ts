import { markdownCell } from '../base/table-text.ts';
import { canonicalAnswer } from '../agent/answers/normalisers.ts';
import { shareInterval, mean, meanOrNull } from '../base/statistics.ts';
import type { Rollout } from '../records/rollout.ts';

/** How far a policy comes without retrieval, with one, with all it needs (given, or found), and by searching. */

interface Group {
  name: string;
  n: number;
  /** Exact match, 0 to 1, and Wilson's 95 % interval of it. */
  em: number;
  interval: [low: number, high: number];
  f1: number;
  searches: number;
  formatValid: number;
  /** Share of the questions with a chain of which the policy wrote every value that is to be read; null without any. */
  read: number | null;
}

export interface ArmResult {
  arm: string;
  all: Group;
  byHops: Group[];
  byType: Group[];
}

/**
 * Whether the policy's thoughts and answer name the object of every step of the gold chain, each item of a list, in
 * canonical form: what is read, whatever is made of it. Null for a question without a chain.
 */
function everyValueRead({ question, segments }: Rollout): boolean | null {
  const { chain = [] } = question;
  if (chain.length === 0) return null;
  const written = segments.filter(
    ({ source, role }) => source === 'policy' && (role === 'think' || role === 'answer'),
  );
  const text = ` ${canonicalAnswer(written.map((segment) => segment.text).join(' '))} `;
  const values = chain.flatMap(({ object }) => object.split(', '));
  return values.every((value) => text.includes(` ${canonicalAnswer(value)} `));
}

const group = (name: string, rollouts: readonly Rollout[]): Group => {
  const metrics = rollouts.flatMap((rollout) => rollout.metrics ?? []);
  const em = mean(metrics.map((m) => m.em));
  return {
    name,
    n: rollouts.length,
    em,
    interval: shareInterval(em, metrics.length),
    f1: mean(metrics.map((m) => m.f1)),
    searches: mean(metrics.map((m) => m.searches)),
    formatValid: mean(metrics.map((m) => Number(m.formatValid))),
    read: meanOrNull(rollouts.flatMap((rollout) => everyValueRead(rollout) ?? []).map(Number)),
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
export const armResult = (arm: string, rollouts: readonly Rollout[]): ArmResult => ({
  arm,
  all: group('all', rollouts),
  byHops: grouped(rollouts, (r) => String(r.question.hops ?? 0)),
  byType: grouped(rollouts, (r) => r.question.type ?? 'other'),
});

const percent = (share: number): string => (100 * share).toFixed(1);

/** A Markdown table: an arm per column, groups as rows, EM in percent. */
export const referenceTable = (arms: readonly ArmResult[]): string => {
  const rows = (pick: (arm: ArmResult) => readonly Group[], label: (name: string) => string) =>
    (arms[0] ? pick(arms[0]) : []).map(({ name, n }) => {
      const cells = arms.map((arm) => {
        const found = pick(arm).find((one) => one.name === name);
        return found ? percent(found.em) : '–';
      });
      return `| ${markdownCell(label(name))} | ${n} | ${cells.join(' | ')} |`;
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
      (name) => (name === '0' ? 'no hop' : `${name} hop${name === '1' ? '' : 's'}`),
    ),
    ...rows(
      ({ byType }) => byType,
      (name) => name,
    ),
    `| all values read, % | | ${arms.map(({ all }) => (all.read === null ? '–' : percent(all.read))).join(' | ')} |`,
    `| format, % | | ${arms.map(({ all }) => percent(all.formatValid)).join(' | ')} |`,
    `| searches | | ${arms.map(({ all }) => all.searches.toFixed(2)).join(' | ')} |`,
  ].join('\n');
};
