import { useLocation } from 'wouter';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { draftOf, useDraft } from '../store/train-draft.ts';

/** Opens the form with a run's settings; nothing for settings of a recipe that is not known. */
export const Again = ({ run }: { run: RunRecord }) => {
  const [, go] = useLocation();
  const draft = draftOf(run.settings, '');
  return draft ? (
    <button
      type="button"
      className="link"
      onClick={() => {
        useDraft.setState(draft);
        go('/train?new=1');
      }}
    >
      New run with these settings
    </button>
  ) : null;
};
