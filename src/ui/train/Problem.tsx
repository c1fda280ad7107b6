import { ProblemBanner } from '../kit/page/ProblemBanner.tsx';
import { dismissProblem, reloadRuns } from './store/train-actions.ts';
import { useTrain } from './store/train-store.ts';

export const TrainProblem = () => {
  const problem = useTrain((state) => state.problem);
  const failed = useTrain((state) => state.status === 'failed');
  return (
    <ProblemBanner
      problem={problem}
      // Only where the runs could not be read.
      retry={failed ? () => void reloadRuns() : null}
      dismiss={dismissProblem}
    />
  );
};
