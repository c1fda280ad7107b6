import { ESTIMATORS } from '../../../../recipes/parts/training.ts';
import {
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  useDraftValue,
  usePart,
} from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** Advantages, the loss and the penalty on the distance to the reference. */
export const ObjectiveFold = () => {
  const clipped = usePart('objective.clip');
  const aggregation = useDraftValue('objective.aggregation');
  const inMicroBatches = usePart('objective.microBatch');
  const place = useDraftValue('objective.kl.place');
  const adaptive = usePart('objective.kl.adaptive');
  return (
    <Fold
      name="Estimator, loss and KL"
      paths={['objective', 'updates']}
      now={({ critic, objective: { estimator, aggregation, microBatch, clip, kl } }) =>
        `${critic ? 'advantages by the critic' : estimator}, ${aggregation}${aggregation === 'token-mean' && microBatch !== null ? ` by ${microBatch} rollouts` : ''}, ${clip ? `clip ${clip.low} / ${clip.high}` : 'no clip'}, ${kl.place === 'off' ? 'no KL' : `${kl.form} ${kl.coefficient}${kl.adaptive ? `, after ${kl.adaptive.target},` : ''} in the ${kl.place}`}`
      }
    >
      {/* Estimators and losses by their equations: docs/methods.md, sections 3 and 4. */}
      <SelectField path="objective.estimator" label="Advantages" choices={ESTIMATORS} />
      <SelectField
        path="objective.epsilon"
        label="Added to the deviation"
        choices={[{ value: 'trl', label: '10⁻⁴, as TRL' }]}
        absent="(10⁻⁶, as verl)"
      />
      <SelectField
        path="objective.aggregation"
        label="Aggregation"
        choices={['token-mean', 'sequence-mean', 'sum-over-constant']}
      />
      {aggregation === 'token-mean' ? (
        <PartSwitch
          path="objective.microBatch"
          label="Mean by micro-batch"
          title="Search-R1: the mean over the tokens of each micro-batch, then the mean of these"
          on={8}
        />
      ) : null}
      {aggregation === 'token-mean' && inMicroBatches ? (
        <NumberField path="objective.microBatch" label="Micro-batch, rollouts" min={1} />
      ) : null}
      {aggregation === 'sum-over-constant' ? (
        <NumberField path="objective.constantLength" label="Constant, tokens" min={1} />
      ) : null}
      <NumberField
        path="updates"
        label="Updates per step"
        title="1 is on-policy: ratios are 1 and nothing is clipped"
        min={1}
        max={16}
      />
      <PartSwitch path="objective.clip" label="Clip the ratio" on={{ low: 0.2, high: 0.2 }} />
      {clipped ? (
        <>
          <NumberField path="objective.clip.low" label="Clip low" decimal step={0.01} />
          <NumberField path="objective.clip.high" label="Clip high" decimal step={0.01} />
        </>
      ) : null}
      <SelectField
        path="objective.kl.place"
        label="KL penalty"
        choices={[
          { value: 'off', label: 'off' },
          { value: 'loss', label: 'in the loss' },
          { value: 'reward', label: 'in the reward' },
        ]}
      />
      {place === 'off' ? null : (
        <>
          <SelectField path="objective.kl.form" label="KL estimate" choices={['k1', 'k2', 'k3']} />
          <RateField path="objective.kl.coefficient" label="KL coefficient" />
          <PartSwitch
            path="objective.kl.adaptive"
            label="Coefficient goes after a target"
            title="PPO’s adaptive controller: it grows while the KL is above the target, and falls while it is below"
            // SmartRAG’s library; the controller is that of 1909.08593, section 2.2.
            on={{ target: 0.2, gain: 0.1 }}
          />
          {adaptive ? (
            <>
              <NumberField
                path="objective.kl.adaptive.target"
                label="Target, nats per token"
                decimal
                step={0.01}
              />
              <NumberField path="objective.kl.adaptive.gain" label="Gain" decimal step={0.1} />
            </>
          ) : null}
        </>
      )}
    </Fold>
  );
};
