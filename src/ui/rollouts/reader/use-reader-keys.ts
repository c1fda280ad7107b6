import { COMMAND_KEY } from '../../kit/page/command-key.ts';
import { use, useEffect, useRef } from 'react';
import { PlaceLetters } from '../../kit/place-letters.ts';
import { VIEW_IDS } from './ViewTabs.tsx';

/** Keys of the reader. They come before those of the workbench, which gives some of them other meanings. */

/**
 * What the keys of the reader do.
 * @param view gets a number from 1
 */
export interface ReaderKeys {
  nextRollout: () => void;
  previousRollout: () => void;
  nextEvent: () => void;
  previousEvent: () => void;
  group: () => void;
  find: () => void;
  bookmark: () => void;
  keys: () => void;
  view: (number: number) => void;
}

/** For the list of keys (`?`). */
export const READER_KEYS: readonly [string, string][] = [
  ['j', 'Next rollout'],
  ['k', 'Previous rollout'],
  ['n', 'Next event, or change of a diff'],
  ['p', 'Previous event, or change of a diff'],
  ['g', 'Group'],
  [`1 … ${VIEW_IDS.length}`, 'The views, in order'],
  ['/', 'Find in the text'],
  ['b', 'Bookmark, or remove the bookmark'],
  ['?', 'This list'],
  [COMMAND_KEY, 'Everything else'],
];

const OWN_KEYS = 'input, textarea, select, [role=listbox], [contenteditable=true]';

/** `g` alone shows the group; `g` and a place's letter goes there, as everywhere. */
const SEQUENCE_MS = 450;

const actionOf = (key: string, keys: ReaderKeys): (() => void) | null => {
  const actions: Record<string, () => void> = {
    j: keys.nextRollout,
    k: keys.previousRollout,
    n: keys.nextEvent,
    p: keys.previousEvent,
    '/': keys.find,
    b: keys.bookmark,
    '?': keys.keys,
  };
  if (/^[1-9]$/.test(key) && Number(key) <= VIEW_IDS.length) return () => keys.view(Number(key));
  return Object.hasOwn(actions, key) ? (actions[key] ?? null) : null;
};

const isBusy = (event: KeyboardEvent): boolean => {
  if (event.metaKey || event.ctrlKey || event.altKey) return true;
  // The palette, the lists of keys: whatever lies over the page has the keys to itself.
  if (document.querySelector('[role=dialog]')) return true;
  return event.target instanceof Element && event.target.closest(OWN_KEYS) !== null;
};

/** Listens while the reader is on the screen. */
export const useReaderKeys = (keys: ReaderKeys): void => {
  const places = use(PlaceLetters);
  const latest = useRef(keys);
  useEffect(() => {
    // Functions are others with every drawing; the listener stays one, or a `g` that waits would be lost.
    latest.current = keys;
  });
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | null = null;
    const group = () => {
      if (waiting !== null) clearTimeout(waiting);
      waiting = null;
      latest.current.group();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (isBusy(event)) return;
      if (waiting !== null && places.has(event.key)) {
        clearTimeout(waiting);
        waiting = null;
        return;
      }
      if (waiting !== null) group();
      if (event.key === 'g') {
        waiting = setTimeout(group, SEQUENCE_MS);
        return;
      }
      const act = actionOf(event.key, latest.current);
      if (!act) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    };
    // While the event goes down, before the workbench hears it.
    addEventListener('keydown', onKeyDown, true);
    return () => {
      removeEventListener('keydown', onKeyDown, true);
      if (waiting !== null) clearTimeout(waiting);
    };
  }, [places]);
};
