import type { AgentDeps } from '../../agent/request.ts';
import type { Router } from '../../agent/router/router.ts';
import type { Question } from '../../records/records.ts';
import { createCurriculum } from '../curriculum/create.ts';
import { loadCurriculum } from '../curriculum/provided.ts';
import { ownDemonstrations } from '../curriculum/own-demonstrations.ts';
import type { HeldOutJudge, TrainDeps, DemonstrationContext } from '../rl/contracts.ts';
import { readDemonstrations } from '../rl/demonstrations.ts';
import { heldOutSample } from '../rl/held-out.ts';
import { warmStartKind, warmStartQuestions } from '../rl/warm-start.ts';
import { createRouterLearner } from '../router/learner.ts';
import { readTrajectories } from '../../formats/trajectories/read.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { trajectoryRecords } from '../../formats/trajectories/write.ts';
import type { TrajectorySet } from '../../formats/trajectories/shape.ts';
import { type StoredItems, resolveTrajectories } from '../supervised/resolve.ts';
import { storedFault } from '../supervised/items.ts';
import { runGroup } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import { ownTrajectoriesOf, recipeOf } from '../../recipes/registry.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { Rollout } from '../../records/rollout.ts';
import { checkFaults, rolloutOverrides } from '../rl/collect.ts';
import { Cycle } from '../cycle.ts';
import { countOwn, GROUP } from '../trajectories/count-own.ts';
import { MAKE_DEFAULTS, makeTrajectories } from '../trajectories/make.ts';

/**
 * The trajectories that stages with a stored loss learn from, of the run's own policy, where no file is given: rollouts
 * on training questions, chosen as the training says.
 */

/** Questions whose rollouts run together. */
const WAVE = 16;

/**
 * Samples them with the policy as it stands. On WASM the same settings and policy give the same.
 * @throws Error where none of the rollouts can be learned from, with what to do
 */
export async function ownTrajectories(
  settings: TrainSettings,
  questions: readonly Question[],
  { agent, runId, signal, onRollout, onEnded }: DemonstrationContext,
): Promise<TrajectorySet> {
  const { temperature } = settings;
  const { overrides, failedWithout, choice } = ownTrajectoriesOf(settings);
  const seed = deriveSeed(settings.seed, 'trajectories');
  const order = new Cycle(questions, seed);
  const count = countOwn(settings, questions.length);
  const asked = Array.from({ length: count.questions }, (_, i) => order.at(i));
  let ended = 0;
  onRollout(ended, count.rollouts);
  const sample = async (name: string, own?: SettingsOverride): Promise<Rollout[]> => {
    const rollouts: Rollout[] = [];
    for (let from = 0; from < asked.length; from += WAVE) {
      const wave = asked.slice(from, from + WAVE).map((question, i) =>
        runGroup(agent, {
          question,
          recipe: recipeOf(settings),
          overrides: rolloutOverrides(settings, temperature, own),
          seed: deriveSeed(seed, name, from + i),
          size: GROUP,
          runId,
          step: 0,
          groupId: `${runId}-${name}-${from + i}`,
          onRollout: (rollout) => {
            onRollout(++ended, count.rollouts);
            onEnded?.(rollout);
          },
          ...(signal ? { signal } : {}),
        }),
      );
      rollouts.push(...(await Promise.all(wave)).flat());
      signal?.throwIfAborted();
    }
    checkFaults(rollouts);
    return rollouts;
  };
  const failed = failedWithout ? await sample('before') : null;
  const made = await sample('trajectory', overrides);
  try {
    return makeTrajectories(made, { ...MAKE_DEFAULTS, ...choice, failed });
  } catch (error) {
    throw new Error(
      `own trajectories: ${(error as Error).message}. Give a file of trajectories, or start from a model that answers more.`,
      { cause: error },
    );
  }
}

