import { SWITCHES } from '../../../recipes/switches/list.ts';
import {
  changesOf,
  isOn,
  pathsOf,
  rewardOf,
  sharedSetting,
  unfit,
} from '../../../recipes/switches/put.ts';
import type { Switch } from '../../../recipes/switches/switch.ts';
import { getTraining } from '../../../systems/index.ts';
import { checkDraft, rawSettings, readPath, withChange, type Draft } from './train-draft.ts';

/** Switches of training that papers publish, in the draft of a run: on where the settings have its value. */

/** Those that are on in settings, checked or not. */
export const switchesOn = (settings: unknown): readonly Switch[] =>
  SWITCHES.filter((one) => isOn(settings, one));

interface Rewarded {
  reward: string;
  weights: Readonly<Record<string, number>>;
}

/** The draft with a reward for each of its stages. */
const withRewards = (draft: Draft, rewardAt: (stage: number) => Rewarded | undefined): Draft => {
  const stages: unknown = readPath(rawSettings(draft), 'stages');
  if (!Array.isArray(stages)) return draft;
  const rewarded = stages.map((stage: unknown, at): unknown => {
    const own = rewardAt(at);
    return typeof stage === 'object' && own
      ? { ...stage, reward: own.reward, weights: own.weights }
      : stage;
  });
  return withChange(draft, 'stages', rewarded);
};

/** The draft without a switch: what it changes is the recipe's again, except for what another one needs. */
export const withSwitchOut = (draft: Draft, one: Switch): Draft => {
  const others = switchesOn(rawSettings(draft)).filter((other) => other !== one);
  const stays = others.flatMap(pathsOf);
  const recipe = getTraining(draft.training);
  const without = changesOf(one)
    .filter(({ path }) => !stays.includes(path))
    .map(({ path }) => {
      // A part that the recipe lacks goes as a whole, where no other switch needs it.
      const [part = ''] = path.split('.');
      const isWhole = readPath(recipe, part) === null;
      return isWhole && !stays.some((other) => other.startsWith(`${part}.`)) ? part : path;
    })
    .reduce((now, path) => withChange(now, path, undefined), draft);
  if (rewardOf(one) === null) return without;
  const { stages } = recipe;
  return withRewards(without, (at) => stages[at] ?? stages.at(-1));
};

/** Switches that are on and change a setting of this one: they go where it comes. */
const inTheWay = (draft: Draft, one: Switch): readonly Switch[] =>
  switchesOn(rawSettings(draft)).filter(
    (other) => other !== one && sharedSetting(one, other) !== undefined,
  );

/** The draft with a switch; those in its way are taken out. */
export const withSwitchOn = (draft: Draft, one: Switch): Draft => {
  const free = inTheWay(draft, one).reduce(withSwitchOut, draft);
  const changed = changesOf(one).reduce(
    (now, { path, value }) => withChange(now, path, value),
    free,
  );
  const reward = rewardOf(one);
  return reward === null ? changed : withRewards(changed, () => ({ reward, weights: {} }));
};

/** A switch of a paper as the form offers it for the present draft. */
export interface SwitchState {
  one: Switch;
  on: boolean;
  /** What goes out where it is put on. */
  inPlaceOf: readonly Switch[];
  /** Why it cannot be put on; null where it can, or the settings are not allowed as they are. */
  refused: string | null;
}

/** Tried on a draft without what would be in its way: what goes out is no reason against it. */
const refusal = (draft: Draft, one: Switch): string | null => {
  const { settings } = checkDraft(inTheWay(draft, one).reduce(withSwitchOut, draft));
  if (!settings) return null;
  const problem = unfit(settings, one);
  if (problem !== null) return problem;
  const [message] = Object.values(checkDraft(withSwitchOn(draft, one)).errors);
  return message ?? null;
};

/** Every switch as it stands to a draft. */
export const switchStates = (draft: Draft): readonly SwitchState[] => {
  const on = switchesOn(rawSettings(draft));
  return SWITCHES.map((one) =>
    on.includes(one)
      ? { one, on: true, inPlaceOf: [], refused: null }
      : { one, on: false, inPlaceOf: inTheWay(draft, one), refused: refusal(draft, one) },
  );
};
