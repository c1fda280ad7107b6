import { useState, useSyncExternalStore, type ToggleEvent } from 'react';
import { isRoomy, watchRoomy } from './screen.ts';

const watch = (tell: () => void): (() => void) => watchRoomy(tell);

/**
 * Whether a part that may be folded is open: as there is room for it, until it was opened or shut by hand. What else
 * opens it, such as a mistake in it, leaves it open too.
 */
export const useFold = (): {
  open: boolean;
  onToggle: (event: ToggleEvent<HTMLDetailsElement>) => void;
} => {
  const roomy = useSyncExternalStore(watch, isRoomy, isRoomy);
  const [own, setOwn] = useState<boolean | null>(null);
  const open = own ?? roomy;
  return {
    open,
    // It is notified of the turns of the window too, which leave it as it is said to be.
    onToggle: ({ currentTarget }) => {
      if (currentTarget.open !== open) setOwn(currentTarget.open);
    },
  };
};
