import { withOverrides } from '../../recipes/parts/settings.ts';
import { recipeOf } from '../../recipes/registry.ts';
import {
  DEFAULT_WARM_UP,
  type TrainSettings,
  stageSchema,
  trainSettingsSchema,
} from '../../recipes/parts/training.ts';
import { overridesInForce } from './overrides.ts';
import { issueOf } from '../../base/errors.ts';
import { lastOf } from '../../base/items.ts';
import { isObjectOrList } from '../../base/objects.ts';
import { z } from 'zod';
import { allRewards, rewardById } from '../rewards/registry.ts';
import { knownAs } from '../../recipes/parts/nearest.ts';

const rewardId = z.string().refine((id) => rewardById(id) !== null, {
  error: ({ input }) =>
    `unknown reward "${String(input)}"; ${knownAs(
      String(input),
      allRewards().map(({ id }) => id),
    )}`,
});

/** Training settings from outside: every stage has a reward that can be computed here. */
export const checkedSettingsSchema = trainSettingsSchema.extend({
  stages: z.array(stageSchema.extend({ reward: rewardId })).min(1),
});

/** Checks settings from outside. @throws Error of one line that names the field at fault */
export function parseTrainSettings(json: unknown): TrainSettings {
  const parsed = checkedSettingsSchema.safeParse(json);
  if (!parsed.success) throw new Error(`training settings: ${issueOf(parsed.error)}`);
  withOverrides(recipeOf(parsed.data).settings, overridesInForce(parsed.data));
  return parsed.data;
}

/** Text as JSON where it is some, else as the text itself. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Settings that a recipe may leave out. */
const OPTIONAL = [
  'warmUp',
  'adapter.gates',
  'branching',
  'start',
  'verifier',
  'curriculum.system',
  'dynamicSampling',
  'objective.credit',
  'objective.rules',
  'objective.kl.system',
];

/**
 * Settings with changes such as `optimizer.learningRate=2e-3` or `stages.0.reward=em`; values are
 * JSON, or text. Below `overrides` new keys may be made, elsewhere the key must be one of the settings.
 * @throws Error of one line that names the change or the field at fault
 */
export function withChanges(settings: TrainSettings, changes: readonly string[]): TrainSettings {
  const begun = structuredClone(settings);
  // What is said of a cold start also asks for one.
  if (begun.warmUp === null && changes.some((change) => /^warmUp\.\w+=/.test(change)))
    begun.warmUp = { ...DEFAULT_WARM_UP };
  const copy: unknown = begun;
  for (const change of changes) {
    const equals = change.indexOf('=');
    if (equals < 1) throw new Error(`'${change}' is not a change; write key=value`);
    const path = change.slice(0, equals).split('.');
    const optional = OPTIONAL.some((name) => `${path.join('.')}.`.startsWith(`${name}.`));
    const free =
      path[0] === 'overrides' ||
      path.includes('weights') ||
      ['loss', 'overrides'].includes(path[2] ?? '') ||
      optional;
    let at: unknown = copy;
    for (const key of path.slice(0, -1)) {
      if (!isObjectOrList(at)) throw new Error(`there is no setting '${path.join('.')}'`);
      if (free) at[key] ??= {};
      at = at[key];
    }
    const last = lastOf(path, 'key of the change');
    if (!isObjectOrList(at) || (!free && !Object.hasOwn(at, last)))
      throw new Error(`there is no setting '${path.join('.')}'`);
    const value = valueOf(change.slice(equals + 1));
    // Parameters of one system are not another's.
    if (last === 'id' && at[last] !== value) for (const key of Object.keys(at)) delete at[key];
    at[last] = value;
  }
  return parseTrainSettings(copy);
}
