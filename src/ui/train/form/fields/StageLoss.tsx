import { NativeSelect } from '@mantine/core';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';

type Loss = NonNullable<TrainSettings['stages'][number]['loss']>;
type Choice = Loss['kind'] | 'policy-gradient';

const NAMES: Readonly<Record<Choice, string>> = {
  'policy-gradient': 'policy gradient',
  sft: 'likelihood of its rollouts',
  dpo: 'pairs of its rollouts (DPO)',
  'stored-sft': 'likelihood of stored trajectories',
  'stored-dpo': 'stored pairs (DPO)',
};
const CHOICES = Object.keys(NAMES) as Choice[];

/** What a choice begins with; the recipe's own constants stay where it is chosen again. */
const DEFAULTS: Readonly<Record<Loss['kind'], Loss>> = {
  sft: { kind: 'sft', weight: 'right', gold: false },
  dpo: { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0 },
  'stored-sft': { kind: 'stored-sft', batch: 16 },
  'stored-dpo': { kind: 'stored-dpo', beta: 0.1, nll: 0, batch: 16 },
};

/** What a stage learns by. */
export const StageLoss = (props: {
  loss: Loss | undefined;
  change: (loss: Loss | null) => void;
}) => (
  <NativeSelect
    size="xs"
    label="Learns by"
    title="From its rollouts by policy gradient, likelihood or pairs; or from a file of trajectories, without rollouts"
    value={props.loss?.kind ?? 'policy-gradient'}
    data={CHOICES.map((value) => ({ value, label: NAMES[value] }))}
    onChange={(event) => {
      const kind = CHOICES.find((one) => one === event.currentTarget.value);
      if (kind) props.change(kind === 'policy-gradient' ? null : DEFAULTS[kind]);
    }}
  />
);
