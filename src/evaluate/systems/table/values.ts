import { groupBy } from '../../../base/items.ts';
import { mean, sum } from '../../../base/statistics.ts';
import type { EvaluatedQuestion, EvaluatedRollout, EvaluationResult } from '../result.ts';
import { valueOf, type MeasureId } from './measures.ts';

/** Rollouts as lists of numbers that can be compared question by question. */

/** Values of one system by world and question, the mean over seeds each; null where there is none. */
export type WorldValues = readonly (readonly (number | null)[])[];

export class SystemValues {
  readonly #worlds: EvaluatedQuestion[][];
  readonly #bySystem: Map<string, Map<string, EvaluatedRollout[]>>;

  /** @param keep the questions that count */
  constructor(
    { questions, rollouts }: EvaluationResult,
    keep: (question: EvaluatedQuestion) => boolean = () => true,
  ) {
    this.#worlds = [...groupBy(questions.filter(keep), ({ world }) => world).values()];
    this.#bySystem = new Map(
      [...groupBy(rollouts, ({ system }) => system)].map(([system, own]) => [
        system,
        groupBy(own, ({ question }) => question),
      ]),
    );
  }

  get questions(): EvaluatedQuestion[] {
    return this.#worlds.flat();
  }

  rollouts(system: string, question: string): readonly EvaluatedRollout[] {
    return this.#bySystem.get(system)?.get(question) ?? [];
  }

  /** Questions that have the number, and their rollouts that do. */
  counts(system: string, measure: MeasureId): { n: number; rollouts: number } {
    const counts = this.questions.map(
      ({ id }) => this.rollouts(system, id).filter((one) => valueOf(one, measure) !== null).length,
    );
    return { n: counts.filter((count) => count > 0).length, rollouts: sum(counts) };
  }

  of(system: string, measure: MeasureId): WorldValues {
    return this.#worlds.map((world) =>
      world.map(({ id }) => {
        const values = this.rollouts(system, id).flatMap((one) => valueOf(one, measure) ?? []);
        return values.length === 0 ? null : mean(values);
      }),
    );
  }
}

/** Values without those that are missing. */
export const presentValues = (worlds: WorldValues): number[][] =>
  worlds.map((world) => world.flatMap((value) => value ?? []));

/** `b − a` of the questions that both have. */
export const differencesOf = (a: WorldValues, b: WorldValues): number[][] =>
  a.map((world, w) =>
    world.flatMap((value, q) => {
      const other = b[w]?.[q] ?? null;
      return value === null || other === null ? [] : [other - value];
    }),
  );
