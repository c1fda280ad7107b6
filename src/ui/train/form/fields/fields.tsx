import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { Select } from '../../../kit/Select.tsx';
import { createContext, use, useState, type ReactNode } from 'react';
import { idleBecause } from '../../../../learn/settings/idle.ts';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import { isObject } from '../../../../base/objects.ts';
import { labelled } from '../../../kit/labelled.tsx';
import { changeDraft, readPath } from '../../store/train-draft.ts';

/** Fields of the form of a new run, each bound to one path of the settings. */

/** The settings as they stand and the complaints by path; given once for the whole form. */
export const FormState = createContext<{
  raw: unknown;
  errors: Readonly<Record<string, string>>;
  /** null where something is not allowed. */
  settings: TrainSettings | null;
}>({ raw: {}, errors: {}, settings: null });

/** The settings of the form; null while something in it is not allowed. */
export const useSettings = () => use(FormState).settings;

/** What a field holds: the change that was made, else the recipe’s own; it may be text that is no number yet. */
export const useDraftValue = (path: string): unknown => readPath(use(FormState).raw, path);

/** Complaints by path of the settings; a field shows its own. */
export const useErrors = () => use(FormState).errors;

const useError = (path: string): string | undefined => useErrors()[path];

/** What a field is beside the others where it does nothing: it cannot be changed, and says why. */
const useNoEffect = (
  path: string,
): {
  disabled?: true;
  description?: string;
  inputWrapperOrder?: ['label', 'input', 'description', 'error'];
} => {
  const settings = useSettings();
  const because = settings && idleBecause(settings, path);
  if (!because) return {};
  return {
    disabled: true,
    description: `Does nothing: ${because}.`,
    // Below, so that the fields of a row stay in line.
    inputWrapperOrder: ['label', 'input', 'description', 'error'],
  };
};

interface FieldProps {
  /** Of the settings: `optimizer.learningRate`. */
  path: string;
  /** Acronyms of a text open what they mean; a symbol that means several things brings its own. */
  label: ReactNode;
  /** What it means, beside the label as a tooltip. */
  title?: string;
}

const numeric = (value: unknown): number | string =>
  typeof value === 'number' || typeof value === 'string' ? value : '';

/** A number; whole unless `decimal`. What is out of bounds stays as typed, and is complained about. */
export const NumberField = (
  props: FieldProps & {
    min?: number;
    max?: number;
    step?: number;
    decimal?: boolean;
    /** What holds where the field is empty; emptying it takes the value away. */
    absent?: number | string;
  },
) => {
  const value = useDraftValue(props.path);
  const idle = useNoEffect(props.path);
  return (
    <NumberInput
      {...idle}
      size="xs"
      {...labelled(props.label)}
      title={props.title}
      min={props.min}
      max={props.max}
      step={props.step ?? 1}
      allowDecimal={props.decimal ?? false}
      clampBehavior="none"
      placeholder={props.absent === undefined ? undefined : `(${props.absent})`}
      value={numeric(value)}
      error={useError(props.path)}
      onChange={(next) =>
        changeDraft(props.path, next === '' && props.absent !== undefined ? undefined : next)
      }
    />
  );
};

/** A number that people write as 2e-4; what is typed stays as it is typed. */
export const RateField = (props: FieldProps) => {
  const value = useDraftValue(props.path);
  const idle = useNoEffect(props.path);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && Number(typed) === value ? typed : String(numeric(value));
  return (
    <TextInput
      {...idle}
      size="xs"
      {...labelled(props.label)}
      title={props.title}
      inputMode="decimal"
      value={shown}
      error={useError(props.path)}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const number = Number(text);
        changeDraft(props.path, text.trim() !== '' && Number.isFinite(number) ? number : text);
      }}
    />
  );
};

/** An option with other words than its value. */
export interface Choice {
  value: string;
  label: string;
}

/** One of several values. */
export const SelectField = (
  props: FieldProps & {
    choices: readonly (string | Choice)[];
    /** What an absent value is called; choosing it takes the value away. */
    absent?: string;
    /** What is set for a choice that has parameters; undefined: its value. `chosen`: the choice that such parameters are of. */
    holds?: (choice: string) => unknown;
    chosen?: (value: Readonly<Record<string, unknown>>) => string | undefined;
    wide?: boolean;
  },
) => {
  const value = useDraftValue(props.path);
  const idle = useNoEffect(props.path);
  const choices = props.choices.map((choice) =>
    typeof choice === 'string' ? { value: choice, label: choice } : choice,
  );
  return (
    <Select
      {...idle}
      size="xs"
      className={props.wide ? 'wide' : ''}
      label={props.label}
      title={props.title}
      value={
        typeof value === 'string' ? value : isObject(value) ? (props.chosen?.(value) ?? '') : ''
      }
      error={useError(props.path)}
      data={props.absent === undefined ? choices : [{ value: '', label: props.absent }, ...choices]}
      onChange={(event) => {
        const choice = event.currentTarget.value;
        changeDraft(props.path, props.holds?.(choice) ?? (choice || undefined));
      }}
    />
  );
};

/** @param absent what holds where nothing is said; choosing it takes the value away */
export const SwitchField = ({ path, label, title, absent }: FieldProps & { absent?: boolean }) => (
  <Checkbox
    size="xs"
    {...labelled(label)}
    title={title}
    checked={(useDraftValue(path) ?? absent) === true}
    onChange={({ currentTarget: { checked } }) =>
      changeDraft(path, checked === absent ? undefined : checked)
    }
  />
);

/** A part of the settings that may be off, `null`; on begins with `on`. */
export const PartSwitch = ({ path, label, on, title }: FieldProps & { on: unknown }) => (
  <Checkbox
    size="xs"
    {...labelled(label)}
    title={title}
    checked={usePart(path)}
    error={useError(path)}
    onChange={(event) => changeDraft(path, event.currentTarget.checked ? on : null)}
  />
);

/** Whether a part is on. */
export const usePart = (path: string): boolean => (useDraftValue(path) ?? null) !== null;

/** Several of a list, in the list's order. */
export const ManyField = (props: FieldProps & { choices: readonly string[] }) => {
  const value = useDraftValue(props.path);
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const error = useError(props.path);
  const toggle = (name: string) => {
    const next = props.choices.filter((choice) => chosen.includes(choice) !== (choice === name));
    changeDraft(props.path, next);
  };
  return (
    <fieldset className="many" title={props.title}>
      <legend>{labelled(props.label).label}</legend>
      {props.choices.map((choice) => (
        <Checkbox
          key={choice}
          size="xs"
          {...labelled(choice)}
          checked={chosen.includes(choice)}
          onChange={() => toggle(choice)}
        />
      ))}
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </fieldset>
  );
};
