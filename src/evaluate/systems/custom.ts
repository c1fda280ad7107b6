import { z } from 'zod';
import { oneLine } from '../../base/errors.ts';
import { knownAs } from '../../recipes/parts/nearest.ts';
import { getRecipe, RECIPES } from '../../systems/index.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import {
  recipeSettingsSchema,
  withOverrides,
  type RecipeSettings,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import { formatFault } from './format.ts';
import { isObject } from '../../base/objects.ts';

/** A custom system: a recipe with some of its settings changed, saved and shared as JSON. */

export interface CustomSystem {
  format: 'forage.system/1';
  id: string;
  title: string;
  /** Id of the recipe that it was made from. */
  base: string;
  /** Only what differs from the recipe. */
  changes: SettingsOverride;
  /** The author's description. */
  notes: string;
}

const LONGEST = 400;

const fileSchema = z.strictObject({
  format: z.literal('forage.system/1'),
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/),
  title: z.string().min(1).max(LONGEST),
  base: z.string().max(LONGEST),
  changes: z.record(z.string(), z.unknown()).default({}),
  notes: z.string().max(4000).default(''),
});

/** A custom system that cannot be used, and why, in one line. */
export class CustomSystemError extends Error {
  override readonly name = 'CustomSystemError';
}

/** Keys that an object may have; null where others may follow, as a system's parameters do. */
const keysOf = (schema: unknown): string[] | null =>
  schema instanceof z.ZodObject && !(schema.def.catchall instanceof z.ZodUnknown)
    ? Object.keys(schema.shape)
    : null;

const fieldOf = (schema: unknown, key: string): unknown => {
  let found: unknown =
    schema instanceof z.ZodObject ? (schema.shape as object)[key as never] : null;
  while (
    found instanceof z.ZodDefault ||
    found instanceof z.ZodOptional ||
    found instanceof z.ZodExactOptional ||
    found instanceof z.ZodNullable
  )
    found = found.unwrap();
  return found;
};

/** The first key that the schema does not have, with those that it has; null where all are known. */
function unknownKey(value: unknown, schema: unknown, path: readonly string[]): string | null {
  const known = keysOf(schema);
  if (!known || !isObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, key];
    if (!known.includes(key))
      return `"${oneLine(place.join('.'), LONGEST)}" is ${path.length === 0 ? 'no part' : 'no setting'} of a system; ${path.length === 0 ? 'there are' : `${path.join('.')} has`} ${known.join(', ')}`;
    const deeper = unknownKey(inner, fieldOf(schema, key), place);
    if (deeper !== null) return deeper;
  }
  return null;
}

/**
 * Reads a custom system.
 * @throws CustomSystemError of one line that names the field, part, setting or recipe at fault
 */
export function parseCustomSystem(value: unknown): CustomSystem {
  const format = isObject(value) ? value['format'] : undefined;
  const strange = formatFault(format, 'system', 'forage.system/1');
  if (strange !== null) throw new CustomSystemError(strange);
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = issue?.path.map(String).join('.') ?? '';
    throw new CustomSystemError(
      `system${place === '' ? '' : `, ${oneLine(place, LONGEST)}`}: ${oneLine(issue?.message ?? 'not valid')}`,
    );
  }
  const { id, base, changes } = parsed.data;
  if (RECIPES.some((recipe) => recipe.id === id))
    throw new CustomSystemError(`system, id: "${id}" is a recipe; give the system another id`);
  const recipe = RECIPES.find(({ id }) => id === base);
  if (!recipe)
    throw new CustomSystemError(
      `system, base: there is no recipe "${oneLine(base, LONGEST)}"; ${knownAs(
        base,
        RECIPES.map((one) => one.id),
      )}`,
    );
  const stranger = unknownKey(changes, recipeSettingsSchema, []);
  if (stranger !== null) throw new CustomSystemError(`system, changes: ${stranger}.`);
  try {
    withOverrides(recipe.settings, changes);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CustomSystemError(`system, changes: ${oneLine(message)}`);
  }
  return { ...parsed.data, changes };
}

/** Reads one from the text of a file. @throws CustomSystemError */
export function readCustomSystem(text: string): CustomSystem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CustomSystemError(
      `This is not a system: it is not JSON (${oneLine(error instanceof Error ? error.message : String(error))}).`,
    );
  }
  return parseCustomSystem(value);
}

/** The file of a system. */
export const writeCustomSystem = (system: CustomSystem): string =>
  `${JSON.stringify(system, null, 2)}\n`;

/** An id that no system has: the base's with a number after it. */
export const freeId = (base: string, taken: ReadonlySet<string>): string => {
  for (let number = 2; ; number++) {
    const id = `${base.slice(0, 70)}-${number}`;
    if (!taken.has(id)) return id;
  }
};

/**
 * A shared system as it is kept beside others: one that is there already stays that one, and another with the
 * same id gets an id of its own.
 */
export function besideOthers(system: CustomSystem, others: readonly CustomSystem[]): CustomSystem {
  const same = others.find(({ id }) => id === system.id);
  if (!same || writeCustomSystem(same) === writeCustomSystem(system)) return system;
  const id = freeId(system.id, new Set([...others, ...RECIPES].map((one) => one.id)));
  return { ...system, id, title: `${system.title.slice(0, 180)}, imported` };
}

/** A copy of a recipe to change. @param id of the copy, which no other system has */
export const duplicateOf = (recipe: Recipe, id: string, title: string): CustomSystem => ({
  format: 'forage.system/1',
  id,
  title,
  base: recipe.id,
  changes: {},
  notes: '',
});

/** The settings that a system's rollouts run under. @throws Error that names the field at fault */
export const settingsOf = ({ base, changes }: CustomSystem): RecipeSettings =>
  withOverrides(getRecipe(base).settings, changes);

/** The settings that differ, one a leaf: `stie.mode` from `paper` to `off`. */
export function changesOf(
  before: RecipeSettings,
  after: RecipeSettings,
): { setting: string; from: unknown; to: unknown }[] {
  const walk = (a: unknown, b: unknown, path: string): ReturnType<typeof changesOf> => {
    if (isObject(a) && isObject(b))
      return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
        walk(a[key], b[key], path === '' ? key : `${path}.${key}`),
      );
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ setting: path, from: a, to: b }];
  };
  return walk(before, after, '');
}
