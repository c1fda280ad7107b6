import { describeUnknown } from '../../../agent/answers/unknown-names.ts';
import { useAsk } from '../store/ask-store.ts';

/** Names in the question of the run that no passage mentions; above the answer for typed questions. */
export const UnknownNames = () => {
  const names = useAsk((state) => state.unknownNames);
  const local = useAsk((state) => state.request?.setup.local);
  return names.length === 0 ? null : (
    <p className="note" role="status" data-testid="unknown-names">
      {describeUnknown(names, local?.kind === 'built-in')}
    </p>
  );
};
