import { useState, useSyncExternalStore, type ToggleEvent } from 'react';
import { isRoomy, watchRoomy } from './screen.ts';

const watch = (tell: () => void): (() => void) => watchRoomy(tell);

/**
 * Whether a foldable part is open: by the available room until the user opens or closes it. Other
 * causes, such as an error inside, also leave it open.
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
    // Also called when the window is resized, which keeps the current state.
    onToggle: ({ currentTarget }) => {
      if (currentTarget.open !== open) setOwn(currentTarget.open);
    },
  };
};
