import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { plural } from '../../../kit/words/format.ts';
import { isObject } from '../../../../base/objects.ts';

type Overrides = Readonly<Record<string, unknown>>;

/** Every value below, by its path; a list is one value. */
const leavesOf = (overrides: Overrides, above = ''): [path: string, value: unknown][] =>
  Object.entries(overrides).flatMap(([key, value]) =>
    isObject(value)
      ? leavesOf(value, `${above}${key}.`)
      : [[`${above}${key}`, value] satisfies [string, unknown]],
  );

/** A copy with another value at a path. */
const changed = (overrides: Overrides, path: string, value: unknown): Overrides => {
  const [key = '', ...rest] = path.split('.');
  const below = overrides[key];
  return {
    ...overrides,
    [key]: rest.length === 0 ? value : changed(isObject(below) ? below : {}, rest.join('.'), value),
  };
};

/** What a stage changes in the loop of its rollouts, where its recipe does. */
export const StageOverrides = (props: {
  overrides: Overrides | undefined;
  error: string | undefined;
  change: (overrides: Overrides) => void;
}) => {
  const { overrides = {}, error } = props;
  const leaves = leavesOf(overrides);
  if (leaves.length === 0) return null;
  return (
    <details className="weights" {...(error !== undefined && { open: true })}>
      <summary>
        {plural(leaves.length, 'change')} of the loop in this stage:{' '}
        {leaves.map(([path, value]) => `${path} ${JSON.stringify(value)}`).join(', ')}
      </summary>
      <div className="stage-row">
        {leaves.map(([path, value]) => {
          const set = (next: unknown) => props.change(changed(overrides, path, next));
          const shared = { size: 'xs', label: path } as const;
          if (typeof value === 'boolean')
            return (
              <Checkbox
                key={path}
                {...shared}
                checked={value}
                onChange={(event) => set(event.currentTarget.checked)}
              />
            );
          if (typeof value === 'number' || value === null)
            return (
              <NumberInput
                key={path}
                {...shared}
                allowNegative={false}
                value={value ?? ''}
                // What is cleared is no number yet, and not allowed.
                onChange={(next) => set(typeof next === 'number' ? next : null)}
              />
            );
          // A list has no field here; it stays as in the recipe.
          return typeof value === 'string' ? (
            <TextInput
              key={path}
              {...shared}
              value={value}
              onChange={(event) => set(event.currentTarget.value)}
            />
          ) : (
            <p key={path} className="fine">
              {path} {JSON.stringify(value)}
            </p>
          );
        })}
      </div>
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </details>
  );
};
