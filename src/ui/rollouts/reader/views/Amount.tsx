import { NumberInput } from '@mantine/core';
import { labelled } from '../../../kit/fields/labelled.tsx';

/**
 * A number of the objective. What is half typed (empty, a minus sign) stays in the field and
 * changes nothing.
 */
export const Amount = (props: {
  label: string;
  value: number;
  step: number;
  min?: number;
  onChange: (value: number) => void;
}) => (
  <NumberInput
    size="xs"
    {...labelled(props.label)}
    value={props.value}
    step={props.step}
    min={props.min ?? 0}
    decimalScale={6}
    onChange={(value) => {
      if (typeof value === 'number' && Number.isFinite(value) && value >= (props.min ?? 0))
        props.onChange(value);
    }}
  />
);
