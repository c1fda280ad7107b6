import { NumberInput, Checkbox, TextInput } from '@mantine/core';
import { Select } from '../../../kit/Select.tsx';
import { rewardById } from '../../../../learn/rewards/registry.ts';
import { REWARDS } from '../../../../systems/rewards.ts';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import type { DraftLoss } from './stage-loss-fields.ts';
import { LossSentence, StageLoss } from './StageLoss.tsx';
import { weightsOf } from '../../store/reward-weights.ts';
import { TrajectoryFile } from './TrajectoryFile.tsx';
import { changeDraft } from '../../store/train-draft.ts';
import { useDraftValue, useErrors } from './fields.tsx';
import { plural } from '../../../kit/words/format.ts';
import { isObject } from '../../../../base/objects.ts';

type Overrides = Readonly<Record<string, unknown>>;

/** Every value below, by its path; a list is one value. */
const leavesOf = (overrides: Overrides, above = ''): [path: string, value: unknown][] =>
  Object.entries(overrides).flatMap(([key, value]) =>
    isObject(value)
      ? leavesOf(value, `${above}${key}.`)
      : [[`${above}${key}`, value] satisfies [string, unknown]],
  );

/** A copy with another value at a path. */
const changed = (overrides: Overrides, path: string, value: unknown): Overrides => {
  const [key = '', ...rest] = path.split('.');
  const below = overrides[key];
  return {
    ...overrides,
    [key]: rest.length === 0 ? value : changed(isObject(below) ? below : {}, rest.join('.'), value),
  };
};

/** What a stage changes in the loop of its rollouts, where its recipe does. */
const StageOverrides = (props: {
  overrides: Overrides | undefined;
  error: string | undefined;
  change: (overrides: Overrides) => void;
}) => {
  const { overrides = {}, error } = props;
  const leaves = leavesOf(overrides);
  if (leaves.length === 0) return null;
  return (
    <details className="weights" {...(error !== undefined && { open: true })}>
      <summary>
        {plural(leaves.length, 'change')} of the loop in this stage:{' '}
        {leaves.map(([path, value]) => `${path} ${JSON.stringify(value)}`).join(', ')}
      </summary>
      <div className="stage-row">
        {leaves.map(([path, value]) => {
          const set = (next: unknown) => props.change(changed(overrides, path, next));
          const shared = { size: 'xs', label: path } as const;
          if (typeof value === 'boolean')
            return (
              <Checkbox
                key={path}
                {...shared}
                checked={value}
                onChange={(event) => set(event.currentTarget.checked)}
              />
            );
          if (typeof value === 'number' || value === null)
            return (
              <NumberInput
                key={path}
                {...shared}
                allowNegative={false}
                value={value ?? ''}
                // What is cleared is no number yet, and not allowed.
                onChange={(next) => set(typeof next === 'number' ? next : null)}
              />
            );
          // A list has no field here; it stays as in the recipe.
          return typeof value === 'string' ? (
            <TextInput
              key={path}
              {...shared}
              value={value}
              onChange={(event) => set(event.currentTarget.value)}
            />
          ) : (
            <p key={path} className="fine">
              {path} {JSON.stringify(value)}
            </p>
          );
        })}
      </div>
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </details>
  );
};

/** A stage as the form holds it: fields may hold text that is no number yet. */
type Stage = Omit<TrainSettings['stages'][number], 'steps' | 'weights' | 'loss'> & {
  steps: number | string;
  weights: Record<string, number | string>;
  loss?: DraftLoss;
};

/** The stages are written by this form alone, so they have their shape; numbers may be unfinished. */
const isStages = (value: unknown): value is Stage[] => Array.isArray(value);

interface StageWeightsProps {
  reward: string;
  /** Those that the stage sets; a clause that is absent has the reward’s own factor. */
  weights: Readonly<Record<string, number | string>>;
  error: string | undefined;
  change: (weights: Record<string, number | string>) => void;
}

