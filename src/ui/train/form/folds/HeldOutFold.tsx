import { plural } from '../../../kit/words/format.ts';
import { NumberField, SwitchField } from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** Scores beside training, snapshots, and a control. */
export const HeldOutFold = () => (
  <Fold
    name="Held-out score, snapshots, control"
    paths={['heldOut', 'checkpointEvery', 'shuffleRewards']}
    now={({ heldOut, checkpointEvery, shuffleRewards }) =>
      `${heldOut.questions === 0 ? 'no held-out score' : `${plural(heldOut.questions, 'question')} every ${plural(heldOut.every, 'step')}`}, snapshot every ${plural(checkpointEvery, 'step')}${shuffleRewards ? ', rewards shuffled' : ''}`
    }
  >
    <NumberField
      path="heldOut.questions"
      label="Held-out questions"
      title="A fixed sample of the dev split; 0: none"
      min={0}
      max={1000}
    />
    <NumberField path="heldOut.every" label="Scored every, steps" min={1} />
    <NumberField path="heldOut.temperature" label="Temperature there" decimal step={0.1} min={0} />
    <NumberField path="checkpointEvery" label="Snapshot every, steps" min={1} />
    <SwitchField
      path="shuffleRewards"
      label="Shuffle rewards (control)"
      title="A control that should not learn"
    />
  </Fold>
);
