import { withOverrides } from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { beginningClash, switchClash } from '../settings/switches.ts';
import type { TrainDeps } from './contracts.ts';
import type { TrainState } from './state.ts';

/**
 * What no run may be started or continued, though its settings are well formed. Stored runs with
 * such settings still open; they are only not trained further.
 */

export interface Untrainable {
  /** Path of the setting at fault. */
  path: string;
  /** What is wrong, and what to do. */
  message: string;
}

/** What it is judged with beside the settings. */
export interface TrainCircumstances {
  /** Whether the trainer available has one. */
  summarizer?: boolean;
  /** Steps that a stored run has, whose settings nobody can edit; absent: the run is not begun yet. */
  done?: number;
}

/**
 * The first setting that cannot be trained with; null where there is none.
 *
 * Truncated sampling: the sampler draws from what top-k or top-p leave at each token, and a trainer
 * that does not know what was left computes the ratio and the gradient of another distribution.
 * Summaries: without a summarizer the policy would read, and learn from, the passages themselves.
 * @throws Error where the recipe or its overrides are not valid
 */
export function untrainable(
  settings: TrainSettings,
  { summarizer = false, done }: TrainCircumstances = {},
): Untrainable | null {
  const advice = (edit: string, restart: string): string => {
    if (done === undefined) return edit;
    if (done === 0) return `This run cannot be edited: start a new one ${restart}.`;
    return `Its steps so far (${done}) and its adapter stay; start a new run ${restart}.`;
  };
  // A step's rollouts have the run's temperature and the whole vocabulary, whatever the overrides say.
  const { adapter } = settings;
  const rollouts = withOverrides(recipeOf(settings).settings, settings.overrides);
  const { loop, sampling, retrieval } = rollouts;
  if (settings.steps === 0 && !settings.warmUp && done === undefined)
    return {
      path: 'steps',
      message:
        'With 0 steps and no cold start nothing is trained. ' +
        'Take at least one step, or give demonstrations for a cold start.',
    };
  if (sampling.topK > 0)
    return {
      path: 'overrides.sampling.topK',
      message:
        `Training with top-k ${sampling.topK} is refused: a trainer computes log-probabilities ` +
        'over the whole vocabulary, not over the tokens that top-k keeps. ' +
        advice('Set it to 0.', 'with top-k 0'),
    };
  if (retrieval.summarize === 'on' && !summarizer)
    return {
      path: 'overrides.retrieval.summarize',
      message:
        'Training with summaries is refused: no summarizer is chosen, so the policy would read the ' +
        'passages themselves. ' +
        advice(
          'Choose one (extractive is built in), or set overrides.retrieval.summarize to off.',
          'with a summarizer',
        ),
    };
  // A stored run has chosen as it did.
  const unasked = done === undefined ? beginningClash(settings, loop === 'agent') : null;
  const clash = unasked ?? switchClash(settings) ?? chosenClash(settings) ?? contextClash(settings);
  if (clash) return clash;
  if (adapter.gates && !traitsOf(rollouts).latent)
    return {
      path: 'adapter.gates',
      message:
        `Training the recipe ${settings.recipe} with gates is refused: its policy reads only tokens, so gates ` +
        'would learn nothing. ' +
        advice(
          'Set adapter.gates to null, or choose a recipe that thinks in mixtures of tokens.',
          'without gates',
        ),
    };
  return null;
}

/**
 * Rollouts whose steps were chosen among several are not drawn from the policy, so that a policy gradient on them has
 * another mean.
 * @throws Error where the overrides of a stage are not valid
 */
function chosenClash(settings: TrainSettings): Untrainable | null {
  const ground = withOverrides(recipeOf(settings).settings, settings.overrides);
  for (const [at, { loss, overrides = {} }] of settings.stages.entries()) {
    const { choosesSteps } = traitsOf(withOverrides(ground, overrides));
    if (choosesSteps && loss === undefined)
      return {
        path: `stages.${at}.loss`,
        message: `Stage ${at + 1} chooses each step from several candidates, so its rollouts are not samples of the policy that a policy gradient would train. Give the stage a loss (sft or dpo), or leave candidates and other chains out.`,
      };
  }
  return null;
}

/** What takes a rollout for one context, where contexts restart. @throws Error where overrides are not valid */
function contextClash(settings: TrainSettings): Untrainable | null {
  const { branching, adapter, stages } = settings;
  const ground = withOverrides(recipeOf(settings).settings, settings.overrides);
  const of = stages.findIndex(
    ({ overrides = {} }) => traitsOf(withOverrides(ground, overrides)).resetsContext,
  );
  if (of < 0) return null;
  const refused = (path: string, what: string): Untrainable => ({
    path,
    message: `The context is reset after a search (overrides.system), and ${what}. Leave one of the two out.`,
  });
  if (branching) return refused('branching', 'branching rollouts share one context');
  if (adapter.gates) return refused('adapter.gates', 'latent thinking is tied to one context');
  const supervised = stages.findIndex(({ loss }) => loss !== undefined);
  return supervised < 0
    ? null
    : refused(`stages.${supervised}.loss`, 'supervision needs a rollout in one context');
}

/** Whether the rollouts of a run read summaries. @throws Error where the overrides are not valid */
export const asksForSummaries = (settings: TrainSettings): boolean =>
  withOverrides(recipeOf(settings).settings, settings.overrides).retrieval.summarize === 'on';

/** @throws Error where a run with these settings cannot be trained */
export function checkTrainable(settings: TrainSettings, given: TrainCircumstances = {}): void {
  const found = untrainable(settings, given);
  if (found) throw new Error(found.message);
}

/** Checks all that a run needs as it begins or is resumed. @throws Error of one sentence */
export function checkBeginning(
  settings: TrainSettings,
  { agent, router }: TrainDeps,
  state: TrainState,
): void {
  if (state.step < settings.steps)
    checkTrainable(settings, {
      summarizer: Boolean(agent.summarizer),
      ...(state.step > 0 && { done: state.step }),
    });
  if (!agent.policy.setAdapter) throw new Error('training: this policy takes no adapter');
  if (settings.router.train !== 'off' && !router)
    throw new Error('training: the settings train a router, but there is none');
}
