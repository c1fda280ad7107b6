import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { Select } from '../../kit/fields/Select.tsx';
import { useState } from 'react';
import type { SettingField } from './setting-fields.ts';

interface SettingInputProps {
  field: SettingField;
  /** As it is now; undefined where it is left out. */
  value: unknown;
  /** What the recipe has. */
  original: unknown;
  changed: boolean;
  /** `undefined`: as in the recipe. */
  change: (value: unknown) => void;
}

/** As it is in the field: nothing for what is left out. */
const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** A value that has no field of its own, written as JSON; it counts when the field is left. */
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
      // Compared as text, because an object that was parsed is never the recipe's own.
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

/** One setting as the field that its kind wants; back at the recipe's own value it is not a change. */
export const SettingInput = (props: SettingInputProps) => {
  const { field, value, original, changed, change } = props;
  const { setting, path, optional } = field;
  const label = changed ? `${field.name} (changed)` : field.name;
  const set = (next: unknown) =>
    change(JSON.stringify(next) === JSON.stringify(original) ? undefined : next);
  // Named by its whole path for screen readers: the last word alone may be that of several settings.
  const common = { size: 'xs', label, 'aria-label': path } as const;
  switch (setting.kind) {
    case 'choice':
      return (
        <Select
          {...common}
          data={[
            // Where the recipe has a value, leaving it out would bring that value back.
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
          // Where the schema sets no limit there is an infinite one, which the field does not take.
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
                  // In the schema's order, so that ticking one off and on again is not a change.
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
