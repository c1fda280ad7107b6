import type { AgentDeps } from '../../agent/request.ts';
import { deriveSeed } from '../../base/random.ts';
import { growGroup } from '../../learn/branching/grow.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { endProgress, sayProgress } from '../shared/command.ts';
import type { Pace } from '../../evaluate/study/file/file.ts';
import { inLockStep } from '../../retrieval/lock-step.ts';
import type { Parts } from '../shared/parts.ts';

/** Rollouts that run at the same time; they fill the policy's slots. */
const ROLLOUTS_AT_ONCE = 32;

export interface RunOptions {
  recipe: Recipe;
  overrides: SettingsOverride;
  /** Rollouts per question. */
  group: number;
  /** How they come from each other; all begin at the question by default. */
  branching?: Branching | null;
  seed: number;
  /** Place of the first question among those of a longer run, which seeds depend on; 0 by default. */
  first?: number;
  /** Shown in front of the progress. */
  label?: string;
  /** Rollouts that run at the same time; as many as fill the policy's slots by default. */
  atOnce?: number;
  /**
   * Rollouts run in waves then, each when the one before has ended; `lock-step`: those of a wave wait for each other at
   * every search.
   */
  pace?: Pace | null;
  /** Ends the rollouts; the promise is then rejected with its reason. */
  signal?: AbortSignal;
  /** Receives the rollouts of each question in order, as soon as they and all before them are made: a run that is cut keeps them. */
  onRollouts?: (rollouts: readonly Rollout[]) => void;
}

/** Does `work` for every item, at most `width` at a time, started in order. */
async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

export interface QuestionsRun {
  /** In the order of the questions. */
  rollouts: Rollout[];
  /** By question. */
  groups: Rollout[][];
  /** Wall time in all. */
  seconds: number;
  /** By the place of its first question: seconds per rollout of each wave; empty where none were asked for. */
  waves: ReadonlyMap<number, number>;
}

/** Runs a recipe over questions. */
export async function runQuestions(
  { deps }: Pick<Parts, 'deps'>,
  questions: readonly Question[],
  options: RunOptions,
): Promise<QuestionsRun> {
  const { recipe, overrides, group, branching, seed, signal } = options;
  const { label = '', first = 0, atOnce = ROLLOUTS_AT_ONCE } = options;
  const groups: Rollout[][] = [];
  let finished = 0;
  let taken = 0;
  const start = performance.now();
  const width = Math.max(1, Math.floor(atOnce / group));
  const run = async (from: AgentDeps, question: Question, index: number): Promise<void> => {
    signal?.throwIfAborted();
    const request = {
      question,
      recipe,
      overrides,
      seed: deriveSeed(seed, 'question', first + index),
      size: group,
      groupId: `${recipe.id}-${seed}-${question.id}`,
      runId: `cli-${recipe.id}-${seed}`,
      step: 0,
      signal,
    };
    const ground = { place: first + index, kept: {}, begun: [] };
    groups[index] = await growGroup(from, request, branching ?? undefined, ground);
    finished++;
    for (let next = groups[taken]; next; next = groups[++taken]) options.onRollouts?.(next);
    const left = ((performance.now() - start) / 1000 / finished) * (questions.length - finished);
    sayProgress(`${label}${finished}/${questions.length} questions, ≈ ${left.toFixed(0)} s left`);
  };
  const waves = new Map<number, number>();
  if (options.pace)
    for (let at = 0; at < questions.length; at += width) {
      const { retriever } = deps;
      const together =
        options.pace === 'own' ? deps : { ...deps, retriever: inLockStep(retriever) };
      const wave = questions.slice(at, at + width);
      const began = performance.now();
      await Promise.all(wave.map((question, i) => run(together, question, at + i)));
      const made = groups.slice(at, at + width).flat().length;
      waves.set(at, (performance.now() - began) / 1000 / made);
    }
  else await inParallel(questions, width, (question, index) => run(deps, question, index));
  endProgress();
  signal?.throwIfAborted();
  return { rollouts: groups.flat(), groups, waves, seconds: (performance.now() - start) / 1000 };
}
