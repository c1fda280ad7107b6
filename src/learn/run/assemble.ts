import type { AgentDeps } from '../../agent/request.ts';
import type { Router } from '../../agent/router/router.ts';
import type { Question } from '../../records/records.ts';
import { createCurriculum } from '../curriculum/create.ts';
import { ownDemonstrations } from '../curriculum/own-demonstrations.ts';
import type { HeldOutJudge, TrainDeps } from '../rl/contracts.ts';
import { readDemonstrations } from '../rl/demonstrations.ts';
import { heldOutSample } from '../rl/held-out.ts';
import { warmStartKind, warmStartQuestions } from '../rl/warm-start.ts';
import { createRouterLearner } from '../router/learner.ts';
import { readTrajectories } from '../../formats/trajectories/read.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { trajectoryRecords } from '../../formats/trajectories/write.ts';
import type { TrajectorySet } from '../../formats/trajectories/shape.ts';
import { ownTrajectories } from '../trajectories/own.ts';
import type { StoredItems } from '../supervised/resolve.ts';
import { storedFault } from '../supervised/stored.ts';
import { resolveTrajectories } from '../supervised/resolve.ts';

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
  const answered = heldOutSample(ofSplit('dev'), settings.warmUp?.questions ?? 0);
  if (settings.warmUp?.questions && answered.length === 0)
    onNotice('The cold start measures no format rate: no question is held out (split “dev”).');
  return {
    ...(settings.router.train !== 'off' && {
      router: createRouterLearner(settings, { router, onNotice }),
    }),
    ...(settings.warmUp &&
      settings.warmUp.from !== 'own' && {
        demonstrations: readDemonstrations(await givenDemonstrations(parts), config.vocabSize),
      }),
    ...(await storedTrajectories(settings, parts)),
    demonstrate: (context) => ownDemonstrations(settings, ofSplit('train'), context),
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
