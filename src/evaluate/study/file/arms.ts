import { z } from 'zod';
import { merge } from '../../../base/objects.ts';
import { messageOf } from '../../../base/errors.ts';
import { knownAs } from '../../../recipes/parts/nearest.ts';
import type { FrozenSource } from '../../../learn/frozen/answers.ts';
import { checkRouter } from '../../../learn/run/assemble.ts';
import { untrainable } from '../../../learn/rl/trainable.ts';
import { checkedSettingsSchema } from '../../../learn/settings/edit-settings.ts';
import { overridesInForce } from '../../../learn/settings/overrides.ts';
import { findTraining, getTraining, knownTrainings, RECIPES } from '../../../systems/index.ts';
import type { Branching } from '../../../recipes/parts/branching.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';
import {
  mergeOverrides,
  recipeSettingsSchema,
  type RecipeSettings,
  type SettingsOverride,
} from '../../../recipes/parts/settings.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { Pace, StudyArm, StudyFile } from './file.ts';
import { issueLines } from './issues.ts';

/** An arm with all of its settings. */
export interface ResolvedArm {
  name: string;
  /** Its training, with seed 0; null: it is not trained. */
  settings: TrainSettings | null;
  /** Whose loop its rollouts run. */
  recipe: string;
  /** What it changes in the recipe's loop where it is evaluated. */
  evaluation: SettingsOverride;
  demonstrations: string | null;
  /** PEFT folder of an adapter trained elsewhere; null: none. */
  adapter: string | null;
  /** Who summarizes, where its loop has summaries on. */
  summarizer: 'extractive' | 'oracle';
  frozen: FrozenSource | null;
  /** How the rollouts of a question come from each other where there are several. */
  branching: Branching | null;
  pace: Pace | null;
}

type Resolved = { arm: ResolvedArm; problems: [] } | { arm: null; problems: string[] };

const failed = (problems: string[]): Resolved => ({ arm: null, problems });

/** What is wrong with a loop. A summarizer that it does not ask would be a control that controls nothing. */
function loopProblems(recipe: Recipe, over: unknown, { summarizer }: StudyArm): string[] {
  const parsed = recipeSettingsSchema.safeParse(merge(recipe.settings, over));
  if (!parsed.success) return issueLines(parsed.error, 'loop: ');
  return summarizer === undefined || parsed.data.retrieval.summarize === 'on'
    ? []
    : ['summarizer has no effect, since retrieval.summarize is off; leave it out'];
}

/** How every question of the evaluation is sampled and routed, over what the arm changes. */
function evaluationOf({ evaluate }: StudyFile, own: SettingsOverride): SettingsOverride {
  const { temperature, routing, loop } = evaluate;
  const sampled = { sampling: { temperature }, nlr: { routing } };
  return mergeOverrides(mergeOverrides(own, sampled), loop);
}

function untrainedArm(study: StudyFile, arm: StudyArm): Resolved {
  const recipe = RECIPES.find(({ id }) => id === arm.recipe);
  if (!recipe)
    return failed([
      `unknown recipe "${arm.recipe}" of an untrained arm; ${knownAs(
        arm.recipe,
        RECIPES.map(({ id }) => id),
        '“lab recipes”',
      )}`,
    ]);
  const idle = [
    ...(Object.keys(arm.training).length > 0 ? ['training'] : []),
    ...(arm.shuffled ? ['shuffled'] : []),
    ...(arm.demonstrations === undefined ? [] : ['demonstrations']),
  ];
  const evaluation = evaluationOf(study, arm.loop);
  const problems = [
    ...idle.map((name) => `it is untrained, and has ${name}; leave one out`),
    ...loopProblems(recipe, evaluation, arm),
  ];
  if (problems.length > 0) return failed(problems);
  return {
    arm: {
      name: arm.name,
      settings: null,
      recipe: recipe.id,
      evaluation,
      demonstrations: null,
      adapter: arm.adapter ?? null,
      summarizer: arm.summarizer ?? 'extractive',
      frozen: arm.frozen ?? null,
      branching: arm.branching ?? null,
      pace: arm.pace ?? null,
    },
    problems: [],
  };
}

/** The variant that is named, and why there is none where it is a recipe of several, or unknown. */
function trainingProblem(id: string): string | null {
  if (findTraining(id)) return null;
  const [name] = id.split('/');
  const recipe = RECIPES.find((one) => one.id === name);
  if (!recipe) return `unknown recipe "${id}"; ${knownTrainings(id)}`;
  if (recipe.training.length === 0)
    return `recipe "${id}" has no training of its own; mark the arm as untrained, or name one that is trained`;
  return `unknown variant "${id}"; of ${recipe.id} there are ${recipe.training.map((one) => one.name).join(', ')}`;
}

