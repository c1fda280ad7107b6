import { NumberInput } from '@mantine/core';
import { Select } from '../../../kit/fields/Select.tsx';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import { plural } from '../../../kit/words/format.ts';

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

type Preferences = Extract<Loss, { kind: 'dpo' }>;

/** How often preferences are learned from, and what the reference is. */
const FIELDS = [
  {
    name: 'rounds',
    label: 'Rounds',
    title: 'Each takes the policy with which it begins for its reference; none: the checkpoint',
    placeholder: '(none)',
  },
  {
    name: 'passes',
    label: 'Passes',
    title: 'Updates on the pairs of a step',
    placeholder: '(1)',
  },
] as const;

const Again = (props: {
  loss: Preferences;
  errorOf: (field: string) => string | undefined;
  change: (loss: Preferences) => void;
}) =>
  FIELDS.map(({ name, ...words }) => (
    <NumberInput
      key={name}
      size="xs"
      className="narrow"
      {...words}
      min={1}
      allowDecimal={false}
      value={props.loss[name] ?? ''}
      error={props.errorOf(name)}
      onChange={(value) => {
        const { [name]: _, ...rest } = props.loss;
        props.change(typeof value === 'number' ? { ...rest, [name]: value } : rest);
      }}
    />
  ));

/** What the two fields come to, said where no pointer rests on them. */
const againWords = ({ rounds, passes = 1 }: Preferences): string =>
  `Reference: ${rounds === undefined ? 'the checkpoint' : `the policy at the start of each of ${plural(rounds, 'round')}`}. ${plural(passes, 'update')} on the pairs of a step.`;

/** Its sentence, below the fields of a stage. */
export const LossSentence = ({ loss }: { loss: Loss | undefined }) =>
  loss?.kind === 'dpo' ? <p className="fine loss-sentence">{againWords(loss)}</p> : null;

/** What a stage learns by. */
export const StageLoss = (props: {
  loss: Loss | undefined;
  errorOf: (field: string) => string | undefined;
  change: (loss: Loss | null) => void;
}) => (
  <>
    <Select
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
    {props.loss?.kind === 'dpo' ? (
      <Again loss={props.loss} errorOf={props.errorOf} change={props.change} />
    ) : null}
  </>
);
