import type { Rollout } from '../../records/rollout.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/index.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { growGroup } from '../branching/grow.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Curriculum, DrawnQuestion } from './contracts.ts';
import { itemAt } from '../../base/items.ts';
import { askFrozen, FROZEN_K } from '../frozen/answers.ts';
import { rewardById } from '../rewards/list.ts';
import { keeps, rewardsVary } from '../sampling/band.ts';
import { seenBy } from '../rewards/switches/verifier.ts';
import { overridesInForce } from '../settings/overrides.ts';
import { applyBatchRewards, applyGroupRewards, applyRewards } from './scoring.ts';
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
  /** Share of right answers in the step before; null at the first. */
  accuracyBefore?: number | null;
  /** Runs work while the policy carries no adapter; rewards that ask the frozen policy need it. */
  frozen?: <T>(work: () => Promise<T>) => Promise<T>;
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

/** A drawn question with its place in the batch, and which of its rollouts are to be made. */
interface Wanted {
  drawn: DrawnQuestion;
  place: number;
  first: number;
  size: number;
}

/** Rollouts of each question, with their rewards. */
async function runWanted(
  request: CollectRequest,
  wanted: readonly Wanted[],
  { batch, progress }: { batch: number; progress: { done: number } },
): Promise<Rollout[][]> {
  const { settings, agent, runId, step, signal, stage } = request;
  const recipe = recipeOf(settings);
  const sampling = { temperature: settings.temperature, topP: settings.topP };
  const total = progress.done + wanted.reduce((sum, { size }) => sum + size, 0);
  const ended = (rollout: Rollout): void => {
    progress.done += 1;
    // Revived rollouts come beside those of the group.
    request.onRollout(progress.done, Math.max(progress.done, total));
    if (!request.onEnded) return;
    const told = { ...rollout };
    applyRewards([told], stage, settings.overlong, seenBy(settings));
    request.onEnded(told);
  };
  const groups = await Promise.all(
    wanted.map(({ drawn: { question, overrides, agent: own }, place, first, size }) =>
      growGroup(
        { ...agent, ...own },
        {
          question,
          recipe,
          overrides: mergeOverrides(
            rolloutOverrides(settings, sampling, stage.overrides),
            overrides ?? {},
          ),
          ...groupOf(settings, runId, { step, batch, place }),
          first,
          size,
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
  await answerFrozen(request, wanted, groups);
  applyRewards(groups.flat(), stage, settings.overlong, seenBy(settings));
  return groups;
}

/** Has the frozen policy answer, where the reward of the stage wants that. */
async function answerFrozen(
  { agent, stage, signal, frozen }: CollectRequest,
  wanted: readonly Wanted[],
  groups: readonly Rollout[][],
): Promise<void> {
  const from = rewardById(stage.reward)?.frozen;
  if (!from) return;
  if (!frozen) throw new Error(`training: the reward ${stage.reward} needs the frozen policy`);
  await frozen(() =>
    Promise.all(
      groups.map((group, i) => {
        const { drawn } = itemAt(wanted, i, 'questions');
        return askFrozen({ ...agent, ...drawn.agent }, drawn.question, group, {
          from,
          k: FROZEN_K,
          ...(signal ? { signal } : {}),
        });
      }),
    ),
  );
  signal?.throwIfAborted();
}

/**
 * The groups of a generation batch. SPEED-RL (2506.09016) screens: `screen` rollouts of each question first, and the
 * others of its group only where these are kept. The screened ones are trained on as well, so that the accuracy of
 * what was kept is biased towards the middle. Theirs screens the next step's questions while it goes on with this
 * one's, one update stale; here both belong to the step.
 */
async function runDrawn(
  request: CollectRequest,
  drawn: readonly DrawnQuestion[],
  { batch, progress }: { batch: number; progress: { done: number } },
): Promise<Rollout[][]> {
  const { groupSize, dynamicSampling } = request.settings;
  const { on, screen } = dynamicSampling;
  const size = on && screen !== undefined ? screen : groupSize;
  const wanted = drawn.map((one, place) => ({ drawn: one, place, first: 0, size }));
  let groups = await runWanted(request, wanted, { batch, progress });
  if (size < groupSize) {
    const kept = wanted.filter(({ place }) =>
      keeps(dynamicSampling, itemAt(groups, place, 'groups')),
    );
    const rest = kept.map((one) => ({ ...one, first: size, size: groupSize - size }));
    const more = await runWanted(request, rest, { batch, progress });
    groups = groups.map((group, place) => {
      const at = kept.findIndex((one) => one.place === place);
      return at < 0 ? group : [...group, ...itemAt(more, at, 'groups')];
    });
  }
  for (const group of groups) applyGroupRewards(group, request.stage, seenBy(request.settings));
  return groups;
}

/**
 * Runs the groups of a step. With dynamic sampling (DAPO, 2503.14476, equation 11) groups that do
 * not vary are left out and further batches are drawn until `questions` groups vary or `maxBatches`
 * are made; what is then missing is filled with groups whose rewards vary at least.
 */
export async function collect(request: CollectRequest): Promise<Collected> {
  const { settings, curriculum, step, stage } = request;
  const { maxBatches, screen } = settings.dynamicSampling;
  // A router that is trained alone learns from groups that do not vary, too.
  const on = settings.dynamicSampling.on && settings.router.train !== 'alone';
  const kept: Rollout[][] = [];
  const all: Rollout[][] = [];
  const drawn: Record<string, number> = {};
  const wanted = settings.questions;
  let batches = 0;
  /** Rollouts made so far: what was done never falls. */
  const progress = { done: 0 };
  const wantsMore = (): boolean => on && kept.length < wanted && batches < maxBatches;
  do {
    const questions = await curriculum.draw({ step, batch: batches, count: wanted });
    const groups = await runDrawn(request, questions, { batch: batches++, progress });
    for (const { label } of questions) drawn[label] = (drawn[label] ?? 0) + 1;
    all.push(...groups);
    kept.push(...groups.filter((group) => !on || keeps(settings.dynamicSampling, group)));
  } while (wantsMore());
  applyBatchRewards(all.flat(), stage, request.accuracyBefore ?? null, seenBy(settings));
  // What was only screened is no whole group.
  const spare = all.filter(
    (group) => !kept.includes(group) && rewardsVary(group) && (!on || screen === undefined),
  );
  const trained = [...kept, ...spare].slice(0, wanted);
  const zeroVariance = all.filter((group) => !rewardsVary(group)).length;
  return { trained, all, batches, zeroVariance, drawn };
}