/** What the settings cannot be trained with, beside their shape. */
function trainingFaults(settings: TrainSettings, arm: StudyArm): string[] {
  const found = untrainable(settings, { summarizer: true });
  const faults = found ? [`training: ${found.message}`] : [];
  try {
    checkRouter(settings);
  } catch (error) {
    faults.push(`training: ${messageOf(error)}`);
  }
  const { warmUp, stages } = settings;
  const given = warmUp !== null && !warmUp.own;
  const stored = stages.find(({ loss }) => isStored(loss))?.loss;
  if (given && arm.demonstrations === undefined)
    faults.push('training: warmUp needs demonstrations, a file of rollouts');
  if (stored && arm.demonstrations === undefined)
    faults.push(
      `training: a stage of ${stored.kind} needs demonstrations, a file that lab trajectories writes`,
    );
  if (!given && !stored && arm.demonstrations !== undefined)
    faults.push(
      'demonstrations are for a training.warmUp that is given them, or a stage of stored trajectories',
    );
  return faults;
}

function trainedArm(study: StudyFile, arm: StudyArm): Resolved {
  const problem = trainingProblem(arm.recipe);
  if (problem !== null) return failed([problem]);
  const { train } = study;
  if (arm.adapter !== undefined)
    return failed(['it is trained, and has adapter; only an untrained arm can have one']);
  if (!train) return failed(['it is trained; the file needs train, or untrained here']);
  const base = getTraining(arm.recipe);
  const changed = merge(merge({ ...base, steps: train.steps }, train.settings), arm.training);
  const parsed = checkedSettingsSchema.safeParse(
    merge(changed, { overrides: arm.loop, ...(arm.shuffled && { shuffleRewards: true }) }),
  );
  if (!parsed.success) return failed(issueLines(parsed.error, 'training: '));
  // What a seed and a training begin as is the study's and the recipe's to say.
  const settings: TrainSettings = { ...parsed.data, seed: 0, preset: base.preset };
  const recipe = RECIPES.find(({ id }) => id === settings.recipe);
  if (!recipe) return failed([`training: recipe: unknown recipe "${settings.recipe}"`]);
  const own = overridesInForce(settings);
  const evaluation = evaluationOf(study, own);
  const loops = [
    ...new Set([...loopProblems(recipe, own, arm), ...loopProblems(recipe, evaluation, arm)]),
  ];
  const problems = loops.length > 0 ? loops : trainingFaults(settings, arm);
  if (problems.length > 0) return failed(problems);
  return {
    arm: {
      name: arm.name,
      settings,
      recipe: recipe.id,
      evaluation,
      demonstrations: arm.demonstrations ?? null,
      adapter: null,
      summarizer: arm.summarizer ?? 'extractive',
      frozen: arm.frozen ?? null,
      branching: arm.branching === undefined ? (settings.branching ?? null) : arm.branching,
      pace: arm.pace ?? null,
    },
    problems: [],
  };
}

const sameAs = (arm: ResolvedArm): string => JSON.stringify({ ...arm, name: '' });

/** Arms of one name, and arms of other names that are one. */
function twice(arms: readonly StudyArm[], resolved: readonly (ResolvedArm | null)[]): string[] {
  return arms.flatMap(({ name }, i) => {
    if (arms.findIndex((one) => one.name === name) < i) return [`arm "${name}": is there twice`];
    const own = resolved[i];
    const first = own ? resolved.findIndex((one) => one && sameAs(one) === sameAs(own)) : i;
    return first < i ? [`arm "${name}": has the very settings of "${arms[first]?.name}"`] : [];
  });
}

/** Every arm with its settings, and what is wrong with them, a line each. */
export function resolveArms(study: StudyFile): { arms: ResolvedArm[]; problems: string[] } {
  const resolved = study.arms.map((arm) =>
    arm.untrained ? untrainedArm(study, arm) : trainedArm(study, arm),
  );
  const problems = resolved.flatMap((one, i) =>
    one.problems.map((problem) => `arm "${study.arms[i]?.name}": ${problem}`),
  );
  return {
    arms: resolved.flatMap(({ arm }) => arm ?? []),
    problems: [
      ...problems,
      ...twice(
        study.arms,
        resolved.map(({ arm }) => arm),
      ),
    ],
  };
}

/** The whole of a loop's settings, with the changes. @throws z.ZodError where they are none */
export const loopOf = (recipe: Recipe, over: SettingsOverride): RecipeSettings =>
  z.parse(recipeSettingsSchema, merge(recipe.settings, over));
