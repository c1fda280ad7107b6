import { PlanCard } from './PlanCard.tsx';
import { dropLook } from './store/checkpoint-actions.ts';
import { useCheckpoints } from './store/checkpoint-store.ts';

/** What a look at a source came to, where it was asked for. */
export const LookResult = ({
  card = null,
}: {
  /** The repository whose card asked; null: the form did. */
  card?: string | null;
}) => {
  const look = useCheckpoints((state) => state.look);
  const asker = useCheckpoints((state) => state.lookFor);
  // Of several places that show a look, the one that asked.
  if (asker !== card) return null;
  switch (look.status) {
    case 'none':
      return null;
    case 'looking':
      return (
        <p role="status">
          Checking {look.what} …{' '}
          <button type="button" className="link" onClick={dropLook}>
            Cancel
          </button>
        </p>
      );
    case 'failed':
      return (
        <div className="failure" role="alert">
          <b>⚠ {look.fault.message}</b>
          <p>{look.fault.next}</p>
          <button type="button" className="link" onClick={dropLook}>
            Dismiss
          </button>
        </div>
      );
    case 'ready':
      return <PlanCard view={look.view} />;
  }
};
