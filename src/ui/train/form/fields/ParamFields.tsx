import { useMemo } from 'react';
import type { z } from 'zod';
import { toJSONSchema } from 'zod';
import { Fragment } from 'react';
import { isObject } from '../../../../base/objects.ts';
import {
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  SwitchField,
  useDraftValue,
  useErrors,
} from './fields.tsx';

/** What is read of a schema: `title` and `description` say what a field is called and means, `choices` name an enum's values. */
interface Described {
  type?: string;
  title?: string;
  description?: string;
  choices?: Readonly<Record<string, string>>;
  /** A number that is typed as such: 1e-3. */
  isRate?: boolean;
  enum?: readonly string[];
  const?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  properties?: Readonly<Record<string, Described>>;
  required?: readonly string[];
  prefixItems?: readonly Described[];
  anyOf?: readonly Described[];
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** The alternative that a value is of; a nullable one where the value is null. */
const alternativeOf = (described: Described, value: unknown): Described =>
  described.anyOf?.find(({ type }) => type === typeOf(value)) ?? described;

/** What a nullable part begins with when it is switched on. */
const begunWith = ({ default: own, properties }: Described): unknown =>
  own ??
  Object.fromEntries(Object.entries(properties ?? {}).map(([key, one]) => [key, begunWith(one)]));

const Field = ({
  path,
  name,
  of,
  described: given,
  optional = false,
}: {
  path: string;
  name: string;
  /** What it belongs to, after its own name. */
  of: string;
  described: Described;
  /** It may be left empty. */
  optional?: boolean;
}) => {
  const value = useDraftValue(path);
  const title = given.title ?? name;
  const on = given.anyOf?.some(({ type }) => type === 'null')
    ? given.anyOf.find(({ type }) => type !== 'null')
    : undefined;
  const described = on ?? alternativeOf(given, value);
  const says = { path, title: given.description ?? '' };
  const part = on ? <PartSwitch {...says} label={title} on={begunWith(on)} /> : null;
  if (part && (value ?? null) === null) return part;
  const field = { ...says, label: part ? `${title}, value` : `${title}${of}` };
  const parts = described.prefixItems ?? described.properties;
  const values = described.enum ?? (described.const === undefined ? undefined : [described.const]);
  const inner = parts ? (
    Object.entries(parts).map(([key, one]) => (
      <Field
        key={key}
        path={`${path}.${key}`}
        name={key}
        of={on ? '' : given.title ? `, ${given.title}` : of}
        described={one}
      />
    ))
  ) : values ? (
    <SelectField
      {...field}
      {...(optional ? { absent: '(default)' } : {})}
      choices={values.map((one) => ({
        value: one,
        label: described.choices?.[one] ?? one,
      }))}
    />
  ) : described.type === 'boolean' ? (
    <SwitchField {...field} />
  ) : described.isRate ? (
    <RateField {...field} />
  ) : described.type === 'number' || described.type === 'integer' ? (
    <NumberField
      {...field}
      {...(optional ? { absent: 'default' } : {})}
      decimal={described.type === 'number'}
      step={described.type === 'number' ? 0.1 : 1}
      {...(described.minimum === undefined ? {} : { min: described.minimum })}
      {...(described.maximum === undefined ? {} : { max: described.maximum })}
    />
  ) : null;
  return (
    <>
      {part}
      {inner}
    </>
  );
};

/**
 * The fields of a system's own parameters, from their schema.
 * @param path where the parameters are in the settings
 */
export const ParamFields = ({ path, params }: { path: string; params: z.ZodObject }) => {
  const value = useDraftValue(path);
  const { properties = {}, required = [] } = useMemo(
    () => toJSONSchema(params, { io: 'input' }) as Described,
    [params],
  );
  if (!isObject(value)) return null;
  return Object.entries(properties).map(([name, described]) => (
    <Field
      key={name}
      path={`${path}.${name}`}
      name={name}
      of=""
      described={described}
      optional={!required.includes(name) && described.default === undefined}
    />
  ));
};

/** A switch for each system that declares such a part, called as its schema is, and the fields of the one that is on. */
export const SystemSwitches = ({
  path,
  declared,
}: {
  path: string;
  declared: ReadonlyMap<string, { params: z.ZodObject }>;
}) => {
  const value = useDraftValue(path);
  const error = useErrors()[path];
  return [...declared].map(([id, { params }]) => {
    // One system's part at a time.
    if (isObject(value) && value['id'] !== id) return null;
    const { title = id, description = '' } = params.meta() ?? {};
    const on = { id, ...params.safeParse({}).data };
    return (
      <Fragment key={id}>
        <PartSwitch path={path} label={title} title={description} on={on} />
        <ParamFields path={path} params={params} />
        {error === undefined ? null : <p className="field-error">{error}</p>}
      </Fragment>
    );
  });
};
