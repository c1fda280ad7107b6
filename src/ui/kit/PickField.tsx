import { type NativeSelectProps } from '@mantine/core';
import { Select } from './Select.tsx';
import { pickOf } from './pick-of.ts';

interface PickFieldProps<T extends string> extends Omit<
  NativeSelectProps,
  'value' | 'data' | 'onChange'
> {
  values: readonly T[];
  /** The chosen value; null or undefined for none. */
  value: T | null | undefined;
  /** Labels of the values; a value without a label shows itself. */
  names?: Readonly<Partial<Record<T, string>>>;
  onPick: (value: T) => void;
  /** Label of the empty choice, which is first. Without it something is always chosen. */
  none?: string;
  onNone?: () => void;
}

/**
 * A choice among known values. Browsers return any string; `onPick` only gets members of `values`, so
 * that forms need no check.
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
