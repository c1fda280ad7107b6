import { describeUnknown } from '../../../agent/answers/unknown-names.ts';
import { useRun } from '../store/run-store.ts';

/** Names of the question of the run that no passage in use mentions; of a typed one they come before the answer. */
export const UnknownNames = () => {
  const names = useRun((state) => state.unknownNames);
  return names.length === 0 ? null : (
    <p className="note" role="status" data-testid="unknown-names">
      {describeUnknown(names)}
    </p>
  );
};
