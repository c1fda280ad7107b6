import { isObject } from '../../../../base/objects.ts';
import { plural } from '../../../kit/words/format.ts';
import { DEFAULT_WARM_UP, type WarmUpSettings } from '../../../../recipes/parts/training.ts';
import { TrajectoryFile } from '../fields/TrajectoryFile.tsx';
import {
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  SwitchField,
  useDraftValue,
  usePart,
} from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** "1 epoch", "at most 40 updates" */
const lengthWords = ({ length, stopAt = null }: WarmUpSettings): string =>
  `${stopAt === null ? '' : 'at most '}${
    'epochs' in length ? plural(length.epochs, 'epoch') : plural(length.updates, 'update')
  }`;

const WarmUpFields = () => {
  const on = usePart('warmUp');
  const own = usePart('warmUp.own');
  const length = useDraftValue('warmUp.length');
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
            on={{ rollouts: 256 }}
          />
          {own ? (
            <NumberField path="warmUp.own.rollouts" label="Rollouts tried" min={2} max={4096} />
          ) : (
            <TrajectoryFile of="rollouts" />
          )}
          <SelectField
            path="warmUp.length"
            label="Length in"
            choices={['epochs', 'updates']}
            chosen={(value) => Object.keys(value)[0]}
            holds={(choice) => (choice === 'epochs' ? { epochs: 1 } : { updates: 100 })}
          />
          {isObject(length) && 'updates' in length ? (
            <NumberField path="warmUp.length.updates" label="Updates at most" min={1} />
          ) : (
            <NumberField
              path="warmUp.length.epochs"
              label="Epochs at most"
              title="Passes over the demonstrations; 0.5 is half of them"
              decimal
              step={0.5}
            />
          )}
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
            title="Held-out questions that are answered before the cold start and after each quarter of it: format rate, searches, EM"
            min={0}
            absent={0}
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
