import { plural } from '../../../kit/words/format.ts';
import {
  NumberField,
  PartSwitch,
  SelectField,
  SwitchField,
  useDraftValue,
  usePart,
} from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** How rollouts are drawn and which count. */
export const SamplingFold = () => {
  const on = useDraftValue('dynamicSampling.on') === true;
  const overlong = usePart('overlong');
  const banded = usePart('dynamicSampling.band');
  const screened = usePart('dynamicSampling.screen');
  const groupSize = Number(useDraftValue('groupSize'));
  return (
    <Fold
      name="Sampling"
      paths={['dynamicSampling', 'overlong', 'topP']}
      now={(settings) =>
        [
          `top-p ${settings.topP}`,
          settings.dynamicSampling.on
            ? `dynamic, by ${settings.dynamicSampling.by}, at most ${plural(settings.dynamicSampling.maxBatches, 'batch', 'batches')}`
            : 'one batch a step',
          settings.overlong ? `punished beyond ${settings.overlong.max} tokens` : null,
        ]
          .filter((part) => part !== null)
          .join(', ')
      }
    >
      <NumberField
        path="topP"
        label="top-p"
        title="Training takes 1 only: log-probabilities are of the whole vocabulary"
        decimal
        step={0.05}
        min={0}
        max={1}
      />
      <SwitchField
        path="dynamicSampling.on"
        label="Dynamic sampling"
        title="DAPO: groups whose rewards do not vary are drawn again"
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
          <NumberField
            path="dynamicSampling.screen"
            label="Screened by, rollouts"
            title="SPEED-RL: the rest of a group is made only where these vary"
            min={2}
            max={63}
            absent={groupSize}
          />
          {screened ? (
            <SwitchField
              path="dynamicSampling.sameStepScreen"
              label="Screened within the step"
              title="Off, as SPEED-RL’s code: the next step’s questions are screened beside this one’s, one update earlier"
              // On where nothing is said: the screening then belongs to the step.
              absent
            />
          ) : null}
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
