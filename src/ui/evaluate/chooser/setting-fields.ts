import { z } from 'zod';
import { recipeSettingsSchema } from '../../../recipes/parts/settings.ts';
import { isObject } from '../../../base/objects.ts';

/** The settings of a loop as fields of a form, read from their schema: a new part is here by itself. */

type SettingKind =
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'switch' }
  | { kind: 'number'; whole: boolean; min: number | null; max: number | null }
  /** Several of some words. */
  | { kind: 'several'; values: readonly string[] }
  /** Anything else, as JSON. */
  | { kind: 'json' };

/** One setting of a loop as the form shows it. */
export interface SettingField {
  /** `retrieval.maxSearches` */
  path: string;
  /** The words of the last key: `max searches`. */
  name: string;
  /** It may be left out, and then means what nothing means. */
  optional: boolean;
  setting: SettingKind;
}

/** The fields below one heading: the settings of one object of the schema. */
export interface SettingPart {
  /** `retrieval`; `loop` for what is alone. */
  name: string;
  fields: readonly SettingField[];
}

/** `maxSearches` → `max searches` */
const wordsOf = (key: string): string =>
  key.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, ' ').toLowerCase();

/** A schema without what says that it may be left out or has a default. */
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

/** The field that a schema wants; anything else is written as JSON. */
const kindOf = (schema: unknown): SettingKind => {
  if (schema instanceof z.ZodEnum)
    return { kind: 'choice', values: schema.options.map((option) => String(option)) };
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

/** All leaves below a path, objects within objects too. */
const fieldsOf = (schema: unknown, path: string): SettingField[] => {
  const { schema: found, optional } = inner(schema);
  if (found instanceof z.ZodObject)
    return Object.entries(found.shape).flatMap(([key, value]) => fieldsOf(value, `${path}.${key}`));
  const name = wordsOf(path.split('.').at(-1) ?? path);
  return [{ path, name, optional, setting: kindOf(found) }];
};

/** Every part with its fields; what is no object by itself stands together in the first. */
export const SETTING_PARTS: readonly SettingPart[] = (() => {
  const entries = Object.entries(recipeSettingsSchema.shape);
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

type Tree = Readonly<Record<string, unknown>>;

/** The value at a path of keys; undefined where there is none. */
export const valueAt = (tree: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), tree);

/** A copy of the tree with a value at a path; `undefined` takes it out, and what is empty by that too. */
export const withValue = (tree: Tree, path: string, value: unknown): Tree => {
  const [key = '', ...rest] = path.split('.');
  const { [key]: before, ...others } = tree;
  if (rest.length === 0) return value === undefined ? others : { ...others, [key]: value };
  const below = withValue(isObject(before) ? before : {}, rest.join('.'), value);
  return Object.keys(below).length === 0 ? others : { ...others, [key]: below };
};
