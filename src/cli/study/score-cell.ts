import { resolve } from 'node:path';
import { RunningMean } from '../../agent/router/reward.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { itemAt } from '../../base/items.ts';
import type { StudyFile } from '../../evaluate/study/file/file.ts';
import type { PlannedScore } from '../../evaluate/study/plan.ts';
import { groupRowOf, rowOf, timingsOf } from '../../evaluate/study/rows.ts';
import { askFrozen, FROZEN_K, type FrozenSource } from '../../learn/frozen/answers.ts';
import { withoutAdapter } from '../../learn/frozen/without-adapter.ts';
import { checkFaults } from '../../learn/rl/collect.ts';
import { decodeRouterState } from '../../learn/router/learner.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import { getRecipe } from '../../systems/index.ts';
import { TRAINING } from '../../recipes/parts/training-base.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { allows } from '../../world/questions/compositions.ts';
import { UsageError } from '../shared/options.ts';
import { readAdapterFolder } from '../shared/parts.ts';
import { runQuestions } from '../evaluate/run-questions.ts';
import type { StudyFolder } from './folder.ts';
import type { StudyEngine } from './study-engine.ts';
import type { StudySources, StudyWorlds } from './worlds.ts';

/** One score of a study: a policy over the questions of a world. */

export interface ScoreCell {
  folder: StudyFolder;
  engine: StudyEngine;
  /** Folder that the paths of the study file are relative to. */
  base: string;
  worlds: StudyWorlds;
  sources: StudySources;
  evaluate: StudyFile['evaluate'];
  signal: AbortSignal;
}

/** @throws UsageError where none is left */
function questionsOf(
  { world }: StudySources,
  { split, compositions, questions }: StudyFile['evaluate'],
  name: string,
): WorldQuestion[] {
  const found = world.questions
    .filter((question) => split === 'all' || question.split === split)
    .filter(
      ({ composition }) =>
        compositions === 'any' || (composition !== undefined && allows(compositions, composition)),
    );
  if (found.length === 0)
    throw new UsageError(
      `${name} has no question with split ${split} and compositions ${compositions}.`,
    );
  return found.slice(0, questions);
}

const ANY_ADAPTER: LoraSpec = { ...TRAINING.adapter, targets: [...TRAINING.adapter.targets] };

/** Questions that the frozen policy is asked at the same time. */
const FROZEN_AT_ONCE = 32;

/** Lets the frozen policy answer from each rollout's evidence. */
async function askAll({
  deps,
  questions,
  rollouts,
  from,
  signal,
}: {
  deps: AgentDeps;
  questions: readonly WorldQuestion[];
  rollouts: readonly Rollout[];
  from: FrozenSource;
  signal: AbortSignal;
}): Promise<void> {
  for (let at = 0; at < questions.length; at += FROZEN_AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(
      questions
        .slice(at, at + FROZEN_AT_ONCE)
        .map((question, i) =>
          askFrozen(deps, question, [itemAt(rollouts, at + i)], { from, k: FROZEN_K, signal }),
        ),
    );
  }
}

/** Inputs of a score: policy with its adapter, sources, and the router after training. */
async function openCell(score: PlannedScore, cell: ScoreCell) {
  const { folder, engine, base, sources, evaluate, signal } = cell;
  const { training, world, overrides } = score;
  const stored = score.adapter === null ? null : resolve(base, score.adapter);
  const from = training === null ? stored : folder.trainedFolder(training);
  const adapter = from === null ? null : await readAdapterFolder(engine.config, from);
  const routed = training === null ? null : folder.readTrained(training).router;
  const { policy } = await engine.threads(adapter?.spec ?? ANY_ADAPTER);
  await policy.setAdapter?.(adapter);
  const deps: AgentDeps = {
    policy,
    retriever: sources.retriever,
    router: sources.router(routed === null ? undefined : decodeRouterState(routed).weights),
    summarizer: engine.summarizers[score.summarizer],
    now: Date.now,
    webLatency: new RunningMean(),
  };
  return {
    questions: questionsOf(sources, evaluate, world.name),
    adapter,
    deps,
    options: {
      recipe: getRecipe(score.recipe),
      overrides,
      group: score.group?.size ?? 1,
      branching: score.group?.branching ?? null,
      pace: score.pace,
      seed: evaluate.seed,
      signal,
    },
  };
}

