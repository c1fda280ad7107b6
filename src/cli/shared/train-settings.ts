import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import { idleBecause } from '../../learn/settings/idle.ts';
import { warningsOf } from '../../learn/run/warnings.ts';
import { parseTrainSettings, withChanges } from '../../learn/settings/edit-settings.ts';
import { findTraining, getTraining, TRAININGS } from '../../systems/index.ts';
import { getSwitch, SWITCHES } from '../../recipes/switches/list.ts';
import { rewardOf, withSwitches } from '../../recipes/switches/put.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { say } from './command.ts';
import { UsageError, type OptionSpec, type OptionValues } from './options.ts';

/** Settings of a training run as the command line names them. */
export const SETTINGS_OPTIONS = {
  recipe: {
    type: 'string',
    value: 'ID',
    help: `recipe, with its usual training or the one after the slash: ${TRAININGS.map(({ id }) => id).join(', ')}; or a .json file of settings`,
  },
  steps: {
    type: 'integer',
    value: 'N',
    help: "steps (default: the recipe's); 0: a cold start only",
    min: 0,
  },
  seed: { type: 'integer', value: 'S', help: "seed (default: the recipe's)", min: 0 },
  set: {
    type: 'string',
    value: 'K=V',
    help: 'change a setting, e.g. optimizer.learningRate=2e-3; may be repeated',
    multiple: true,
  },
} as const satisfies Record<string, OptionSpec>;

const ofReward = SWITCHES.filter((one) => rewardOf(one) !== null).map(({ id }) => id);

/** Switches of training over the settings that a recipe names. */
export const SWITCH_OPTION = {
  switch: {
    type: 'string',
    value: 'ID,ID',
    help: `apply a training switch to the recipe's settings, before --set; several separated by commas, or repeated: ${SWITCHES.map(({ id }) => id).join(', ')}; ${ofReward.join(' and ')} change the reward of every stage, verifier-pitfalls its input`,
    multiple: true,
  },
} as const satisfies Record<string, OptionSpec>;

/** Turns errors about the user's input into a UsageError. */
export function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${messageOf(error).replace(/\.$/, '')}.`);
  }
}

function readRecipe(name: string): TrainSettings {
  if (!name.endsWith('.json')) {
    const found = findTraining(name);
    if (found && name !== found.id && name !== found.recipe.id)
      say(`"${name}" was renamed to "${found.id}".`);
    return asUsage(() => getTraining(name));
  }
  if (!existsSync(name)) throw new UsageError(`${name} is missing.`);
  return asUsage(() => {
    const json: unknown = JSON.parse(readFileSync(name, 'utf8'));
    // A run's own settings.json holds them one level down.
    const inner = typeof json === 'object' && json !== null && 'settings' in json;
    return parseTrainSettings(inner ? json.settings : json);
  });
}

/**
 * The settings that `SETTINGS_OPTIONS` name.
 * @param command for the message where no recipe is named
 * @param check throws for settings that the command cannot use
 * @param switches ids, several by commas, put over the recipe before `changes`
 * @throws UsageError where they are none, or fail the check: by default, whether they can be trained with
 */
export function readSettings(
  command: string,
  values: OptionValues,
  changes: readonly string[],
  check: (settings: TrainSettings) => void = checkTrainable,
  switches: readonly string[] = [],
): TrainSettings {
  if (values.recipe === undefined) throw new UsageError(`${command} needs --recipe ID|FILE.json.`);
  const settings = readRecipe(String(values.recipe));
  if (values.seed !== undefined) settings.seed = Number(values.seed);
  if (values.steps !== undefined) settings.steps = Number(values.steps);
  return asUsage(() => {
    const ids = switches.flatMap((text) => text.split(',')).map((id) => id.trim());
    const changed = withChanges(withSwitches(settings, ids.map(getSwitch)), changes);
    check(changed);
    return changed;
  });
}

/**
 * Warns of settings that are probably a mistake, one line each, as the page's form does, and of changes (`path=value`)
 * that have no effect with the other settings.
 */
export function sayWarnings(settings: TrainSettings, changes: readonly string[] = []): void {
  for (const warning of warningsOf(settings)) say(`warning: ${warning}`);
  for (const change of changes) {
    const path = change.slice(0, change.indexOf('='));
    const because = idleBecause(settings, path);
    if (because !== null) say(`warning: ${path} has no effect here: ${because}.`);
  }
}
