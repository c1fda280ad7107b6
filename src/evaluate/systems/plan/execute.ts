import type { AgentDeps } from '../../../agent/request.ts';
import { runRollout } from '../../../agent/run.ts';
import { messageOf } from '../../../base/errors.ts';
import { itemAt } from '../../../base/items.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { EvaluatedRollout, EvaluationResult } from '../result.ts';
import type { EvaluationPlan, PlannedPlace, PlannedRollout } from './plan.ts';
import { rolloutIdOf } from './rollout-id.ts';
import { factsOf, type RolloutFacts } from './row.ts';

/** Makes what is missing of a plan, and puts together what is there. */

/** Rollouts that run at the same time; they fill the policy's slots. */
const AT_ONCE = 32;

/** What is open for a place of the plan. */
interface OpenPlace {
  deps: AgentDeps;
  /** Name of the adapter that the policy carries, for the record; null: none. */
  adapter: string | null;
  /** Aborted when the policy or the sources are lost; rollouts under way then count for nothing. */
  lost?: AbortSignal;
}

export interface EvaluationWork {
  /** What is kept of a rollout; null where it is to be made. */
  known(key: string): RolloutFacts | null;
  /** Opens policy and sources; called where something is missing, once for each place in a row. */
  open(place: PlannedPlace): Promise<OpenPlace>;
  /** Keeps a rollout that was made; the next begins when it is kept. */
  keep(planned: PlannedRollout, rollout: Rollout, facts: RolloutFacts): void | Promise<void>;
  /** Told of a rollout that failed; the others continue. */
  failed(planned: PlannedRollout, message: string): void;
  signal?: AbortSignal;
  atOnce?: number;
}

const samePlace = (a: PlannedPlace, b: PlannedPlace): boolean =>
  a.policy === b.policy && a.set === b.set && a.retrieval === b.retrieval;

/** What is to be made, each key once, in runs of one place. */
export function missing(
  { rollouts }: Pick<EvaluationPlan, 'rollouts'>,
  known: (key: string) => unknown,
): PlannedRollout[][] {
  const seen = new Set<string>();
  const groups: PlannedRollout[][] = [];
  for (const planned of rollouts) {
    if (seen.has(planned.key) || known(planned.key) !== null) continue;
    seen.add(planned.key);
    const last = groups.at(-1);
    if (last && samePlace(itemAt(last, 0), planned)) last.push(planned);
    else groups.push([planned]);
  }
  return groups;
}

async function runOne(
  planned: PlannedRollout,
  { deps, adapter, lost }: OpenPlace,
  work: EvaluationWork,
  width: number,
): Promise<void> {
  const signal = [work.signal, lost].filter((one) => one !== undefined);
  const rollout = await runRollout(deps, {
    question: planned.asked,
    recipe: planned.recipe,
    overrides: planned.overrides,
    seed: planned.rolloutSeed,
    rolloutId: rolloutIdOf(planned),
    runId: 'evaluation',
    groupId: planned.question,
    step: 0,
    adapter,
    signal: AbortSignal.any(signal),
  });
  work.signal?.throwIfAborted();
  lost?.throwIfAborted();
  let facts: RolloutFacts;
  try {
    const found = factsOf(planned.asked, rollout);
    // Many at a time wait for each other: a rollout's share of the wall time is its own over their number.
    facts = { ...found, seconds: found.seconds / width };
  } catch (error) {
    work.failed(planned, messageOf(error));
    return;
  }
  await work.keep(planned, rollout, facts);
}

/**
 * Makes the rollouts that are missing, in the plan's order, many at a time. One that fails is marked and
 * ends nothing.
 * @throws the reason of `signal` or `lost`; what `open` and `keep` throw
 */
export async function executeEvaluation(plan: EvaluationPlan, work: EvaluationWork): Promise<void> {
  for (const group of missing(plan, (key) => work.known(key))) {
    work.signal?.throwIfAborted();
    const open = await work.open(itemAt(group, 0));
    const width = Math.min(work.atOnce ?? AT_ONCE, group.length);
    let next = 0;
    let fault: { error: unknown } | null = null;
    const worker = async (): Promise<void> => {
      while (next < group.length && !fault) {
        const planned = itemAt(group, next++);
        try {
          await runOne(planned, open, work, width);
        } catch (error) {
          fault ??= { error };
        }
      }
    };
    // All have ended before anything is closed or thrown: the next place may change the policy's weights.
    await Promise.all(Array.from({ length: width }, worker));
    const ended = fault as { error: unknown } | null;
    if (ended) throw ended.error;
  }
}

/** What a stored plan keeps of a rollout. */
export type PlannedCell = Pick<PlannedRollout, 'key' | 'system' | 'question' | 'seed'> & {
  recipe: Pick<Recipe, 'id'>;
};

/** What is there of a plan, in its order. */
export function resultOf(
  plan: Pick<EvaluationPlan, 'hash' | 'systems' | 'questions'> & {
    skipped?: EvaluationPlan['skipped'];
    rollouts: readonly PlannedCell[];
  },
  name: string,
  known: (key: string) => RolloutFacts | null,
  failures: ReadonlyMap<string, string>,
): EvaluationResult {
  const rollouts: EvaluatedRollout[] = [];
  const failed: { system: string; question: string; seed: number; message: string }[] = [];
  for (const planned of plan.rollouts) {
    const { key, system, question, seed } = planned;
    const facts = known(key);
    const message = failures.get(key);
    if (facts) rollouts.push(rowOf(planned, facts));
    else if (message !== undefined) failed.push({ system, question, seed, message });
  }
  return {
    name,
    hash: plan.hash,
    systems: plan.systems,
    ...(plan.skipped && plan.skipped.length > 0 && { skipped: plan.skipped }),
    questions: plan.questions,
    seeds: [...new Set(plan.rollouts.map(({ seed }) => seed))],
    rollouts,
    planned: plan.rollouts.length,
    failed,
  };
}

/** The row of a planned rollout. */
export const rowOf = (planned: PlannedCell, facts: RolloutFacts): EvaluatedRollout => ({
  system: planned.system,
  question: planned.question,
  seed: planned.seed,
  rollout: rolloutIdOf(planned),
  ...facts,
});
