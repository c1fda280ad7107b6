import type { Rollout, GoldText } from '../../records/rollout.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/registry.ts';
import type { AgentDeps } from '../../agent/request.ts';
import type { KeptNumbers } from '../branching/grouping.ts';
import { growGroup } from '../branching/grow.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Curriculum, DrawnQuestion, Json } from './contracts.ts';
import { itemAt } from '../../base/items.ts';
import { askFrozen, FROZEN_K } from '../frozen/answers.ts';
import { rewardById } from '../rewards/registry.ts';
import { keeps, rewardsVary } from '../band.ts';
import { factsThroughVerifier } from '../rewards/verifier.ts';
import { overridesInForce } from '../settings/overrides.ts';
import { applyBatchRewards, applyGroupRewards, applyRewards } from './scoring.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
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
  /** What is screened for the next step already. */
  screened?: Screened;
  /** What the grouping keeps from step to step, as this one leaves it; the update may add to it. */
  keptNumbers?: KeptNumbers;
}

/** Questions of a step that were screened in the one before. */
export interface Screened {
  /** The step that they are for. */
  step: number;
  /** State of the curriculum before they were drawn, so that they can be drawn again. */
  curriculum: Json;
  batches: number;
  /** Their screening rollouts, in the order of the draws. */
  groups: Rollout[][];
}

export interface CollectRequest {
  settings: TrainSettings;
  agent: AgentDeps;
  curriculum: Curriculum;
  runId: string;
  step: number;
  stage: TrainSettings['stages'][number];
  /** The stage of the next step, where questions may be screened for one. */
  nextStage?: TrainSettings['stages'][number];
  /** What the step before screened for this one. */
  screened?: Screened | undefined;
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

/** A question to sample: its position among the step's draws, and its number of rollouts. */
interface PlannedGroup {
  drawn: DrawnQuestion;
  batch: number;
  place: number;
  /** Its screening rollouts, if it passed. */
  screened: readonly Rollout[];
  /** Rollouts including those: the whole group, or the screening pass. */
  size: number;
}

/** Rollouts done and planned; `done` never decreases. */
interface Progress {
  done: number;
  total: number;
}

/** A request with the state that its rollouts share. */
interface SamplingRequest extends CollectRequest {
  progress: Progress;
  kept: KeptNumbers;
}

/** Rollouts of each question, without rewards. */
async function makeRollouts(
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
): Promise<Rollout[][]> {
  const { settings, agent, runId, step, signal, stage, progress, kept } = request;
  const recipe = recipeOf(settings);
  const sampling = { temperature: settings.temperature, topP: settings.topP };
  const more = wanted.reduce((sum, { size, screened }) => sum + size - screened.length, 0);
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
    wanted.map(({ drawn: { question, overrides, agent: own }, batch, place, screened, size }) =>
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
          size,
          runId,
          step,
          onRollout: ended,
          ...(signal ? { signal } : {}),
        },
        // Screening rollouts start at the question; branching only adds to them later.
        size < settings.groupSize ? undefined : settings.branching,
        { place, kept, begun: screened },
      ),
    ),
  );
  signal?.throwIfAborted();
  checkFaults(groups.flat());
  return groups;
}

