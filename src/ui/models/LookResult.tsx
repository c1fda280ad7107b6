import { PlanCard } from './PlanCard.tsx';
import { dropLook } from './store/checkpoint-actions.ts';
import { useModels } from './store/models-store.ts';

/** The result of a preview, shown where it was requested. */
export const LookResult = ({
  card = null,
}: {
  /** The repository whose card requested it; null: the form. */
  card?: string | null;
}) => {
  const look = useModels((state) => state.look);
  const asker = useModels((state) => state.lookFor);
  // Of several places that show a preview, the one that requested it.
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
