import { samplings } from '../../../../recipes/parts/training.ts';
import { plural } from '../../../kit/words/format.ts';
import { NumberField, PartSwitch, SelectField, usePart } from '../fields/fields.tsx';
import { SystemSwitches } from '../fields/ParamFields.tsx';
import { Fold } from './Fold.tsx';

/** How rollouts are drawn and which count. */
export const SamplingFold = () => {
  const on = usePart('dynamicSampling');
  const overlong = usePart('overlong');
  const banded = usePart('dynamicSampling.band');
  return (
    <Fold
      name="Sampling"
      paths={['dynamicSampling', 'overlong']}
      now={({ dynamicSampling, overlong: punished }) =>
        [
          dynamicSampling
            ? `dynamic, by ${dynamicSampling.by}, at most ${plural(dynamicSampling.maxBatches, 'batch', 'batches')}`
            : 'one batch a step',
          punished ? `punished beyond ${punished.max} tokens` : null,
        ]
          .filter((part) => part !== null)
          .join(', ')
      }
    >
      <PartSwitch
        path="dynamicSampling"
        label="Dynamic sampling"
        title="DAPO: groups whose rewards do not vary are drawn again"
        on={{ by: 'reward', maxBatches: 1 }}
      />
      {on ? (
        <>
          <SelectField
            path="dynamicSampling.by"
            label="Groups must vary in"
            choices={['reward', 'accuracy']}
          />
          <NumberField path="dynamicSampling.maxBatches" label="Batches at most" min={1} max={10} />
          <PartSwitch
            path="dynamicSampling.band"
            label="Band of accuracy"
            title="Online difficulty filtering: groups that are right too often or too rarely are left out"
            on={{ low: 0.2, high: 0.8 }}
          />
          {banded ? (
            <>
              <NumberField
                path="dynamicSampling.band.low"
                label="Accuracy above"
                decimal
                step={0.05}
                min={0}
                max={1}
              />
              <NumberField
                path="dynamicSampling.band.high"
                label="Accuracy below"
                decimal
                step={0.05}
                min={0}
                max={1}
              />
            </>
          ) : null}
          <SystemSwitches path="dynamicSampling.system" declared={samplings.declared} />
        </>
      ) : null}
      <PartSwitch
        path="overlong"
        label="Overlong shaping"
        title="DAPO: lengths beyond are punished softly"
        on={{ max: 512, buffer: 128, factor: 1 }}
      />
      {overlong ? (
        <>
          <NumberField path="overlong.max" label="Longest, tokens" min={1} />
          <NumberField path="overlong.buffer" label="Buffer, tokens" min={1} />
          <NumberField path="overlong.factor" label="Factor" decimal step={0.1} min={0} />
        </>
      ) : null}
    </Fold>
  );
};