/** The factors λ of a reward's clauses, where it lets them be chosen. */
const StageWeights = ({ reward, weights, error, change }: StageWeightsProps) => {
  const own = weightsOf(reward);
  if (!own) return null;
  const now = { ...own, ...weights };
  const words = Object.entries(now).map(([clause, weight]) => `${clause} ${weight}`);
  return (
    <details className="weights" {...(error !== undefined && { open: true })}>
      <summary>Weights: {words.join(', ')}</summary>
      <div className="stage-row">
        {Object.entries(now).map(([clause, weight]) => (
          <NumberInput
            key={clause}
            size="xs"
            className="narrow"
            label={clause}
            min={0}
            max={1}
            step={0.1}
            value={weight}
            onChange={(value) => change({ ...now, [clause]: value })}
          />
        ))}
      </div>
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </details>
  );
};

/** Reward, length, loss, weights and changes of the loop of one stage. */
const StageRow = (props: {
  index: number;
  stage: Stage;
  /** It takes what steps are left, so that no number is asked for. */
  last: boolean;
  /** Null takes the stage out. */
  change: (stage: Stage | null) => void;
  removable: boolean;
}) => {
  const errors = useErrors();
  const { index, stage } = props;
  return (
    <div className="stage-row">
      <Select
        size="xs"
        label={`Reward${index > 0 || props.removable ? `, stage ${index + 1}` : ''}`}
        value={stage.reward}
        data={REWARDS.map(({ id, name }) => ({ value: id, label: name }))}
        title={rewardById(stage.reward)?.source ?? ''}
        error={errors[`stages.${index}.reward`]}
        onChange={(event) => {
          // Factors belong to the reward that they were set for.
          props.change({ ...stage, reward: event.currentTarget.value, weights: {} });
        }}
      />
      {props.last ? null : (
        <NumberInput
          size="xs"
          className="narrow"
          label="for steps"
          min={1}
          allowDecimal={false}
          value={stage.steps}
          error={errors[`stages.${index}.steps`]}
          onChange={(steps) => props.change({ ...stage, steps })}
        />
      )}
      <StageLoss
        loss={stage.loss}
        errorOf={(field) => errors[`stages.${index}.loss.${field}`]}
        change={(loss) => {
          const { loss: _, ...rest } = stage;
          props.change(loss ? { ...rest, loss } : rest);
        }}
      />
      {props.removable ? (
        <button
          type="button"
          className="link"
          aria-label={`Remove stage ${index + 1}`}
          onClick={() => props.change(null)}
        >
          remove
        </button>
      ) : null}
      <LossSentence loss={stage.loss} />
      <StageWeights
        reward={stage.reward}
        weights={stage.weights}
        error={
          errors[`stages.${index}.weights`] ??
          Object.entries(errors).find(([path]) => path.startsWith(`stages.${index}.weights.`))?.[1]
        }
        change={(weights) => props.change({ ...stage, weights })}
      />
      <StageOverrides
        overrides={stage.overrides}
        error={errors[`stages.${index}.overrides`]}
        change={(overrides) => props.change({ ...stage, overrides })}
      />
    </div>
  );
};

/** One reward per stage; the last stage lasts to the end. */
export const StageFields = () => {
  const value = useDraftValue('stages');
  const stages = isStages(value) ? value : [];
  const change = (at: number, stage: Stage | null) =>
    changeDraft(
      'stages',
      stages.flatMap((before, index) => (index === at ? (stage ?? []) : before)),
    );
  return (
    <div className="stages">
      {stages.map((stage, index) => (
        <StageRow
          key={index}
          index={index}
          stage={stage}
          last={index === stages.length - 1}
          removable={stages.length > 1}
          change={(next) => change(index, next)}
        />
      ))}
      {stages.some(({ loss }) => loss?.kind.startsWith('stored-')) ? (
        <TrajectoryFile of="stored" />
      ) : null}
      <button
        type="button"
        className="link"
        onClick={() => {
          const last = stages.at(-1);
          // A copy of the last one before it: the run then begins as it did, and ends as it did.
          if (last) changeDraft('stages', [...stages.slice(0, -1), { ...last, steps: 10 }, last]);
        }}
      >
        Add a stage
      </button>
    </div>
  );
};
