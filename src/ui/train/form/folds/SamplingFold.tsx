import { samplings } from '../../../../recipes/parts/training.ts';
import { plural } from '../../../kit/words/format.ts';
import { isObject } from '../../../../base/objects.ts';
import { NumberField, PartSwitch, SelectField, useDraftValue, usePart } from '../fields/fields.tsx';
import { SystemSwitches } from '../fields/ParamFields.tsx';
import { Fold } from './Fold.tsx';

/** How rollouts are drawn and which count. */
export const SamplingFold = () => {
  const on = usePart('dynamicSampling');
  const overlong = usePart('overlong');
  const by = useDraftValue('dynamicSampling.by');
  return (
    <Fold
      name="Sampling"
      paths={['dynamicSampling', 'overlong']}
      now={({ dynamicSampling, overlong: punished }) =>
        [
          dynamicSampling
            ? `dynamic, by ${typeof dynamicSampling.by === 'string' ? dynamicSampling.by : 'share of right answers'}, at most ${plural(dynamicSampling.maxBatches, 'batch', 'batches')}`
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
            label="Groups that count"
            title="A share of right answers: online difficulty filtering"
            choices={[
              { value: 'reward', label: 'rewards vary' },
              { value: 'accuracy', label: 'exact match varies' },
              { value: 'above', label: 'share of right answers' },
            ]}
            chosen={() => 'above'}
            holds={(choice) => (choice === 'above' ? { above: 0.2, below: 0.8 } : choice)}
          />
          {isObject(by) ? (
            <>
              <NumberField
                path="dynamicSampling.by.above"
                label="Share above"
                decimal
                step={0.05}
                min={0}
                max={1}
              />
              <NumberField
                path="dynamicSampling.by.below"
                label="Share below"
                decimal
                step={0.05}
                min={0}
                max={1}
              />
            </>
          ) : null}
          <NumberField path="dynamicSampling.maxBatches" label="Batches at most" min={1} max={10} />
          <SystemSwitches path="dynamicSampling.system" declared={samplings.declared} />
        </>
      ) : null}
      <PartSwitch
        path="overlong"
        label="Overlong shaping"
        title="DAPO: lengths beyond are punished softly"
        on={{ max: 512, buffer: 128 }}
      />
      {overlong ? (
        <>
          <NumberField path="overlong.max" label="Longest, tokens" min={1} />
          <NumberField path="overlong.buffer" label="Buffer, tokens" min={1} />
        </>
      ) : null}
    </Fold>
  );
};
