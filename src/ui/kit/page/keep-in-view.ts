/** Milliseconds without layout changes after which the page counts as loaded. */
const SETTLES = 3000;

/** Input events by which the user takes over scrolling. */
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Position of an element, CSS pixels. */
interface Position {
  /** From the top of the scrolled content. */
  place: number;
  /** Total scroll offset. */
  scrolled: number;
  /** Total content height. */
  height: number;
  /** Nothing can scroll further down. */
  atEnd: boolean;
}

const positionOf = (element: Element): Position => {
  let [scrolled, height, atEnd] = [0, 0, true];
  for (let around = element.parentElement; around; around = around.parentElement) {
    const { scrollTop, scrollHeight, clientHeight } = around;
    scrolled += scrollTop;
    height += scrollHeight;
    if (/auto|scroll/.test(getComputedStyle(around).overflowY))
      atEnd &&= scrollTop + clientHeight > scrollHeight - 2;
  }
  return { place: element.getBoundingClientRect().top + scrolled, scrolled, height, atEnd };
};

const differ = (a: number, b: number): boolean => Math.abs(a - b) >= 1;

/** Whether the element moved, or the end of the page that limited scrolling did. */
const isElsewhere = (was: Position, is: Position): boolean =>
  differ(was.place, is.place) || (differ(was.height, is.height) && (was.atEnd || is.atEnd));

/**
 * Scrolls the target of an address into view, and again whenever the page above it grows or shrinks
 * while content loads, until the user scrolls or nothing has changed for three seconds. Elements with
 * `aria-busy` are waited for.
 * @param find the element, looked up in every frame; null while it is not rendered
 * @param bring scrolls to it, and does nothing if it is well in view
 * @returns stops it
 */
export const keepInView = (
  find: () => Element | null,
  bring: (element: Element) => void,
): (() => void) => {
  let was: Position | null = null;
  let since = performance.now();
  const place = (element: Element): void => {
    bring(element);
    was = positionOf(element);
    since = performance.now();
  };
  const look = (): void => {
    frame = requestAnimationFrame(look);
    const element = find();
    if (element) {
      const is = positionOf(element);
      if (!was || isElsewhere(was, is)) place(element);
      // Nothing moved by itself: the user scrolled.
      else if (differ(was.scrolled, is.scrolled)) return end();
      if (element.ariaBusy === 'true') since = performance.now();
    }
    if (performance.now() - since > SETTLES) end();
  };
  const end = (): void => {
    cancelAnimationFrame(frame);
    for (const move of MOVES) removeEventListener(move, end, { capture: true });
  };
  for (const move of MOVES) addEventListener(move, end, { capture: true, passive: true });
  let frame = requestAnimationFrame(look);
  const element = find();
  if (element) place(element);
  return end;
};
