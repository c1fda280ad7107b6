import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useState } from 'react';
import type { SettingField } from './setting-fields.ts';

interface SettingInputProps {
  field: SettingField;
  /** The current value; undefined if absent. */
  value: unknown;
  /** The recipe's value. */
  original: unknown;
  changed: boolean;
  /** `undefined`: as in the recipe. */
  change: (value: unknown) => void;
}

/** The text of the field; empty if absent. */
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** A value without a dedicated field, as JSON; applied on blur. */
const JsonInput = ({
  field,
  value,
  original,
  change,
  label,
}: SettingInputProps & { label: string }) => {
  const [text, setText] = useState<string | null>(null);
  const [wrong, setWrong] = useState(false);
  const commit = () => {
    if (text === null) return;
    try {
      const parsed: unknown = text.trim() === '' ? undefined : JSON.parse(text);
      setWrong(false);
      setText(null);
      // Compared as text, because a parsed object is never identical.
      change(JSON.stringify(parsed) === JSON.stringify(original) ? undefined : parsed);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextInput
      size="xs"
      label={label}
      aria-label={field.path}
      value={text ?? textOf(value)}
      error={wrong ? `Write JSON, such as ${textOf(original)}.` : undefined}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
};

/** One setting as a field of its kind; the recipe's own value is not a change. */
export const SettingInput = (props: SettingInputProps) => {
  const { field, value, original, changed, change } = props;
  const { setting, path, optional } = field;
  const label = changed ? `${field.name} (changed)` : field.name;
  const set = (next: unknown) =>
    change(JSON.stringify(next) === JSON.stringify(original) ? undefined : next);
  // Labelled by its whole path for screen readers: last keys are not unique.
  const common = { size: 'xs', label, 'aria-label': path } as const;
  switch (setting.kind) {
    case 'choice':
      return (
        <Select
          {...common}
          data={[
            // If the recipe has a value, omitting the setting would restore it.
            ...(optional && original === undefined ? [{ value: '', label: 'default' }] : []),
            ...setting.values,
          ]}
          value={typeof value === 'string' ? value : ''}
          onChange={({ currentTarget }) =>
            set(currentTarget.value === '' ? undefined : currentTarget.value)
          }
        />
      );
    case 'switch':
      return (
        <Checkbox
          {...common}
          checked={value === true}
          onChange={(event) =>
            set(
              optional && original === undefined && !event.currentTarget.checked
                ? undefined
                : event.currentTarget.checked,
            )
          }
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          allowDecimal={!setting.whole}
          step={setting.whole ? 1 : 0.05}
          // The schema uses infinity for no limit, which the field does not accept.
          {...(setting.min !== null && Number.isFinite(setting.min) && { min: setting.min })}
          {...(setting.max !== null && Number.isFinite(setting.max) && { max: setting.max })}
          placeholder={optional ? 'none' : ''}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => set(typeof next === 'number' ? next : undefined)}
        />
      );
    case 'several': {
      const now = Array.isArray(value) ? value.map(String) : [];
      return (
        <fieldset className="setting-several">
          <legend>{label}</legend>
          {setting.values.map((one) => (
            <Checkbox
              key={one}
              size="xs"
              label={one}
              checked={now.includes(one)}
              onChange={(event) =>
                set(
                  // In schema order, so that toggling an entry twice is not a change.
                  setting.values.filter((each) =>
                    each === one ? event.currentTarget.checked : now.includes(each),
                  ),
                )
              }
            />
          ))}
        </fieldset>
      );
    }
    case 'json':
      return <JsonInput {...props} label={label} />;
  }
};