/** Rewards of finished rollouts. No other rollout may be running: the frozen policy may be asked. */
async function reward(
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
const runGroups = async (
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
): Promise<Rollout[][]> => reward(request, wanted, await makeRollouts(request, wanted));

/** Lets the frozen policy answer, if the reward of the stage needs that. */
async function answerFrozen(
  { agent, stage, signal, frozen }: CollectRequest,
  wanted: readonly PlannedGroup[],
  groups: readonly Rollout[][],
): Promise<void> {
  const { frozen: from, bank } = rewardById(stage.reward) ?? {};
  if (!from) return;
  if (!frozen) throw new Error(`training: the reward ${stage.reward} needs the frozen policy`);
  await frozen(() =>
    Promise.all(
      groups.map((group, i) => {
        const { drawn } = itemAt(wanted, i, 'questions');
        return askFrozen({ ...agent, ...drawn.agent }, drawn.question, group, {
          from,
          k: FROZEN_K,
          bank,
          signal,
        });
      }),
    ),
  );
  signal?.throwIfAborted();
}

/** Rollouts per question in the screening pass. */
function screeningSize({ groupSize, dynamicSampling: { on, screen } }: TrainSettings): number {
  return on && screen !== undefined ? screen : groupSize;
}

/** The questions of a batch of the step. */
async function draw(
  { settings, curriculum, step, agent, runId, signal }: CollectRequest,
  batch: number,
): Promise<PlannedGroup[]> {
  const sampling = { agent, runId, signal };
  const drawn = await curriculum.draw({ step, batch, count: settings.questions, sampling });
  const size = screeningSize(settings);
  return drawn.map((one, place) => ({ drawn: one, batch, place, screened: [], size }));
}

/** Screened questions that stay, and how many rollouts each needs in all. */
function passedScreening(
  { groupSize, dynamicSampling }: TrainSettings,
  wanted: readonly PlannedGroup[],
  groups: readonly Rollout[][],
): PlannedGroup[] {
  return wanted
    .map((one, i) => ({ ...one, screened: itemAt(groups, i, 'groups'), size: groupSize }))
    .filter(({ screened }) => keeps(dynamicSampling, screened));
}

/** The groups with the rollouts that were sampled later. @param rest the questions of `more` */
function withFurtherRollouts(
  wanted: readonly PlannedGroup[],
  groups: readonly Rollout[][],
  rest: readonly PlannedGroup[],
  more: readonly Rollout[][],
): Rollout[][] {
  return groups.map((group, i) => {
    const { batch, place } = itemAt(wanted, i, 'questions');
    const at = rest.findIndex((one) => one.batch === batch && one.place === place);
    return at < 0 ? group : [...group, ...itemAt(more, at, 'groups')];
  });
}

/**
 * The groups of a generation batch. SPEED-RL (2506.09016) screens: `screen` rollouts of each question first, and the
 * others of its group only where these are kept. The screened ones are trained on as well, so that the accuracy of
 * what was kept is biased towards the middle.
 */
async function runBatch(
  request: SamplingRequest,
  wanted: readonly PlannedGroup[],
): Promise<Rollout[][]> {
  const { settings } = request;
  const groups = await runGroups(request, wanted);
  if (screeningSize(settings) === settings.groupSize) return withGroupRewards(request, groups);
  const rest = passedScreening(settings, wanted, groups);
  const whole = withFurtherRollouts(wanted, groups, rest, await runGroups(request, rest));
  return withGroupRewards(request, whole);
}

function withGroupRewards({ settings, stage }: SamplingRequest, groups: Rollout[][]): Rollout[][] {
  for (const group of groups) applyGroupRewards(group, stage, factsThroughVerifier(settings));
  return groups;
}

/** All groups of a step before some are chosen, and their questions. */
interface SampledGroups {
  wanted: PlannedGroup[];
  all: Rollout[][];
  batches: number;
}

/** Batches are drawn until this many groups are kept, or there were as many as are allowed; one batch where not `on`. */
async function sampleBatches(
  request: SamplingRequest,
  on: boolean,
  run: (wanted: PlannedGroup[]) => Promise<Rollout[][]>,
  begun: SampledGroups = { wanted: [], all: [], batches: 0 },
): Promise<SampledGroups> {
  const { questions, dynamicSampling } = request.settings;
  let { wanted, all, batches } = begun;
  const wantsMore = (): boolean =>
    on &&
    batches < dynamicSampling.maxBatches &&
    all.filter((group) => keeps(dynamicSampling, group)).length < questions;
  while (batches === 0 || wantsMore()) {
    const own = await draw(request, batches++);
    all = [...all, ...(await run(own))];
    wanted = [...wanted, ...own];
  }
  return { wanted, all, batches };
}

/** Draws again what was screened in the step before, and leaves the curriculum as it is now. */
async function redrawScreened(
  request: SamplingRequest,
  screened: Screened,
): Promise<SampledGroups> {
  const { curriculum } = request;
  const now = structuredClone(curriculum.state());
  curriculum.restore(structuredClone(screened.curriculum));
  const wanted: PlannedGroup[] = [];
  for (let batch = 0; batch < screened.batches; batch++)
    wanted.push(...(await draw(request, batch)));
  curriculum.restore(now);
  // The step adds to the records; a state is never changed in place.
  return { wanted, all: structuredClone(screened.groups), batches: screened.batches };
}

/**
 * As SPEED-RL's released code has it: while this step's questions are continued, those of the next one are screened,
 * so that the screening rollouts of a step are one update older than the others. Theirs takes log-probabilities again
 * from the policy that is trained, so that the ratio of these is 1; here it is to the policy that made them. Theirs
 * keeps what is screened beyond a step's questions for later ones; here it is left.
 */
async function screenAhead(
  request: SamplingRequest,
): Promise<SampledGroups & Pick<Collected, 'stale' | 'screened'>> {
  const { settings, curriculum, nextStage, step, screened } = request;
  const before = screened?.step === step ? screened : null;
  const mine = before
    ? await redrawScreened(request, before)
    : await sampleBatches(request, true, (wanted) => runGroups(request, wanted));
  const stale = new Set(before ? mine.all.flat().map(({ id }) => id) : []);
  const rest = passedScreening(settings, mine.wanted, mine.all).slice(0, settings.questions);
  const finish = async (more: Rollout[][]): Promise<Rollout[][]> => {
    const whole = withFurtherRollouts(
      mine.wanted,
      mine.all,
      rest,
      await reward(request, rest, more),
    );
    return withGroupRewards(request, whole);
  };
  if (!nextStage) return { ...mine, all: await finish(await makeRollouts(request, rest)), stale };
  const next: SamplingRequest = { ...request, step: step + 1, stage: nextStage };
  const state = structuredClone(curriculum.state());
  const wanted = await draw(next, 0);
  const [more, screens] = await Promise.all([
    makeRollouts(request, rest),
    makeRollouts(next, wanted),
  ]);
  const all = await finish(more);
  const first = { wanted, all: await reward(next, wanted, screens), batches: 1 };
  const ahead = await sampleBatches(next, true, (own) => runGroups(next, own), first);
  return {
    ...mine,
    all,
    stale,
    screened: { step: step + 1, curriculum: state, batches: ahead.batches, groups: ahead.all },
  };
}

/**
 * Runs the groups of a step. With dynamic sampling (DAPO, 2503.14476, equation 11) groups that do
 * not vary are left out and further batches are drawn until `questions` groups vary or `maxBatches`
 * are made; what is then missing is filled with groups whose rewards vary at least.
 */
export async function collect(request: CollectRequest): Promise<Collected> {
  const { settings, stage } = request;
  const { screen, sameStepScreen = true } = settings.dynamicSampling;
  // A router that is the only one trained learns from groups that do not vary, too.
  const on = settings.dynamicSampling.on && settings.router.train !== 'alone';
  const keptNumbers = { ...request.keptNumbers };
  const making: SamplingRequest = {
    ...request,
    progress: { done: 0, total: 0 },
    kept: keptNumbers,
  };
  const made: SampledGroups & Pick<Collected, 'stale' | 'screened'> =
    on && screen !== undefined && !sameStepScreen
      ? await screenAhead(making)
      : await sampleBatches(making, on, (wanted) => runBatch(making, wanted));
  const { wanted, all, batches, stale, screened } = made;
  applyBatchRewards(
    all.flat(),
    stage,
    request.accuracyBefore ?? null,
    factsThroughVerifier(settings),
  );
  const drawn: Record<string, number> = {};
  for (const { drawn: one } of wanted) drawn[one.label] = (drawn[one.label] ?? 0) + 1;
  // Of those screened ahead some may not be continued though they vary.
  const whole = (group: readonly Rollout[]): boolean =>
    stale === undefined || group.length >= settings.groupSize;
  const kept = all.filter(
    (group) => whole(group) && (!on || keeps(settings.dynamicSampling, group)),
  );
  // What was only screened is no whole group.
  const spare = all.filter(
    (group) => !kept.includes(group) && rewardsVary(group) && (!on || screen === undefined),
  );
  return {
    trained: [...kept, ...spare].slice(0, settings.questions),
    all,
    batches,
    zeroVariance: all.filter((group) => !rewardsVary(group)).length,
    drawn,
    stale,
    screened,
    ...(settings.branching && { keptNumbers }),
  };
}
