import { mean, sum } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import { tokensOf, type Outcome } from './write-rollout.ts';
import { REASONS, type Reason } from './left-out.ts';

/** What became of the questions or rollouts that demonstrations were made of. */
export interface TallySummary {
  of: number;
  kept: number;
  leftOut: Partial<Record<Reason, number>>;
  /** Of those that were kept; null where none was. */
  tokens: {
    least: number;
    p10: number;
    median: number;
    p90: number;
    most: number;
    mean: number;
  } | null;
  /** Mean tokens of a demonstration that are trained. */
  trained: number | null;
  searches: number | null;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

export class Tally {
  #of = 0;
  readonly #leftOut = new Map<Reason, number>();
  readonly #tokens: number[] = [];
  readonly #trained: number[] = [];
  readonly #searches: number[] = [];

  add(outcome: Outcome): void {
    this.#of++;
    if ('rollout' in outcome) this.#keep(outcome.rollout);
    else this.#leftOut.set(outcome.leftOut, (this.#leftOut.get(outcome.leftOut) ?? 0) + 1);
  }

  #keep(rollout: Rollout): void {
    this.#tokens.push(tokensOf(rollout));
    this.#trained.push(sum(rollout.segments.map(({ mask, ids }) => mask * ids.length)));
    this.#searches.push(rollout.metrics?.searches ?? 0);
  }

  get summary(): TallySummary {
    const sorted = this.#tokens.toSorted((a, b) => a - b);
    const none = sorted.length === 0;
    const ordered = [...this.#leftOut].toSorted(([, a], [, b]) => b - a);
    return {
      of: this.#of,
      kept: sorted.length,
      leftOut: Object.fromEntries(ordered),
      tokens: none
        ? null
        : {
            least: quantile(sorted, 0),
            p10: quantile(sorted, 0.1),
            median: quantile(sorted, 0.5),
            p90: quantile(sorted, 0.9),
            most: quantile(sorted, 1),
            mean: mean(sorted),
          },
      trained: none ? null : mean(this.#trained),
      searches: none ? null : mean(this.#searches),
    };
  }
}

/** The summary as lines of text. @param things what was read, such as `questions` */
export function tallyLines(summary: TallySummary, things: string): string[] {
  const { of, kept, leftOut, tokens, trained, searches } = summary;
  const row = (n: number, text: string): string => `${String(n).padStart(7)}  ${text}`;
  return [
    row(of, things),
    row(kept, 'kept as demonstrations'),
    ...(Object.entries(leftOut) as [Reason, number][]).map(([reason, n]) =>
      row(n, `left out: ${REASONS[reason]}`),
    ),
    ...(tokens
      ? [
          `tokens: least ${tokens.least}, 10 % ${tokens.p10}, median ${tokens.median}, 90 % ${tokens.p90}, most ${tokens.most}, mean ${tokens.mean.toFixed(0)}; of them trained, mean: ${(trained ?? 0).toFixed(0)}`,
          `searches per demonstration, mean: ${(searches ?? 0).toFixed(2)}`,
        ]
      : []),
  ];
}
