import { useCallback, useLayoutEffect, useRef } from 'react';

/** Milliseconds in which what stands above a column still comes in. */
const SETTLES = 10_000;

/** What a reader does that means another place. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Brings an element to the top, and again whenever the page grows or shrinks above it, as it does while its pictures are
 * fetched, until the reader moves. @returns ends it
 */
function keepInView(element: HTMLElement): () => void {
  const main = element.closest('main');
  const sizes = new ResizeObserver(() => element.scrollIntoView({ block: 'start' }));
  // What is observed anew is reported once, so that what comes in later moves it, too.
  const observe = (): void => {
    for (const part of main?.children ?? []) sizes.observe(part);
  };
  const parts = new MutationObserver(observe);
  if (main) parts.observe(main, { childList: true });
  observe();
  const end = (): void => {
    sizes.disconnect();
    parts.disconnect();
    clearTimeout(timer);
    for (const move of MOVES) removeEventListener(move, end, { capture: true });
  };
  for (const move of MOVES) addEventListener(move, end, { capture: true, passive: true });
  const timer = setTimeout(end, SETTLES);
  element.scrollIntoView({ block: 'start' });
  return end;
}

/**
 * Moves a group's row sideways until the column in focus is seen whole, and the page up or down where one that
 * was chosen elsewhere (by the address, a key, a picture) begins out of sight. A click into a column gives it
 * the focus too: then nothing moves under the pointer.
 */
export const useInView = (focused: boolean, index: number) => {
  const column = useRef<HTMLElement>(null);
  const shown = useRef(false);
  const pressed = useRef(false);
  const press = useCallback(() => {
    pressed.current = true;
  }, []);
  useLayoutEffect(() => {
    const element = column.current;
    const row = element?.parentElement;
    const first = !shown.current;
    const here = pressed.current;
    shown.current = true;
    pressed.current = false;
    if (!focused || !element || !row) return;
    const { offsetLeft, offsetWidth } = element;
    const right = offsetLeft + offsetWidth - row.clientWidth;
    row.scrollLeft = Math.min(offsetLeft, Math.max(right, row.scrollLeft));
    // Whoever asks sees the page from its head; the first column is no choice.
    if (first ? index === 0 : here) return;
    const { top } = element.getBoundingClientRect();
    if (!first && top >= 0 && top <= innerHeight / 2) return;
    return keepInView(element);
  }, [focused, index]);
  return { column, press };
};
