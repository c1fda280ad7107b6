import type { Rollout, GoldText } from '../../records/rollout.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/registry.ts';
import type { AgentDeps } from '../../agent/request.ts';
import type { KeptNumbers } from '../branching/grouping.ts';
import { growGroup } from '../branching/grow.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Curriculum } from './contracts.ts';
import { itemAt } from '../../base/items.ts';
import { askFrozen, FROZEN_K } from '../frozen/answers.ts';
import { rewardById } from '../rewards/registry.ts';
import { keeps, rewardsVary } from '../band.ts';
import { factsThroughVerifier } from '../rewards/verifier.ts';
import { overridesInForce } from '../settings/overrides.ts';
import { applyBatchRewards, applyGroupRewards, applyRewards } from './scoring.ts';
import type { DynamicSampling, TrainSettings } from '../../recipes/parts/training.ts';
import {
  loadSampling,
  type PlannedGroup,
  type SampledAhead,
  type SampledGroups,
  type SamplingRequest,
} from './sampling.ts';
import type { ChainStep, Question } from '../../records/records.ts';
import type { Retriever } from '../../retrieval/retriever.ts';

/** How far down the list of its title a gold passage is looked for. */
const DEPTH = 20;

const idsOf = ({ passageId, passageIds }: ChainStep): readonly string[] =>
  passageIds ?? [passageId];

/**
 * The gold paragraphs of a question, for rewards that read them: of each step of its chain a passage that states it, found by
 * its title. One that is not found is left out. It knows the chain, so it is only for training.
 * @throws what a search throws
 */
async function goldTextsOf(
  retriever: Retriever,
  { chain = [] }: Pick<Question, 'chain'>,
  signal?: AbortSignal,
): Promise<GoldText[]> {
  const found = await Promise.all(
    chain.map(async (step) => {
      const { hits } = await retriever.search('both', step.title, DEPTH, signal);
      const gold = hits.find(({ passage }) => idsOf(step).includes(passage.id));
      return gold ? [gold.passage] : [];
    }),
  );
  const passages = new Map(found.flat().map((passage) => [passage.id, passage]));
  return [...passages.values()].map(({ title, text }) => ({ title, text }));
}

/** Writes the gold paragraphs of each question into the records of its rollouts. */
export async function lookUpGold(
  retriever: Retriever,
  questions: readonly Pick<Question, 'chain'>[],
  groups: readonly (readonly Rollout[])[],
  signal?: AbortSignal,
): Promise<void> {
  const texts = await Promise.all(questions.map((one) => goldTextsOf(retriever, one, signal)));
  groups.forEach((group, i) => {
    for (const rollout of group) rollout.goldTexts = itemAt(texts, i, 'gold paragraphs');
  });
}

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
  /** Ids of rollouts that the policy made before its last update. */
  stale?: ReadonlySet<string>;
  /** Groups of the next step that are sampled already. */
  ahead?: SampledAhead;
  /** What the grouping keeps from step to step, as this one leaves it; the update may add to it. */
  keptNumbers?: KeptNumbers;
}

export interface CollectRequest {
  settings: TrainSettings;
  agent: AgentDeps;
  curriculum: Curriculum;
  runId: string;
  step: number;
  stage: TrainSettings['stages'][number];
  /** The stage of the next step, where that has rollouts. */
  nextStage?: TrainSettings['stages'][number];
  /** Groups of this step that the step before sampled. */
  ahead?: SampledAhead | undefined;
  /** As the steps so far left it. */
  keptNumbers?: KeptNumbers | undefined;
  /** Share of right answers in the step before; null at the first. */
  accuracyBefore?: number | null;
  /** Runs work while the policy carries no adapter; rewards that ask the frozen policy need it. */
  frozen?: <T>(work: () => Promise<T>) => Promise<T>;
  signal?: AbortSignal;
  /** Progress is monotonic; resampled batches add to it. */
  onRollout(done: number, total: number): void;
  /** Called with a copy of each finished rollout and its own reward. */
  onEnded?: ((rollout: Rollout) => void) | undefined;
}