type OpenedCell = Awaited<ReturnType<typeof openCell>>;

/** The questions that are timed, one at a time. */
async function askTimed(
  key: string,
  { questions, deps, options }: OpenedCell,
  count: number,
): Promise<{ rollouts: Rollout[]; seconds: number }> {
  const timed = await runQuestions({ deps }, questions.slice(0, count), {
    ...options,
    label: `${key}  one at a time  `,
    atOnce: 1,
  });
  checkFaults(timed.rollouts);
  return timed;
}

const webLatencyOf = async (
  { world }: PlannedScore,
  { evaluate, worlds, folder }: ScoreCell,
): Promise<number> => (evaluate.timed > 0 ? worlds.webLatencyMs(world, folder) : 0);

/** Questions after which the rows are saved. */
const PART = 64;

/** Runs the questions part by part, from where an interrupted run stopped. */
async function scoreInParts(
  { key }: PlannedScore,
  { folder, engine, evaluate }: ScoreCell,
  { questions, deps, options }: OpenedCell,
): Promise<void> {
  const begun = folder.readScorePart(key);
  const rowOptions = {
    reward: evaluate.reward ?? null,
    routerReward: evaluate.routerReward,
    webLatencyMs: 0,
    waveSeconds: null,
  };
  const rows = begun?.rows ?? [];
  let seconds = begun?.seconds ?? 0;
  while (rows.length < questions.length) {
    const part = questions.slice(rows.length, rows.length + PART);
    const run = await runQuestions({ deps }, part, {
      ...options,
      first: rows.length,
      label: `${key}  from question ${rows.length + 1}  `,
    });
    checkFaults(run.rollouts);
    rows.push(...part.map((one, i) => rowOf(one, itemAt(run.rollouts, i), null, rowOptions)));
    seconds += run.seconds;
    folder.writeScorePart({ key, made: engine.made, seconds, rows });
  }
  folder.writeScore({ key, made: engine.made, seconds, rows });
}

/** Runs the questions and keeps their rows. */
export async function scoreCell(score: PlannedScore, cell: ScoreCell): Promise<void> {
  const { folder, engine, evaluate, signal } = cell;
  const { key } = score;
  const opened = await openCell(score, cell);
  if (!score.group && score.frozen === null && score.pace === null && evaluate.timed === 0)
    return scoreInParts(score, cell, opened);
  const { questions, deps, options, adapter } = opened;
  const { rollouts, groups, seconds, waves } = await runQuestions({ deps }, questions, {
    ...options,
    label: `${key}  `,
  });
  checkFaults(rollouts);
  if (score.frozen !== null) {
    const asked = { deps, questions, rollouts, from: score.frozen, signal };
    await withoutAdapter(
      deps.policy,
      () => askAll(asked),
      async () => deps.policy.setAdapter?.(adapter),
    );
  }
  const timed = await askTimed(key, opened, evaluate.timed);
  const rowOptions = {
    reward: evaluate.reward ?? null,
    routerReward: evaluate.routerReward,
    webLatencyMs: await webLatencyOf(score, cell),
  };
  folder.writeScore({
    key,
    made: engine.made,
    seconds: seconds + timed.seconds,
    rows: questions.map((question, i) =>
      score.group
        ? groupRowOf(question, itemAt(groups, i), {
            ...rowOptions,
            waveSeconds: waves.get(i) ?? null,
            branching: score.group.branching ?? undefined,
            vocabulary: deps.policy.tokenizer.vocabSize,
          })
        : rowOf(question, itemAt(rollouts, i), timed.rollouts[i] ?? null, {
            ...rowOptions,
            waveSeconds: waves.get(i) ?? null,
          }),
    ),
  });
}

/** Times an existing score once more and changes nothing else of it. */
export async function timeCell(score: PlannedScore, cell: ScoreCell): Promise<void> {
  const { folder, engine, evaluate } = cell;
  const before = folder.readScore(score.key);
  const { rollouts } = await askTimed(score.key, await openCell(score, cell), evaluate.timed);
  const timing = {
    routerReward: evaluate.routerReward,
    webLatencyMs: await webLatencyOf(score, cell),
  };
  folder.writeScore({
    ...before,
    made: { ...before.made, timed: engine.made },
    rows: before.rows.map((row, i) => ({ ...row, ...timingsOf(rollouts[i] ?? null, timing) })),
  });
}
