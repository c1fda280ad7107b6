import { Checkbox, NumberInput } from '@mantine/core';
import { labelled } from '../../../kit/labelled.tsx';
import { Select } from '../../../kit/Select.tsx';
import { plural } from '../../../kit/words/format.ts';
import { LOSS_FIELDS, type DraftLoss, type Loss, type LossField } from './stage-loss-fields.ts';

/** The policy gradient is what holds where a stage names no loss. */
type Choice = Loss['kind'] | 'policy-gradient';

const NAMES: Readonly<Record<Choice, string>> = {
  'policy-gradient': 'policy gradient',
  sft: 'likelihood of its rollouts',
  dpo: 'pairs of its rollouts by reward (DPO)',
  'efficient-dpo': 'pairs of its rollouts: right, then fewer calls, then shorter (DPO)',
  'action-dpo': 'pairs of a step’s candidates by rank (DPO)',
  'stored-sft': 'likelihood of stored trajectories',
  'stored-dpo': 'stored pairs (DPO)',
};
const CHOICES = Object.keys(NAMES) as Choice[];

/** What a choice begins with; the recipe's own constants stay where it is chosen again. */
const DEFAULTS: Readonly<Record<Loss['kind'], Loss>> = {
  sft: { kind: 'sft', weight: 'right', gold: false },
  dpo: { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0 },
  'efficient-dpo': { kind: 'efficient-dpo', beta: 0.1, nll: 0, gamma: 1.5 },
  'action-dpo': { kind: 'action-dpo', beta: 0.1, nll: 0 },
  'stored-sft': { kind: 'stored-sft', batch: 16 },
  'stored-dpo': { kind: 'stored-dpo', beta: 0.1, nll: 0, batch: 16 },
};

/** A constant of the loss, in the field that its kind wants. */
const Field = (props: {
  field: LossField;
  value: unknown;
  error: string | undefined;
  /** Undefined takes the value away. */
  change: (value: unknown) => void;
}) => {
  const { field, value, error, change } = props;
  const { label, title } = field;
  switch (field.of) {
    case 'switch':
      return (
        <Checkbox
          size="xs"
          {...labelled(label)}
          title={title}
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          size="xs"
          label={label}
          title={title}
          value={typeof value === 'string' && value in field.choices ? value : ''}
          error={error}
          data={[
            ...(field.absent === undefined ? [] : [{ value: '', label: field.absent }]),
            ...Object.entries(field.choices).map(([name, words]) => ({
              value: name,
              label: words,
            })),
          ]}
          onChange={(event) => change(event.currentTarget.value || undefined)}
        />
      );
    case 'number':
      return (
        <NumberInput
          size="xs"
          className="narrow"
          {...labelled(label)}
          title={title}
          min={field.min}
          max={field.max}
          step={field.step ?? 1}
          allowDecimal={field.step !== undefined}
          // What is out of bounds is complained about beside the field, not changed after the reader’s back.
          clampBehavior="none"
          placeholder={field.absent === undefined ? undefined : `(${field.absent})`}
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          error={error}
          onChange={(next) => change(next === '' && field.absent !== undefined ? undefined : next)}
        />
      );
  }
};

/** Null while it is not a number, or absent. */
const counted = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** What the fields of pairs come to, said where no pointer rests on them. */
const pairWords = ({ kind, rounds, passes, pairsAnUpdate, high, low }: DraftLoss): string => {
  const each = counted(rounds);
  const reference =
    each === null
      ? 'the checkpoint'
      : `the policy at the start of each of ${plural(each, 'round')}`;
  const which =
    kind === 'dpo'
      ? ` A rollout that earned at least ${String(high)} beside one of its question that earned at most ${String(low)}.`
      : '';
  const [times, most] = [counted(passes) ?? 1, counted(pairsAnUpdate)];
  const updates =
    most === null
      ? `${plural(times, 'update')} on the pairs of a step.`
      : `${plural(times, 'pass', 'passes')} over the pairs of a step, at most ${most} an update.`;
  return `Reference: ${reference}.${which} ${updates}`;
};

/** Its sentence, below the fields of a stage. */
export const LossSentence = ({ loss }: { loss: DraftLoss | undefined }) =>
  loss && ['dpo', 'efficient-dpo', 'action-dpo'].includes(loss.kind) ? (
    <p className="fine loss-sentence">{pairWords(loss)}</p>
  ) : null;

/** What a stage learns by. */
export const StageLoss = (props: {
  loss: DraftLoss | undefined;
  errorOf: (field: string) => string | undefined;
  change: (loss: DraftLoss | null) => void;
}) => {
  const { loss, errorOf, change } = props;
  const fields = loss ? LOSS_FIELDS[loss.kind] : [];
  return (
    <>
      <Select
        size="xs"
        label="Learns by"
        title="From its rollouts by policy gradient, likelihood or pairs; or from a file of trajectories, without rollouts"
        value={loss?.kind ?? 'policy-gradient'}
        data={CHOICES.map((value) => ({ value, label: NAMES[value] }))}
        onChange={(event) => {
          const kind = CHOICES.find((one) => one === event.currentTarget.value);
          if (kind) change(kind === 'policy-gradient' ? null : DEFAULTS[kind]);
        }}
      />
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={loss?.[field.name]}
          error={errorOf(field.name)}
          change={(value) => {
            if (!loss) return;
            const { [field.name]: _, ...rest } = loss;
            change(
              value === undefined ? { ...rest, kind: loss.kind } : { ...loss, [field.name]: value },
            );
          }}
        />
      ))}
    </>
  );
};