/** Overrides of the run's recipe with sampling at `temperature` over the whole vocabulary, then those of one question. */
export function rolloutOverrides(
  settings: TrainSettings,
  temperature: number,
  own: SettingsOverride = {},
): SettingsOverride {
  return mergeOverrides(
    mergeOverrides(overridesInForce(settings), { sampling: { temperature, topP: 1 } }),
    own,
  );
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

/** Rollouts of each question, without rewards. */
export async function makeRollouts(
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
): Promise<Rollout[][]> {
  const { settings, agent, runId, step, signal, stage, progress, kept } = request;
  const recipe = recipeOf(settings);
  const more = wanted.reduce((sum, { size, begun }) => sum + size - begun.length, 0);
  progress.total = Math.max(progress.done, progress.total) + more;
  // Report the total before the first rollout ends.
  if (more > 0) request.onRollout(progress.done, progress.total);
  const ended = (rollout: Rollout): void => {
    progress.done += 1;
    // Revived rollouts are in addition to those of the group.
    request.onRollout(progress.done, Math.max(progress.done, progress.total));
    if (!request.onEnded) return;
    const copy = { ...rollout };
    applyRewards([copy], stage, settings.overlong, factsThroughVerifier(settings));
    request.onEnded(copy);
  };
  const groups = await Promise.all(
    wanted.map(({ drawn: { question, overrides, agent: own }, batch, place, begun, size }) =>
      growGroup(
        { ...agent, ...own },
        {
          question,
          recipe,
          overrides: mergeOverrides(
            rolloutOverrides(settings, settings.temperature, stage.overrides),
            overrides ?? {},
          ),
          ...groupOf(settings, runId, { step, batch, place }),
          size,
          runId,
          step,
          onRollout: ended,
          ...(signal ? { signal } : {}),
        },
        // Rollouts of a part of a group start at the question; branching only adds to them later.
        size < settings.groupSize ? undefined : settings.branching,
        { place, kept, begun },
      ),
    ),
  );
  signal?.throwIfAborted();
  checkFaults(groups.flat());
  return groups;
}

/** Rewards of finished rollouts. No other rollout may be running: the frozen policy may be asked. */
export async function reward(
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
  groups: Rollout[][],
): Promise<Rollout[][]> {
  const { settings, stage } = request;
  await answerFrozen(request, wanted, groups);
  if (rewardById(stage.reward)?.goldTexts) {
    const questions = wanted.map(({ drawn }) => drawn.question);
    await lookUpGold(request.agent.retriever, questions, groups, request.signal);
  }
  applyRewards(groups.flat(), stage, settings.overlong, factsThroughVerifier(settings));
  return groups;
}

/** Rollouts of each question, with their rewards. */
export const runGroups = async (
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
): Promise<Rollout[][]> => reward(request, wanted, await makeRollouts(request, wanted));

/** Lets the frozen policy answer, if the reward of the stage needs that. */
async function answerFrozen(
  { agent, stage, signal, frozen }: CollectRequest,
  wanted: readonly PlannedGroup[],
  groups: readonly Rollout[][],
): Promise<void> {
  const { frozen: reading } = rewardById(stage.reward) ?? {};
  if (!reading) return;
  if (!frozen) throw new Error(`training: the reward ${stage.reward} needs the frozen policy`);
  await frozen(() =>
    Promise.all(
      groups.map((group, i) => {
        const { drawn } = itemAt(wanted, i, 'questions');
        return askFrozen({ ...agent, ...drawn.agent }, drawn.question, group, {
          from: reading.from,
          k: FROZEN_K,
          reading,
          signal,
        });
      }),
    ),
  );
  signal?.throwIfAborted();
}

/** The questions of a batch of the step. */
export async function draw(
  { settings, curriculum, step, agent, runId, signal }: CollectRequest,
  batch: number,
): Promise<PlannedGroup[]> {
  const sampling = { agent, runId, signal };
  const { questions: count, groupSize: size } = settings;
  const drawn = await curriculum.draw({ step, batch, count, sampling });
  return drawn.map((one, place) => ({ drawn: one, batch, place, begun: [], size }));
}

export function withGroupRewards(
  { settings, stage }: SamplingRequest,
  groups: Rollout[][],
): Rollout[][] {
  for (const group of groups) applyGroupRewards(group, stage, factsThroughVerifier(settings));
  return groups;
}

/**
 * Batches are drawn until this many groups are kept, or there were as many as are allowed; one batch without dynamic sampling.
 * @param begun batches that are made already
 */
export async function sampleBatches(
  request: SamplingRequest,
  dynamic: DynamicSampling | null,
  run: (wanted: PlannedGroup[]) => Promise<Rollout[][]>,
  begun: SampledGroups = { wanted: [], all: [], batches: 0 },
): Promise<SampledGroups> {
  const { questions } = request.settings;
  let { wanted, all, batches } = begun;
  const wantsMore = (): boolean =>
    dynamic !== null &&
    batches < dynamic.maxBatches &&
    all.filter((group) => keeps(dynamic, group)).length < questions;
  while (batches === 0 || wantsMore()) {
    const own = await draw(request, batches++);
    all = [...all, ...(await run(own))];
    wanted = [...wanted, ...own];
  }
  return { wanted, all, batches };
}

/**
 * Runs the groups of a step. With dynamic sampling (DAPO, 2503.14476, equation 11) groups that do
 * not vary are left out and further batches are drawn until `questions` groups vary or `maxBatches`
 * are made; what is then missing is filled with groups whose rewards vary at least.
 */
export async function collect(request: CollectRequest): Promise<Collected> {
  const { settings, stage } = request;
  // A router that is the only one trained learns from groups that do not vary, too.
  const dynamic = settings.router.train === 'alone' ? null : settings.dynamicSampling;
  const keptNumbers = { ...request.keptNumbers };
  const making: SamplingRequest = {
    ...request,
    progress: { done: 0, total: 0 },
    kept: keptNumbers,
  };
  const made = dynamic?.system
    ? await (
        await loadSampling(dynamic.system)
      )(making, dynamic)
    : await sampleBatches(making, dynamic, async (wanted) =>
        withGroupRewards(making, await runGroups(making, wanted)),
      );
  const { wanted, all, batches, whole, stale, ahead } = made;
  applyBatchRewards(
    all.flat(),
    stage,
    request.accuracyBefore ?? null,
    factsThroughVerifier(settings),
  );
  const drawn: Record<string, number> = {};
  for (const { drawn: one } of wanted) drawn[one.label] = (drawn[one.label] ?? 0) + 1;
  const kept = (whole ?? all).filter((group) => !dynamic || keeps(dynamic, group));
  const spare = whole ? [] : all.filter((group) => !kept.includes(group) && rewardsVary(group));
  return {
    trained: [...kept, ...spare].slice(0, settings.questions),
    all,
    batches,
    zeroVariance: all.filter((group) => !rewardsVary(group)).length,
    drawn,
    stale,
    ahead,
    ...(settings.branching && { keptNumbers }),
  };
}
