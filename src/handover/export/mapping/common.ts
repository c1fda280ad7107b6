import { definedRules } from '../../../learn/objective.ts';
import { rewardById } from '../../../learn/rewards/registry.ts';
import { untrainable } from '../../../learn/rl/trainable.ts';
import { recipeOf } from '../../../systems/index.ts';
import { withOverrides } from '../../../recipes/parts/settings.ts';
import { traitsOf } from '../../../recipes/parts/system.ts';
import { declaredCurriculum } from '../../../recipes/parts/curriculum.ts';
import { declaredGrouping } from '../../../recipes/parts/branching.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { MappingInput, Refusal } from './mapping.ts';

/**
 * What no trainer elsewhere can follow: what only Forage's own loop does beside the language policy,
 * and what no trainer can learn from at all.
 */
export function commonRefusals({ settings, startStep, hasAdapter }: MappingInput): Refusal[] {
  const { objective, stages, router, warmUp, start, shuffleRewards, groupSize, steps } = settings;
  const refusals: Refusal[] = [];
  const refuse = (setting: string, why: string, without: Refusal['without'] = null): void =>
    void refusals.push({ setting, why, without });
  // The environment summarizes by extraction.
  const found = untrainable(settings, { summarizer: true });
  if (found) refuse(found.path, found.message);
  if (router.train === 'beside')
    refuse(
      'router.train',
      'the router is learned by Forage alone; elsewhere it stays as it is',
      'router',
    );
  if (router.train === 'alone')
    refuse(
      'router.train',
      'nothing but the router is trained, which Forage alone does; train it here',
    );
  if (warmUp !== null && !hasAdapter)
    refuse(
      'warmUp',
      'the supervised warm-up is made by Forage alone; make it here and export the run, whose adapter then begins warm',
      'warm-up',
    );
  if (start !== undefined && start !== 'searching' && !hasAdapter)
    refuse(
      'start',
      'this start is made by Forage alone; make it here and export the run, whose adapter then begins so',
      'warm-up',
    );
  if (shuffleRewards)
    refuse(
      'shuffleRewards',
      'rewards come from the environment one rollout at a time, so none can be shuffled over a step; run this control here',
    );
  if (objective.credit === 'span')
    refuse(
      'objective.credit',
      'the trainers take one advantage a rollout; leave it out, and what single searches earn counts in the reward',
      'credit',
    );
  for (const [path, what] of switchesOf(settings))
    refuse(path, `${what} is Forage’s own; leave it out, or train it here`);
  const ofGroup = stages.find(({ reward }) => wholeOf(reward));
  if (ofGroup)
    refuse(
      'stages',
      `the reward ${ofGroup.reward} looks at more than one rollout, asks the frozen policy, or reads gold paragraphs, and rewards come from the environment one rollout at a time; train it here`,
    );
  if (groupSize < 2)
    refuse(
      'groupSize',
      'advantages are made within a group, so a group of one teaches nothing; set it to 2 or more',
    );
  if (startStep >= steps)
    refuse(
      'steps',
      `all ${steps} steps are made already; set steps to more, or begin again`,
      'adapter',
    );
  return refusals;
}

/** Whether a reward cannot be notified of one rollout by itself. */
function wholeOf(reward: string): boolean {
  const { ofGroup, ofBatch, frozen, goldTexts } = rewardById(reward) ?? {};
  return Boolean(ofGroup ?? ofBatch ?? frozen ?? goldTexts);
}

/** Switches that only Forage's loop knows, by path. */
function switchesOf(settings: TrainSettings) {
  const { objective, stages, dynamicSampling, verifier, curriculum, adapter, branching } = settings;
  const loop = withOverrides(recipeOf(settings).settings, settings.overrides);
  const system = declaredCurriculum(curriculum);
  const lacks = curriculum.system ? (system?.lacks(curriculum.system) ?? null) : null;
  const { estimator, rules, kl } = objective;
  const supervised = stages.findIndex(({ loss }) => loss !== undefined);
  const changed = stages.findIndex(({ overrides }) => overrides !== undefined);
  const all: [path: string, what: string, on: boolean][] = [
    ...[...definedRules].map(
      ([id, { what }]) => [`objective.rules.${id}`, what, id in rules] as (typeof all)[number],
    ),
    ['objective.estimator', 'a critic', typeof estimator !== 'string'],
    ['objective.kl.system', 'a KL whose weight changes by step or rollout', Boolean(kl.system)],
    [`stages.${supervised}.loss`, 'a stage that learns by supervision', supervised >= 0],
    [`stages.${changed}.overrides`, 'a loop that changes from stage to stage', changed >= 0],
    ['dynamicSampling.by', 'groups by their accuracy', typeof dynamicSampling?.by === 'object'],
    ['dynamicSampling.system', 'a way to sample groups', Boolean(dynamicSampling?.system)],
    [
      'branching',
      `a group whose rollouts ${branching ? declaredGrouping(branching.id).grows : 'branch'}`,
      branching !== undefined,
    ],
    ['adapter.gates', 'latent thinking (gates next to the adapter)', Boolean(adapter.gates)],
    ['verifier', 'a faulty verifier', Boolean(verifier)],
    [
      'overrides.system',
      'a context that is reset after a search',
      traitsOf(loop).resetsContext === true,
    ],
    [
      'curriculum.system',
      system?.learns
        ? `the curriculum of ${curriculum.system?.id}, which learns from the rollouts of a run,`
        : (lacks ?? ''),
      system?.learns === true || lacks !== null,
    ],
  ];
  return all.flatMap(([path, what, on]) => (on ? [[path, what] as const] : []));
}

/** Draws that the steps made so far took: every step takes as many as it has questions. */
export const firstDraw = ({ questions }: TrainSettings, startStep: number): number =>
  startStep * questions;

/** Draws that the steps to come may take; groups that are drawn again (DAPO) take further ones. */
export const rowCount = (settings: TrainSettings, startStep: number): number =>
  Math.max(0, settings.steps - startStep) *
  settings.questions *
  (settings.dynamicSampling?.maxBatches ?? 1);
