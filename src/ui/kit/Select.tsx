import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { Term } from './words/explain/Term.tsx';
import { termsIn } from './words/explain/terms.ts';
import { labelled } from './labelled.tsx';

type Choice = string | { value: string; label: string };

interface SelectProps extends Omit<NativeSelectProps, 'data' | 'value'> {
  data: readonly (Choice | { group: string; items: readonly Choice[] })[];
  value: string | number;
}

/** Label of a value. */
const nameOf = (value: string | number, data: SelectProps['data']): string => {
  const choices = data.flatMap((one): readonly Choice[] =>
    typeof one === 'object' && 'items' in one ? one.items : [one],
  );
  const found = choices.find(
    (one) => (typeof one === 'string' ? one : one.value) === String(value),
  );
  return typeof found === 'object' ? found.label : (found ?? '');
};

/** A select. Options cannot contain buttons, so the acronyms of the chosen one are explained below the field. */
export const Select = ({ label, data, value, description, ...field }: SelectProps) => {
  const terms = new Map(
    termsIn(nameOf(value, data)).flatMap(({ text, id }) => (id === null ? [] : [[id, text]])),
  );
  const chosen = [...terms].map(([id, text], i) => (
    <span key={id}>
      {i > 0 ? ', ' : ''}
      <Term id={id}>{text}</Term>
    </span>
  ));
  return (
    <NativeSelect
      {...labelled(label)}
      {...field}
      data={data.map((one) =>
        typeof one === 'object' && 'items' in one ? { ...one, items: [...one.items] } : one,
      )}
      value={value}
      description={description ?? (chosen.length === 0 ? undefined : chosen)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
};
