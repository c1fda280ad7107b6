import { useEffect, useState, type ReactNode } from 'react';
import { UNDO_MS } from '../../lab/contract/undo.ts';

/** A deleted thing; `at`, ms since 1970, is when its disk space is freed. */
interface Removed {
  id: string;
  name: string;
  /** Appended to the name: other effects of the deletion, such as `; runs search without it now`. */
  lost?: string;
  at?: number;
}

/** Those that can still be restored; updates when one expires. */
export const useUndoable = <T extends Pick<Removed, 'at'>>(removed: readonly T[]): readonly T[] => {
  const [now, setNow] = useState(Date.now);
  const ends = removed.flatMap(({ at }) => (at !== undefined && at + UNDO_MS > now ? [at] : []));
  const next = ends.length > 0 ? Math.min(...ends) + UNDO_MS : null;
  useEffect(() => {
    if (next === null) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, next - Date.now()));
    return () => clearTimeout(timer);
  }, [next]);
  return removed.filter(({ at }) => at === undefined || at + UNDO_MS > now);
};

/** The note for deletions whose space is freed when undo expires. */
export const FREED_LATER = `Undo is possible for ${UNDO_MS / 60_000} minutes; then the space is freed.`;

/** Deleted or replaced things that can be restored; this is why neither needs confirmation. */
export const UndoBar = ({
  removed: all,
  verb = 'Deleted',
  restore,
  note,
  hide,
  children,
}: {
  removed: readonly Removed[];
  verb?: 'Deleted' | 'Removed' | 'Replaced';
  restore: (id: string) => void;
  /** How long undo is possible. */
  note?: string;
  hide?: () => void;
  /** Further actions, at the end. */
  children?: ReactNode;
}) => {
  const removed = useUndoable(all);
  return (
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
};
