import { z } from 'zod';
import { isObject, isObjectOrList, merge } from '../../base/objects.ts';
import { OBJECTIVE, TRAINING } from '../parts/training-base.ts';
import { trainSettingsSchema, type TrainSettings } from '../parts/training.ts';
import type { Switch } from './switch.ts';

/** Switches of training: which settings each changes, whether it is on, and which settings it cannot be applied to. */

/** Settings of any recipe: an object in them is a group of settings, any other value is one setting. */
const GROUPS: Readonly<Record<string, unknown>> = {
  ...TRAINING,
  dynamicSampling: {},
  objective: OBJECTIVE,
};

const within = (path: string, value: unknown): { path: string; value: unknown }[] =>
  isObject(value)
    ? Object.entries(value).map(([name, own]) => ({ path: `${path}.${name}`, value: own }))
    : [{ path, value }];

/** Settings that a switch changes, by path; its reward is `rewardOf`. */
export const changesOf = ({ changes }: Switch): readonly { path: string; value: unknown }[] =>
  Object.entries(changes)
    .filter(([key]) => key !== 'stages')
    .flatMap(([key, value]) =>
      isObject(GROUPS[key]) ? within(key, value) : [{ path: key, value }],
    )
    // Each rule of the loss is a setting.
    .flatMap((one) => (one.path === 'objective.rules' ? within(one.path, one.value) : [one]));

/** The reward that it sets in every stage; null: it does not change rewards. */
export const rewardOf = ({ changes }: Switch): string | null => changes.stages?.[0]?.reward ?? null;

/** Paths of all settings that it changes. */
export const pathsOf = (one: Switch): string[] => [
  ...changesOf(one).map(({ path }) => path),
  ...(rewardOf(one) === null ? [] : ['stages.0.reward']),
];

/** The first setting that both change; undefined if they can be on together. */
export const sharedSetting = (a: Switch, b: Switch): string | undefined =>
  pathsOf(a).find((path) => pathsOf(b).includes(path));

const at = (from: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((branch, key) => (isObjectOrList(branch) ? branch[key] : undefined), from);

/** Whether a switch is on in settings, which may be incomplete. */
export function isOn(settings: unknown, { mark, changes }: Switch): boolean {
  const value = at(settings, mark);
  const own = at(changes, mark);
  return typeof own === 'string'
    ? value === own
    : value !== undefined && value !== null && value !== 0;
}

/** Why a switch would have no effect on settings or overwrite them; null if it can be applied. */
export function unfit(
  { stages, curriculum, branching }: TrainSettings,
  one: Switch,
): string | null {
  const said = (why: string): string => `${one.title} cannot be applied to this recipe: ${why}`;
  const losses = stages.map(({ loss }) => loss?.kind);
  const supervised = losses.find((kind) => kind !== undefined);
  if (losses.every((kind) => kind?.startsWith('stored-')))
    return said(`stages that learn from stored trajectories make no rollouts.`);
  const isOfLoss = changesOf(one).some(
    ({ path }) => path === 'updates' || path.startsWith('objective.'),
  );
  if (isOfLoss && losses.every((kind) => kind !== undefined))
    return said(`it changes the policy gradient, and the recipe learns by ${supervised}.`);
  if (rewardOf(one) !== null && supervised !== undefined)
    return said(`it sets a reward, and a stage learns by ${supervised}.`);
  const grows = one.changes.branching?.id;
  if (grows !== undefined && branching !== undefined && branching.id !== grows)
    return said(`both change how the rollouts of a group come from each other.`);
  const own = one.changes.curriculum;
  const { system } = curriculum;
  return own?.system && system && own.system.id !== system.id
    ? said(
        `it changes curriculum.system, and the recipe needs that of ${system.id}. Set curriculum.system to null first to replace it.`,
      )
    : null;
}

function putOver(settings: TrainSettings, one: Switch): TrainSettings {
  const { stages, ...rest } = one.changes;
  const [rewarded] = stages ?? [];
  return z.parse(trainSettingsSchema, {
    ...z.looseObject({}).parse(merge(settings, rest)),
    stages: settings.stages.map((stage) =>
      rewarded ? { ...stage, reward: rewarded.reward, weights: rewarded.weights } : stage,
    ),
  });
}

/**
 * A copy of settings with switches applied. Whether they can be trained is not checked.
 * @throws Error of one line if a switch cannot be applied, or two change the same setting
 */
export function withSwitches(settings: TrainSettings, switches: readonly Switch[]): TrainSettings {
  const chosen = [...new Set(switches)];
  for (const [i, one] of chosen.entries())
    for (const other of chosen.slice(0, i)) {
      const path = sharedSetting(one, other);
      if (path !== undefined)
        throw new Error(
          `the switches ${other.id} and ${one.id} both change ${path}; leave one of them out`,
        );
    }
  return chosen.reduce((now, one) => {
    const problem = unfit(now, one);
    if (problem !== null) throw new Error(problem);
    return putOver(now, one);
  }, settings);
}
