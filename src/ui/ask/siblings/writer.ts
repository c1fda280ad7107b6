import { isHeldOutGroup } from '../../../records/training.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import { groupIdOf, type PolicyChoice, type RunRequest } from '../../../lab/contract/settings.ts';
import type { ForkNote, RecordSource, StepSource } from '../store/ask-store.ts';

/** Which policy wrote a rollout on the screen, and which one continues it if that is not stored. */

/** The policy that continues a rollout. */
export interface Writer {
  /** Undefined: the setup's policy unchanged. */
  policy?: PolicyChoice;
  /** A sentence, if another policy than its writer continues. */
  note: string | null;
}

/** The rollouts on the screen of Ask, and their origin. */
interface Screen {
  request: Pick<RunRequest, 'runId' | 'policies'> | null;
  source: Pick<StepSource, 'runId' | 'name' | 'step' | 'group' | 'setup'> | RecordSource | null;
  forks: Readonly<Record<string, ForkNote>>;
}

/** The step whose adapter sampled a training rollout; 0: before the first update. */
const sampledAt = ({ step, group }: Pick<StepSource, 'step' | 'group'>): number =>
  isHeldOutGroup(group) ? step : step - 1;

function ofTraining(
  source: Exclude<NonNullable<Screen['source']>, RecordSource>,
  runs: readonly EvaluableRun[],
): Writer {
  const writerStep = sampledAt(source);
  const kept = runs.find(({ id }) => id === source.runId)?.steps ?? [];
  const alone: PolicyChoice = { kind: 'base', policy: source.setup.policy };
  if (kept.includes(writerStep))
    return { policy: { kind: 'run', run: source.runId, step: writerStep }, note: null };
  if (writerStep === 0) return { policy: alone, note: null };
  const nearest = kept.toSorted((a, b) => Math.abs(a - writerStep) - Math.abs(b - writerStep))[0];
  if (nearest === undefined)
    return {
      policy: alone,
      note: 'No adapter of its run is stored, so the model continues without one.',
    };
  return {
    policy: { kind: 'run', run: source.runId, step: nearest },
    note: `The adapter of step ${writerStep}, which wrote it, is not stored; the adapter of step ${nearest} continues.`,
  };
}

/** @param runs with the steps of their stored adapters */
export function writerOf(
  { id, groupId }: Pick<Rollout, 'id' | 'groupId'>,
  { request, source, forks }: Screen,
  runs: readonly EvaluableRun[],
): Writer {
  const fork = forks[id];
  if (fork) return { policy: fork.policy, note: null };
  if (source && 'place' in source) return { policy: source.policy, note: null };
  if (source) return ofTraining(source, runs);
  const at = request?.policies?.findIndex((_, i) => groupIdOf(request.runId, i) === groupId) ?? -1;
  const policy = at < 0 ? undefined : request?.policies?.[at];
  return { policy, note: null };
}

/**
 * The name of a policy for a list or a sentence.
 * @param runs for the names of runs
 */
export function policyName(
  policy: PolicyChoice | 'alone' | undefined,
  runs: readonly Pick<EvaluableRun, 'id' | 'name'>[],
): string {
  if (policy === undefined || policy === 'alone') return 'the model without adapter';
  if (policy.kind === 'base')
    return policy.policy.kind === 'built-in' ? 'the built-in model' : policy.policy.id;
  const name = runs.find(({ id }) => id === policy.run)?.name ?? 'a run that is not here';
  return `${name}, ${policy.step === null ? 'newest snapshot' : `step ${policy.step}`}`;
}
