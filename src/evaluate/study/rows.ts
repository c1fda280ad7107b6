import { z } from 'zod';
import type { AgentEvent } from '../../records/events.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { routeReward, type RewardSettings } from '../../agent/router/reward.ts';
import { scoreRollout, totalReward } from '../../learn/rewards/index.ts';
import { isClone } from '../../systems/rex-rag/probes.ts';
import { readFacts } from '../../learn/rewards/parts/facts.ts';
import { meanOrNull } from '../../base/statistics.ts';
import { itemAt } from '../../base/items.ts';
import { isHeldOut } from '../../world/questions/compositions.ts';
import { webCalls } from '../metrics.ts';
import { sourceNeeded } from '../source-needed.ts';
import type { SignatureNumber } from './file/numbers.ts';
import { groupMeasuresOf, type Group } from './measures/groups.ts';
import { isMeasure, MEASURE_IDS, measuresOf } from './measures/list.ts';
import { WAVE } from './measures/wave.ts';

/** What is kept of each question of a score: one row, in the order of the questions. */

const measured = z.number().nullable();

const rowSchema = z.strictObject({
  id: z.string(),
  hops: measured,
  type: z.string().nullable(),
  /** 1 where training never asks the question's composition of relations; null where it has none. */
  heldOut: measured,
  em: z.number(),
  f1: z.number(),
  /** null where the question names no supporting title. */
  recall: measured,
  format: z.number(),
  searches: z.number(),
  /** Calls that asked the web, the background's too; one that asks both sources counts. */
  webCalls: z.number(),
  tokens: z.number(),
  /** null where the study names no reward. */
  reward: measured,
  /** Wall time of the rollout, alone on the machine's policy; null where it was not timed. */
  latencyMs: measured,
  /** Σ R(a) of (20) over its searches; null where it was not timed, or a call asked both sources. */
  routerReward: measured,
  /** Which source it has to be searched in; null where that is not known. */
  source: z.enum(['local', 'web', 'both']).nullable().default(null),
  /** What single systems are about; absent of a rollout that has nothing to measure it by. */
  measures: z.partialRecord(z.enum(MEASURE_IDS), z.number()).default({}),
});
export type Row = z.infer<typeof rowSchema>;

const COLUMNS = Object.keys(rowSchema.shape).filter(
  (name): name is Exclude<keyof Row, 'measures'> => name !== 'measures',
);

/** A number of a row, of either kind; null where it has none. */
export const valueOf = (row: Row, number: SignatureNumber): number | null =>
  isMeasure(number) ? (row.measures[number] ?? null) : row[number];

/** The call that a route event was made for: no other lies between. */
const callAfter = (events: readonly AgentEvent[], place: number) => {
  const found = events.slice(place + 1).find(({ kind }) => kind === 'retrieve' || kind === 'route');
  return found?.kind === 'retrieve' ? found : null;
};

/**
 * Σ R(a) of (20) over the searches of a rollout, routed by any means. The background's call is left out: an arm that fixes
 * its source has no route of it to be rewarded.
 * @param webLatencyMs what a call of the web takes, the same for every arm
 * @returns null where a call asked both sources, which is not an action of the paper's
 */
function routerRewardOf(
  { events, question }: Rollout,
  settings: RewardSettings,
  webLatencyMs: number,
): number | null {
  const supporting = new Set(question.supporting).size;
  let sum = 0;
  for (const [i, event] of events.entries()) {
    if (event.kind !== 'route') continue;
    if (event.choice === 'both') return null;
    const call = callAfter(events, i);
    if (!call) continue;
    const reward = routeReward(event.choice, settings, {
      latencyMs: call.latencyMs,
      meanWebLatencyMs: webLatencyMs,
      newEvidenceShare:
        call.newSupporting && supporting > 0 ? call.newSupporting.length / supporting : null,
    });
    sum += reward?.total ?? 0;
  }
  return sum;
}

export interface RowOptions {
  reward: { id: string; weights: Record<string, number> } | null;
  routerReward: RewardSettings;
  webLatencyMs: number;
  /** Seconds per rollout of the wave that it began; null where not measured. */
  waveSeconds: number | null;
}

/** What of a row only a rollout that ran alone can tell. */
export const timingsOf = (
  timed: Rollout | null,
  { routerReward, webLatencyMs }: Pick<RowOptions, 'routerReward' | 'webLatencyMs'>,
): Pick<Row, 'latencyMs' | 'routerReward'> => ({
  latencyMs: timed?.metrics ? 1000 * timed.metrics.seconds : null,
  routerReward: timed && routerRewardOf(timed, routerReward, webLatencyMs),
});

/**
 * The row of a question.
 * @param timed the same rollout run alone, where it was
 * @throws Error for a rollout without metrics
 */
