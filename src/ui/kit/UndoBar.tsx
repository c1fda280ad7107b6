import type { ReactNode } from 'react';

/** What was deleted, as long as it can be brought back. Destroying asks nothing; this is why. */
export const UndoBar = ({
  removed,
  verb = 'Deleted',
  restore,
  note,
  hide,
  children,
}: {
  /** `lost` goes on after the name: what else its end meant, such as `; runs search without it now`. */
  removed: readonly { id: string; name: string; lost?: string }[];
  verb?: 'Deleted' | 'Removed';
  restore: (id: string) => void;
  /** How long it can be undone. */
  note?: string;
  hide?: () => void;
  /** What else can be done, at the end. */
  children?: ReactNode;
}) => (
  <div role="status">
    {removed.length === 0 ? null : (
      <div className="undo">
        {removed.map(({ id, name, lost }) => (
          <span key={id}>
            {verb} “{name}”{lost}.{' '}
            <button type="button" className="link strong" onClick={() => restore(id)}>
              Undo
            </button>
          </span>
        ))}
        <span className="fine grow">{note}</span>
        {children}
        {hide ? (
          <button type="button" className="link" aria-label="Hide this message" onClick={hide}>
            ✕
          </button>
        ) : null}
      </div>
    )}
  </div>
);
