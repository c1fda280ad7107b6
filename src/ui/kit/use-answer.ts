import { useEffect, useState } from 'react';
import { messageOf } from '../../base/errors.ts';

/** The state of a worker request. */
export type Loaded<T> =
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'failed'; message: string };

/**
 * Asks again whenever `key` changes; answers to earlier keys are dropped. A null key asks nothing.
 * @param ask is used as it is when the key changes
 */
export const useAnswer = <T>(key: string | null, ask: () => Promise<T>): Loaded<T> => {
  const [answer, setAnswer] = useState<{ key: string | null; loaded: Loaded<T> }>({
    key,
    loaded: { state: 'loading' },
  });
  useEffect(() => {
    if (key === null) return undefined;
    let live = true;
    const load = async () => {
      try {
        const value = await ask();
        if (live) setAnswer({ key, loaded: { state: 'ready', value } });
      } catch (error) {
        const message = messageOf(error);
        if (live) setAnswer({ key, loaded: { state: 'failed', message } });
      }
    };
    void load();
    return () => {
      live = false;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked
  }, [key]);
  return answer.key === key ? answer.loaded : { state: 'loading' };
};
