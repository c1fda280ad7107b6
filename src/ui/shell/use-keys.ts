import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { pagePath } from '../kit/page/page-root.ts';
import { toggleDialog, useDialogs } from './dialogs.ts';
import { hearsKeys, type Command } from './commands.ts';

/** A `g` without a following key within this time is a key of its own. */
const SEQUENCE_MS = 450;

/** Elements that use letters, arrows or the space bar themselves. */
const OWN_KEYS = 'input, textarea, select, [role=slider], [contenteditable=true]';

/** Whether the focused element handles the key itself. */
const usesKey = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof Element)) return false;
  if (target.closest(OWN_KEYS)) return key !== 'Escape';
  // A list uses arrows, Home, End and the space bar, but no letters.
  if (target.closest('[role=listbox]')) return key !== 'Escape' && (key === ' ' || key.length > 1);
  // The space bar controls playback even on cards; Enter shows them in full.
  if (key === ' ' && target.closest('.round-card .part, .round-name')) return false;
  return (key === ' ' || key === 'Enter') && target.closest('button, a, summary') !== null;
};

/** Global keyboard shortcuts, including `g` sequences; inactive in fields and dialogs. */
export const useKeys = (commands: readonly Command[]): void => {
  const prefix = useRef('');
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Also in fields and dialogs, because it closes what it opened.
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        // Rendered at once: the next key goes into its field.
        flushSync(() => toggleDialog('palette'));
        return;
      }
      const { open } = useDialogs.getState();
      if (event.metaKey || event.ctrlKey || event.altKey || open !== null) return;
      if (usesKey(event.target, event.key)) return;
      const key = prefix.current ? `${prefix.current} ${event.key}` : event.key;
      const starts = event.key === 'g' && !prefix.current;
      prefix.current = starts ? 'g' : '';
      clearTimeout(waiting.current);
      const here = commands.filter((command) => hearsKeys(command, pagePath()));
      const command =
        here.find(({ keys }) => keys.includes(key)) ??
        // The letter after an unmatched `g` is a key of its own.
        here.find(({ keys }) => keys.includes(event.key));
      if (!command) return;
      event.preventDefault();
      // `g` waits, because a letter may follow.
      if (!starts) return command.act();
      waiting.current = setTimeout(() => {
        prefix.current = '';
        command.act();
      }, SEQUENCE_MS);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [commands]);
};