export function rowOf(
  question: Question,
  rollout: Rollout,
  timed: Rollout | null,
  { reward, waveSeconds, ...timing }: RowOptions,
): Row {
  const { metrics } = rollout;
  if (!metrics) throw new Error(`${rollout.id} has no metrics`);
  const { composition } = question;
  return {
    id: question.id,
    hops: question.hops ?? null,
    type: question.type ?? null,
    heldOut: composition === undefined ? null : Number(isHeldOut(composition)),
    em: metrics.em,
    f1: metrics.f1,
    recall: question.supporting.length > 0 ? metrics.recall : null,
    format: Number(metrics.formatValid),
    searches: metrics.searches,
    webCalls: webCalls(rollout),
    tokens: metrics.tokens,
    reward: reward && totalReward(scoreRollout(rollout, reward.id, reward.weights)),
    ...timingsOf(timed, timing),
    source: sourceNeeded(question),
    measures: {
      ...measuresOf(rollout, readFacts(rollout)),
      ...(waveSeconds !== null && { [WAVE.id]: waveSeconds }),
    },
  };
}

/** Numbers of a row that are means over the rollouts of a group. */
const MEANS = ['em', 'f1', 'format', 'searches', 'webCalls', 'tokens'] as const;
const MEANS_IF_ANY = ['recall', 'reward'] as const;

/**
 * The row of a question with several rollouts: means over those that have a number, and what only a group has. Those that go
 * on with a wrong one come on top, and are in no mean.
 * @throws Error for a rollout without metrics, or no rollout
 */
export function groupRowOf(
  question: Question,
  rollouts: readonly Rollout[],
  options: RowOptions & Pick<Group, 'branching' | 'vocabulary'>,
): Row {
  const rows = rollouts
    .filter((rollout) => !isClone(rollout))
    .map((rollout) => rowOf(question, rollout, null, options));
  const over = (of: (row: Row) => number | null): number | null =>
    meanOrNull(rows.flatMap((row) => of(row) ?? []));
  const shared = Object.fromEntries([
    ...MEANS.map((name) => [name, Number(over((row) => row[name]))]),
    ...MEANS_IF_ANY.map((name) => [name, over((row) => row[name])]),
  ]) as Pick<Row, (typeof MEANS)[number] | (typeof MEANS_IF_ANY)[number]>;
  const own = MEASURE_IDS.flatMap((id) => {
    const value = over((row) => row.measures[id] ?? null);
    return value === null ? [] : [[id, value]];
  });
  return {
    ...itemAt(rows, 0, 'rollouts'),
    ...shared,
    measures: {
      ...(Object.fromEntries(own) as Row['measures']),
      ...groupMeasuresOf({ rollouts, facts: rollouts.map(readFacts), ...options }),
    },
  };
}

const scoreSchema = z.strictObject({
  format: z.literal('forage.study-score/1'),
  key: z.string(),
  /** What made it, for the reader. */
  made: z.record(z.string(), z.unknown()),
  /** Wall time of all questions, the timed ones too. */
  seconds: z.number(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});

export interface Score {
  key: string;
  made: Record<string, unknown>;
  seconds: number;
  rows: Row[];
}

const DIGITS = 5;
const short = (value: string | number | null): string | number | null =>
  typeof value === 'number' ? Number(value.toFixed(DIGITS)) : value;

/** A score as a file: a row per line, values to five digits after the point; of measures those that some row has. */
export function encodeScore({ key, made, seconds, rows }: Score): string {
  const head = { format: 'forage.study-score/1', key, made, seconds: Number(seconds.toFixed(1)) };
  const measures = MEASURE_IDS.filter((id) => rows.some((row) => row.measures[id] !== undefined));
  const lines = rows.map((row) =>
    JSON.stringify([
      ...COLUMNS.map((column) => short(row[column])),
      ...measures.map((id) => short(row.measures[id] ?? null)),
    ]),
  );
  const start = JSON.stringify({ ...head, columns: [...COLUMNS, ...measures] });
  return `${start.slice(0, -1)},"rows":[\n${lines.join(',\n')}\n]}\n`;
}

/** @throws Error where the text is no score */
export function decodeScore(text: string): Score {
  const { format: _, columns, rows, ...rest } = z.parse(scoreSchema, JSON.parse(text));
  return {
    ...rest,
    rows: rows.map((values) => {
      const cells = columns.map((column, i) => [column, values[i]] as const);
      const measures = cells.filter(([column, value]) => isMeasure(column) && value !== null);
      const own = cells.filter(([column]) => !isMeasure(column));
      return z.parse(rowSchema, {
        ...Object.fromEntries(own),
        measures: Object.fromEntries(measures),
      });
    }),
  };
}
