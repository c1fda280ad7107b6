import type { Rollout } from '../../records/rollout.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/index.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { growGroup } from '../branching/grow.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Curriculum, DrawnQuestion } from './contracts.ts';
import { varies } from '../advantages.ts';
import { overridesInForce } from '../settings/overrides.ts';
import { applyGroupRewards, applyRewards } from './scoring.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** The rollouts of a step: groups drawn by the curriculum, some of them again (DAPO). */

export interface Collected {
  /** Groups that are trained, in the order of the draw. */
  trained: Rollout[][];
  /** All groups that were run. */
  all: Rollout[][];
  batches: number;
  /** Groups of `all` whose rewards were all equal. */
  zeroVariance: number;
  /** Questions drawn by label. */
  drawn: Record<string, number>;
}

export interface CollectRequest {
  settings: TrainSettings;
  agent: AgentDeps;
  curriculum: Curriculum;
  runId: string;
  step: number;
  stage: TrainSettings['stages'][number];
  signal?: AbortSignal;
  /** Batches that were drawn again count on: what was done never falls. */
  onRollout(done: number, total: number): void;
  /** Told of each rollout when it ends, with what it earned by itself: a copy, the record comes later. */
  onEnded?: ((rollout: Rollout) => void) | undefined;
}

/** Overrides of the run's recipe with sampling at `temperature`, then those of one question. */
export function rolloutOverrides(
  settings: TrainSettings,
  sampling: { temperature: number; topP?: number },
  own: SettingsOverride = {},
): SettingsOverride {
  return mergeOverrides(mergeOverrides(overridesInForce(settings), { sampling }), own);
}

/** Name and seed of the group of a step's draw: which batch of the step, and which place in it, from 0. */
export const groupOf = (
  { seed }: Pick<TrainSettings, 'seed'>,
  runId: string,
  { step, batch, place }: { step: number; batch: number; place: number },
): { groupId: string; seed: number } => ({
  groupId: `${runId}-${step}-${batch}-${place}`,
  seed: deriveSeed(seed, 'step', step, 'batch', batch, 'group', place),
});

/** Rollouts that ended because the policy failed teach nothing: the step must be made again. */
export function checkFaults(rollouts: readonly Rollout[]): void {
  for (const { id, events } of rollouts)
    for (const event of events)
      if (event.kind === 'stop' && event.reason === 'error')
        throw new Error(`rollout ${id}: ${event.detail}`);
}

async function runDrawn(
  request: CollectRequest,
  drawn: readonly DrawnQuestion[],
  batch: number,
): Promise<Rollout[][]> {
  const { settings, agent, runId, step, signal, stage } = request;
  const recipe = recipeOf(settings);
  const sampling = { temperature: settings.temperature, topP: settings.topP };
  const size = drawn.length * settings.groupSize;
  let done = batch * size;
  const ended = (rollout: Rollout): void => {
    done += 1;
    // Revived rollouts come beside those of the group.
    request.onRollout(done, Math.max(done, (batch + 1) * size));
    if (!request.onEnded) return;
    const told = { ...rollout };
    applyRewards([told], stage, settings.overlong);
    request.onEnded(told);
  };
  const groups = await Promise.all(
    drawn.map(({ question, overrides, agent: own }, i) =>
      growGroup(
        { ...agent, ...own },
        {
          question,
          recipe,
          overrides: rolloutOverrides(settings, sampling, overrides),
          ...groupOf(settings, runId, { step, batch, place: i }),
          size: settings.groupSize,
          runId,
          step,
          onRollout: ended,
          ...(signal ? { signal } : {}),
        },
        settings.branching,
      ),
    ),
  );
  signal?.throwIfAborted();
  checkFaults(groups.flat());
  applyRewards(groups.flat(), stage, settings.overlong);
  for (const group of groups) applyGroupRewards(group, stage);
  return groups;
}

const rewardsOf = (group: readonly Rollout[]): number[] => group.map((r) => r.reward ?? 0);
const accuracies = (group: readonly Rollout[]): number[] => group.map((r) => r.metrics?.em ?? 0);

/**
 * Runs the groups of a step. With dynamic sampling (DAPO, 2503.14476, equation 11) groups that do
 * not vary are left out and further batches are drawn until `questions` groups vary or `maxBatches`
 * are made; what is then missing is filled with groups whose rewards vary at least.
 */
export async function collect(request: CollectRequest): Promise<Collected> {
  const { settings, curriculum, step } = request;
  const { by, maxBatches } = settings.dynamicSampling;
  // A router that is trained alone learns from groups that do not vary, too.
  const on = settings.dynamicSampling.on && settings.router.train !== 'alone';
  const kept: Rollout[][] = [];
  const all: Rollout[][] = [];
  const drawn: Record<string, number> = {};
  const wanted = settings.questions;
  const usable = by === 'reward' ? rewardsOf : accuracies;
  let batches = 0;
  const wantsMore = (): boolean => on && kept.length < wanted && batches < maxBatches;
  do {
    const questions = await curriculum.draw({ step, batch: batches, count: wanted });
    const groups = await runDrawn(request, questions, batches++);
    for (const { label } of questions) drawn[label] = (drawn[label] ?? 0) + 1;
    all.push(...groups);
    kept.push(...groups.filter((group) => !on || varies(usable(group))));
  } while (wantsMore());
  const spare = all.filter((group) => !kept.includes(group) && varies(rewardsOf(group)));
  const trained = [...kept, ...spare].slice(0, wanted);
  const zeroVariance = all.filter((group) => !varies(rewardsOf(group))).length;
  return { trained, all, batches, zeroVariance, drawn };
}
