import { plural } from '../../../kit/words/format.ts';
import { DEFAULT_WARM_UP, type WarmUpSettings } from '../../../../recipes/parts/training.ts';
import { TrajectoryFile } from '../fields/TrajectoryFile.tsx';
import { NumberField, PartSwitch, RateField, SwitchField, usePart } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** "1 epoch", "at most 40 updates" */
const lengthWords = ({ updates, epochs, stopAt = null }: WarmUpSettings): string => {
  const lengths = [
    ...(epochs === undefined ? [] : [plural(epochs, 'epoch')]),
    ...(updates === undefined ? [] : [plural(updates, 'update')]),
  ];
  return `${stopAt === null && lengths.length === 1 ? '' : 'at most '}${lengths.join(' or ')}`;
};

const WarmUpFields = () => {
  const on = usePart('warmUp');
  const own = usePart('warmUp.own');
  return (
    <>
      <PartSwitch
        path="warmUp"
        label="Cold start first"
        title="Before the first step the adapter imitates the model’s own tokens in demonstrations (SFT)"
        on={DEFAULT_WARM_UP}
      />
      {on ? (
        <>
          <PartSwitch
            path="warmUp.own"
            label="On its own rollouts"
            title="Sampled before the first update, half of them with noise mixed into the results; off: a file of demonstrations"
            on={{ rollouts: 256, noise: 0.5 }}
          />
          {own ? (
            <>
              <NumberField path="warmUp.own.rollouts" label="Rollouts tried" min={2} max={4096} />
              <NumberField
                path="warmUp.own.noise"
                label="Noise in results"
                title="Share of the passages that is noise, in the half of the rollouts that gets noise"
                decimal
                step={0.1}
                min={0}
                max={1}
              />
            </>
          ) : (
            <TrajectoryFile of="rollouts" />
          )}
          <NumberField
            path="warmUp.epochs"
            label="Epochs at most"
            title="Passes over the demonstrations; 0.5 is half of them"
            decimal
            step={0.5}
            absent="no limit"
          />
          <NumberField path="warmUp.updates" label="Updates at most" min={1} absent="no limit" />
          <NumberField path="warmUp.batch" label="Demonstrations per update" min={1} />
          <RateField path="warmUp.learningRate" label="Learning rate of SFT" />
          <NumberField
            path="warmUp.stopAt"
            label="Stop at format rate"
            title="Ends the cold start when this share of the held-out answers keeps to the format"
            decimal
            step={0.01}
            absent="never"
          />
          <NumberField
            path="warmUp.questions"
            label="Questions per evaluation"
            title="Held-out questions that are answered in every evaluation: format rate, searches, EM"
            min={0}
            absent={0}
          />
          <NumberField
            path="warmUp.every"
            label="Updates per evaluation"
            min={1}
            absent="once per epoch"
          />
          <NumberField
            path="warmUp.heldOut"
            label="Held-out share"
            title="Demonstrations that are not trained on, 32 at most: their loss is in every evaluation"
            decimal
            step={0.05}
            absent={0}
          />
          <SwitchField
            path="warmUp.onlyCorrect"
            label="Only right answers"
            title="Leaves out demonstrations whose answer was wrong"
          />
        </>
      ) : null}
    </>
  );
};

/** The cold start before the first step, on demonstrations of a file or on the policy's own right rollouts. */
export const WarmUpFold = () => (
  <Fold
    name="Cold start, then RL"
    paths={['warmUp']}
    now={({ warmUp }) =>
      warmUp
        ? `${lengthWords(warmUp)} first${warmUp.own ? ', on its own right rollouts' : ''}`
        : 'none'
    }
  >
    <WarmUpFields />
  </Fold>
);
