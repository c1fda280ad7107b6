import { useEffect, useRef } from 'react';
import { useView } from '../stores/view-store.ts';
import type { Command } from './commands.ts';

/** Elements that use letters, arrows or the space bar themselves. */
const OWN_KEYS = 'input, textarea, select, [role=slider], [role=listbox], [contenteditable=true]';

const usesKey = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof Element)) return false;
  if (target.closest(OWN_KEYS)) return key !== 'Escape';
  // The space bar is playback's on cards too; Enter opens and closes them.
  if (key === ' ' && target.closest('.card-line')) return false;
  return (key === ' ' || key === 'Enter') && target.closest('button, a, summary') !== null;
};

/** Listens for the commands' keys, `g` sequences included; stays out of fields and dialogs. */
export const useKeys = (commands: readonly Command[]): void => {
  const prefix = useRef('');
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        useView.setState((state) => ({ paletteOpen: !state.paletteOpen }));
        return;
      }
      const { paletteOpen, keysOpen } = useView.getState();
      if (event.metaKey || event.ctrlKey || event.altKey || paletteOpen || keysOpen) return;
      if (usesKey(event.target, event.key)) return;
      const key = prefix.current ? `${prefix.current} ${event.key}` : event.key;
      prefix.current = event.key === 'g' && !prefix.current ? 'g' : '';
      const command = commands.find(({ keys }) => keys.includes(key));
      if (!command) return;
      event.preventDefault();
      command.act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [commands]);
};
