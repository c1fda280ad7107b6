import { klRules } from '../../../../recipes/parts/objective-rules.ts';
import { isObject } from '../../../../base/objects.ts';
import {
  aggregationWords,
  ESTIMATORS,
  estimators,
  type TrainSettings,
} from '../../../../recipes/parts/training.ts';
import {
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  useDraftValue,
  usePart,
} from '../fields/fields.tsx';
import { ParamFields, SystemSwitches } from '../fields/ParamFields.tsx';
import { Fold } from './Fold.tsx';

/** What a choice begins with, where it has a number. */
const AGGREGATIONS: Readonly<Record<string, unknown>> = {
  microBatch: { microBatch: 8 },
  constant: { constant: 512 },
};

const PATH = 'objective.estimator';

const nameOf = (estimator: TrainSettings['objective']['estimator']): string =>
  typeof estimator === 'string'
    ? estimator
    : `advantages by ${estimators.declared.get(estimator.id)?.params.meta()?.title ?? estimator.id}`;

/** How advantages are made: by the group, or by a system's estimator with its own parameters. */
const EstimatorFields = () => {
  const value = useDraftValue(PATH);
  const id = isObject(value) ? value['id'] : undefined;
  const own = typeof id === 'string' ? estimators.declared.get(id) : undefined;
  return (
    <>
      <SelectField
        path={PATH}
        label="Advantages"
        choices={[
          ...ESTIMATORS,
          ...[...estimators.declared].map(([system, { params }]) => ({
            value: system,
            label: params.meta()?.title ?? system,
          })),
        ]}
        chosen={(own) => String(own['id'])}
        holds={(choice) => {
          const params = estimators.declared.get(choice)?.params;
          return params && { id: choice, ...params.parse({}) };
        }}
      />
      {own ? <ParamFields path={PATH} params={own.params} /> : null}
    </>
  );
};

/** Advantages, the loss and the penalty on the distance to the reference. */
export const ObjectiveFold = () => {
  const clipped = usePart('objective.clip');
  const aggregation = useDraftValue('objective.aggregation');
  const place = useDraftValue('objective.kl.place');
  return (
    <Fold
      name="Estimator, loss and KL"
      paths={['objective', 'updates']}
      now={({ objective: { estimator, aggregation, clip, kl } }) =>
        `${nameOf(estimator)}, ${aggregationWords(aggregation)}, ${clip ? `clip ${clip.low} / ${clip.high}` : 'no clip'}, ${kl.place === 'off' ? 'no KL' : `${kl.form} ${kl.coefficient} in the ${kl.place}`}`
      }
    >
      {/* Estimators and losses by their equations: docs/methods.md, sections 3 and 4. */}
      <EstimatorFields />
      <SelectField
        path="objective.aggregation"
        label="Aggregation"
        title="Search-R1: the mean over the tokens of each micro-batch, then the mean of these"
        choices={[
          'token-mean',
          'sequence-mean',
          { value: 'microBatch', label: 'mean of micro-batches' },
          { value: 'constant', label: 'sum over a constant' },
        ]}
        chosen={(value) => Object.keys(value)[0]}
        holds={(choice) => AGGREGATIONS[choice]}
      />
      {isObject(aggregation) && 'microBatch' in aggregation ? (
        <NumberField
          path="objective.aggregation.microBatch"
          label="Micro-batch, rollouts"
          min={1}
        />
      ) : null}
      {isObject(aggregation) && 'constant' in aggregation ? (
        <NumberField path="objective.aggregation.constant" label="Constant, tokens" min={1} />
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
          <SystemSwitches path="objective.kl.system" declared={klRules.declared} />
        </>
      )}
    </Fold>
  );
};
