import { z } from 'zod';
import { dialectIds, dialectSchema } from '../../../recipes/parts/dialect.ts';
import { recipeSettingsSchema, type RecipeSettings } from '../../../recipes/parts/settings.ts';
import { paramsOf } from '../../../recipes/parts/system.ts';
// The choices of a dialect are those of all systems.
import '../../../systems/index.ts';
import { isObject } from '../../../base/objects.ts';

/** Fields of a form generated from the schema of a loop's settings: new settings appear by themselves. */

type SettingKind =
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'switch' }
  | { kind: 'number'; whole: boolean; min: number | null; max: number | null }
  /** Several of a few words. */
  | { kind: 'several'; values: readonly string[] }
  /** Anything else, as JSON. */
  | { kind: 'json' };

/** One setting of a loop as a form field. */
export interface SettingField {
  /** `retrieval.maxSearches` */
  path: string;
  /** The words of the last key: `max searches`. */
  name: string;
  /** Optional. */
  optional: boolean;
  setting: SettingKind;
}

/** Fields under one heading: one object of the schema. */
export interface SettingPart {
  /** `retrieval`; `loop` for top-level settings. */
  name: string;
  fields: readonly SettingField[];
}

/** `maxSearches` → `max searches` */
const wordsOf = (key: string): string =>
  key.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, ' ').toLowerCase();

/** The schema without its optional and default wrappers. */
const inner = (schema: unknown): { schema: unknown; optional: boolean } => {
  let [found, optional] = [schema, false];
  for (;;) {
    if (found instanceof z.ZodOptional || found instanceof z.ZodExactOptional) {
      found = found.unwrap();
      optional = true;
    } else if (found instanceof z.ZodDefault) found = found.unwrap();
    else return { schema: found, optional };
  }
};

/** The field kind for a schema; anything else is JSON. */
const kindOf = (schema: unknown): SettingKind => {
  if (schema instanceof z.ZodEnum)
    return { kind: 'choice', values: schema.options.map((option) => String(option)) };
  if (schema === dialectSchema) return { kind: 'choice', values: dialectIds() };
  if (schema instanceof z.ZodBoolean) return { kind: 'switch' };
  if (schema instanceof z.ZodNumber)
    return {
      kind: 'number',
      whole: schema.isInt,
      min: schema.minValue,
      max: schema.maxValue,
    };
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum)
    return { kind: 'several', values: schema.element.options.map((option) => String(option)) };
  return { kind: 'json' };
};

/** All leaves below a path, recursively. */
const fieldsOf = (schema: unknown, path: string): SettingField[] => {
  const { schema: found, optional } = inner(schema);
  if (found instanceof z.ZodObject)
    return Object.entries(found.shape).flatMap(([key, value]) => fieldsOf(value, `${path}.${key}`));
  const name = wordsOf(path.split('.').at(-1) ?? path);
  return [{ path, name, optional, setting: kindOf(found) }];
};

/** Parts that every system has; top-level settings come first. */
const SHARED_PARTS: readonly SettingPart[] = (() => {
  const entries = Object.entries(recipeSettingsSchema.shape).filter(([name]) => name !== 'system');
  const isPart = ([, schema]: [string, unknown]): boolean =>
    inner(schema).schema instanceof z.ZodObject;
  return [
    {
      name: 'loop',
      fields: entries.filter((entry) => !isPart(entry)).flatMap(([key, s]) => fieldsOf(s, key)),
    },
    ...entries.filter(isPart).map(([name, schema]) => ({ name, fields: fieldsOf(schema, name) })),
  ];
})();

/** Every part with its fields, a system's own parameters last. */
export function settingParts({ system }: Pick<RecipeSettings, 'system'>): readonly SettingPart[] {
  const params = system && paramsOf(system.id);
  return params
    ? [...SHARED_PARTS, { name: 'system', fields: fieldsOf(params, 'system') }]
    : SHARED_PARTS;
}

type Tree = Readonly<Record<string, unknown>>;

/** The value at a path of keys; undefined if absent. */
export const valueAt = (tree: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), tree);

/** A copy of the tree with a new value at a path; `undefined` removes it and then-empty parents. */
export const withValue = (tree: Tree, path: string, value: unknown): Tree => {
  const [key = '', ...rest] = path.split('.');
  const { [key]: before, ...others } = tree;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  const below = withValue(isObject(before) ? before : {}, rest.join('.'), value);
  return Object.keys(below).length === 0 ? others : { ...others, [key]: below };
};
