import { type NativeSelectProps } from '@mantine/core';
import { Select } from './fields/Select.tsx';
import { pickOf } from './pick-of.ts';

interface PickFieldProps<T extends string> extends Omit<
  NativeSelectProps,
  'value' | 'data' | 'onChange'
> {
  values: readonly T[];
  /** What is chosen; null or undefined where nothing is. */
  value: T | null | undefined;
  /** What values are called; a value without a name is its own. */
  names?: Readonly<Partial<Record<T, string>>>;
  onPick: (value: T) => void;
  /** What choosing nothing is called; it stands first. Without it something is always chosen. */
  none?: string;
  onNone?: () => void;
}

/**
 * A choice among words that the program knows. A browser hands back any string; what reaches `onPick`
 * is one of `values`, so that no form has to check it again.
 */
export const PickField = <T extends string>(props: PickFieldProps<T>) => {
  const { values, value, names, onPick, none, onNone, ...field } = props;
  const choices = values.map((each) => ({ value: each, label: names?.[each] ?? each }));
  return (
    <Select
      size="xs"
      {...field}
      value={value ?? ''}
      data={none === undefined ? choices : [{ value: '', label: none }, ...choices]}
      onChange={(event) => {
        const picked = pickOf(values, event.currentTarget.value);
        if (picked === null) onNone?.();
        else onPick(picked);
      }}
    />
  );
};
