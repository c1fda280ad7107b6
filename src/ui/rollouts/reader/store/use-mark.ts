import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Mark } from '../../../../lab/contract/records/rollout-files.ts';
import { rollouts } from './api.ts';

/** Bookmark, tags and note of a rollout. */
export interface MarkState {
  value: Pick<Mark, 'bookmarked' | 'tags' | 'note'>;
  failure: string | null;
  change: (change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>) => void;
}

const EMPTY: MarkState['value'] = { bookmarked: false, tags: [], note: '' };

/**
 * Marks of a rollout.
 * @param file its name, not its id, so that notes survive another import; null: not known yet
 */
export const useMark = (file: string | null, rollout: string): MarkState => {
  const key = `${file} ${rollout}`;
  const [held, setHeld] = useState({ key, value: EMPTY });
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (file === null) return undefined;
    let live = true;
    const load = async () => {
      try {
        const marks = await rollouts().marks(file);
        const own = marks.find((mark) => mark.rollout === rollout);
        if (live) setHeld({ key, value: own ?? EMPTY });
      } catch (error) {
        if (live) setFailure(String(error));
      }
    };
    void load();
    return () => {
      live = false;
    };
  }, [key, file, rollout]);
  const change = useCallback<MarkState['change']>(
    (by) => {
      if (file === null) return;
      // Applied optimistically; a failed write is reported in `failure`.
      setHeld((now) => ({ key, value: { ...(now.key === key ? now.value : EMPTY), ...by } }));
      rollouts()
        .mark(file, rollout, by)
        .then(() => setFailure(null))
        .catch((error: unknown) => setFailure(String(error)));
    },
    [key, file, rollout],
  );
  const value = held.key === key ? held.value : EMPTY;
  return useMemo(() => ({ value, failure, change }), [value, failure, change]);
};
