import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { formatCount } from '../../kit/words/format.ts';
import { resumeRun } from '../store/train-actions.ts';
import { trainingRun, useTrain } from '../store/train-store.ts';

/** More steps for a run that reached its last one; its adapter, curriculum and schedule continue. */
export const GoOn = ({ run }: { run: RunRecord }) => {
  // Text while it is not a number.
  const [steps, setSteps] = useState<number | string>(run.settings.steps + 10);
  const other = useTrain((state) => trainingRun(state)?.name);
  const over = run.step >= run.settings.steps && run.status !== 'running';
  // An imported run may have come without a snapshot: there is nothing to continue from.
  if (!over || run.checkpointStep === null) return null;
  const valid = typeof steps === 'number' && Number.isInteger(steps) && steps > run.step;
  return (
    <form
      className="rate-control"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) void resumeRun(run.id, undefined, steps);
      }}
    >
      <label htmlFor="go-on" className="fine">
        Go on to step
      </label>
      <NumberInput
        id="go-on"
        size="xs"
        min={run.step + 1}
        allowDecimal={false}
        value={steps}
        error={valid ? undefined : `More than ${formatCount(run.step)}.`}
        onChange={setSteps}
      />
      <Button
        type="submit"
        size="xs"
        variant="default"
        disabled={!valid || other !== undefined}
        title={
          other === undefined
            ? 'Trains on from the last snapshot, here'
            : `“${other}” is training; one run at a time`
        }
      >
        Go on
      </Button>
    </form>
  );
};
