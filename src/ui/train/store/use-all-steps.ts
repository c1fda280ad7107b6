import { useEffect } from 'react';
import { openSteps } from './train-actions.ts';

/** Reads the steps of the runs one after another. */
export const useAllSteps = (ids: readonly string[]): void => {
  const key = ids.join(' ');
  useEffect(() => {
    let live = true;
    const read = async () => {
      for (const id of key.split(' ')) if (live && id !== '') await openSteps(id);
    };
    void read();
    return () => {
      live = false;
    };
  }, [key]);
};
