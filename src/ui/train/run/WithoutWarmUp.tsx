import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import { startTraining } from '../store/train-actions.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import { trainingRun, useTrain } from '../store/train-store.ts';
import { Again } from './Again.tsx';

/** What a run can go without where its cold start found nothing of the policy's own to learn from. */
export const WithoutWarmUp = ({ run }: { run: RunRecord }) => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const other = useTrain((state) => trainingRun(state)?.name);
  const start = async () => {
    const { settings, setup = BUILT_IN_SETUP, device } = run;
    setStarting(true);
    const id = await startTraining({
      settings: { ...settings, warmUp: null },
      name: `${run.name}, no cold start`,
      device,
      demonstrations: null,
      setup,
    });
    setStarting(false);
    if (id !== null) go(formatTrainAddress({ run: id, step: null }));
  };
  return (
    <>
      <p>
        It can train without: rewards are then all that it learns from. To keep the cold start, open
        a new run with these settings and, under “Cold start, then RL”, choose “a file of
        demonstrations” for “Learns from” or more “Rollouts tried”; or choose another model under
        “Model and data”.
      </p>
      <div className="failure-actions">
        <Button
          size="xs"
          loading={starting}
          disabled={other !== undefined}
          title={
            other === undefined
              ? 'A new run with the same settings, questions and passages'
              : `“${other}” is training; one run at a time`
          }
          onClick={() => void start()}
        >
          Train without the cold start
        </Button>
        <Again run={run} />
      </div>
    </>
  );
};