/** What the caller has opened for a training run. */
export interface RunParts extends Pick<TrainDeps, 'learner' | 'config' | 'runId' | 'now'> {
  policy: AgentDeps['policy'];
  retriever: AgentDeps['retriever'];
  router: Router;
  /** `train` questions are drawn from, `dev` questions are held out; others are not used. */
  questions: readonly (Question & { split?: string | undefined })[];
  /** Who summarizes passages; null: nobody. */
  summarizer?: AgentDeps['summarizer'];
  /** Who judges the held-out answers; null: nobody. */
  judge?: HeldOutJudge | null;
  /** JSON lines of what a warm-up imitates or stages learn from, null: none; read only where the settings want some. */
  demonstrations: () => string | null | Promise<string | null>;
  /** Keeps those that a run made itself, so that `demonstrations` has them when it continues. */
  keepTrajectories?: (text: string) => void | Promise<void>;
  /** Adapter that the run starts from, with the shape that the settings say. */
  startAdapter?: Float32Array | null;
  /** A line that the user should know. */
  onNotice: (line: string) => void;
}

/** @throws Error where a router is to be trained that the recipe never asks */
export function checkRouter(settings: TrainSettings): void {
  if (settings.router.train !== 'off') createRouterLearner(settings);
}

/** The given demonstrations. @throws Error if there are none */
async function givenDemonstrations({ demonstrations }: RunParts): Promise<string> {
  const text = await demonstrations();
  if (text === null) throw new Error('The demonstrations for this run’s warm-up are missing.');
  return text;
}

/**
 * The stored trajectories that stages learn from, in the policy's tokens; where none are given, how they are made.
 * @throws Error where a stage cannot learn from them, or they are none of this policy
 */
async function storedTrajectories(
  settings: TrainSettings,
  { demonstrations, policy, learner, questions, keepTrajectories }: RunParts,
): Promise<Pick<TrainDeps, 'stored' | 'makeStored'>> {
  const losses = settings.stages.flatMap(({ loss }) => (isStored(loss) ? [loss] : []));
  if (losses.length === 0) return {};
  const resolved = (set: TrajectorySet): StoredItems => {
    const stored = resolveTrajectories(set, policy.tokenizer, learner.maxTokens);
    for (const loss of losses) {
      const fault = storedFault(stored, loss);
      if (fault !== null) throw new Error(`training: ${fault}`);
    }
    return stored;
  };
  const text = await demonstrations();
  if (text !== null) return { stored: resolved(readTrajectories(text)) };
  const own = questions.filter(({ split }) => split === 'train');
  return {
    makeStored: async (context) => {
      const set = await ownTrajectories(settings, own, context);
      const stored = resolved(set);
      await keepTrajectories?.(
        trajectoryRecords(set)
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(''),
      );
      return stored;
    },
  };
}

/**
 * Makes the parts of a training run, the same in the browser and on the command line: curriculum,
 * held-out questions, router learner and demonstrations, over what was opened.
 * @throws Error where the settings ask for what the questions, the recipe or the demonstrations lack
 */
export async function assembleRun(settings: TrainSettings, parts: RunParts): Promise<TrainDeps> {
  const { questions, retriever, router, policy, learner, config, runId, now, onNotice } = parts;
  const ofSplit = (name: string): Question[] => questions.filter(({ split }) => split === name);
  await loadCurriculum(settings);
  const { own } = settings.warmUp ?? {};
  const answered = heldOutSample(ofSplit('dev'), settings.warmUp?.questions ?? 0);
  if (settings.warmUp?.questions && answered.length === 0)
    onNotice('The cold start measures no format rate: no question is held out (split “dev”).');
  return {
    ...(settings.router.train !== 'off' && {
      router: createRouterLearner(settings, { router, onNotice }),
    }),
    ...(settings.warmUp &&
      !settings.warmUp.own && {
        demonstrations: readDemonstrations(await givenDemonstrations(parts), config.vocabSize),
      }),
    ...(await storedTrajectories(settings, parts)),
    ...(own && {
      demonstrate: (context) => ownDemonstrations(settings, own, ofSplit('train'), context),
    }),
    ...(warmStartKind(settings) && {
      startQuestions: warmStartQuestions(ofSplit('train'), settings),
    }),
    agent: { policy, retriever, router, now, summarizer: parts.summarizer ?? null },
    ...(parts.judge && { judge: parts.judge }),
    config,
    learner,
    curriculum: createCurriculum(settings, { questions: ofSplit('train'), retriever }),
    heldOut: heldOutSample(ofSplit('dev'), settings.heldOut.questions),
    coldStartQuestions: answered,
    ...(parts.startAdapter && { startAdapter: parts.startAdapter }),
    runId,
    now,
  };
}
