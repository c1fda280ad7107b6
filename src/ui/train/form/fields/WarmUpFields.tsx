import { DEFAULT_WARM_UP } from '../../../../recipes/parts/training.ts';
import { TrajectoryFile } from './TrajectoryFile.tsx';
import {
  NumberField,
  PartSwitch,
  RateField,
  SelectField,
  SwitchField,
  useDraftValue,
  usePart,
} from './fields.tsx';

/** Supervised warm-up before the first step, on trajectories of a file or on the policy's own right rollouts. */

export const WarmUpFields = () => {
  const on = usePart('warmUp');
  const own = useDraftValue('warmUp.from') === 'own';
  return (
    <>
      <PartSwitch
        path="warmUp"
        label="Supervised first"
        title="Before the first step the adapter imitates the model’s own tokens in trajectories"
        on={{ ...DEFAULT_WARM_UP, from: 'given' }}
      />
      {on ? (
        <>
          <SelectField
            path="warmUp.from"
            label="Learns from"
            title="Own: sampled before the first update, half of them with noise mixed into the results"
            choices={[
              { value: 'given', label: 'a file of trajectories' },
              { value: 'own', label: 'own rollouts' },
            ]}
          />
          {own ? (
            <NumberField path="warmUp.rollouts" label="Rollouts tried" min={2} max={4096} />
          ) : (
            <TrajectoryFile of="rollouts" />
          )}
          <NumberField path="warmUp.updates" label="Updates" min={1} />
          <NumberField path="warmUp.batch" label="Trajectories per update" min={1} />
          <RateField path="warmUp.learningRate" label="Warm-up rate" />
          <SwitchField
            path="warmUp.onlyCorrect"
            label="Only right answers"
            title="Leaves out trajectories whose answer was wrong"
          />
        </>
      ) : null}
    </>
  );
};
