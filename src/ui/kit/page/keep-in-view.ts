/** Milliseconds without a change after which what is around an element has come in. */
const SETTLES = 3000;

/** What a reader does who may want another place. */
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Where an element stands, CSS pixels. */
interface Standing {
  /** From the top of all that scrolls around it, however far that is scrolled. */
  place: number;
  /** How far all of it is scrolled together. */
  scrolled: number;
  /** How high all of it is together. */
  height: number;
  /** Nothing of it can be scrolled further down. */
  atEnd: boolean;
}

const standingOf = (element: Element): Standing => {
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

/**
 * Whether an element is elsewhere now, or the end of the page is: that which kept it from its place, or one that came
 * up so far that it is scrolled less.
 */
const isElsewhere = (was: Standing, is: Standing): boolean =>
  differ(was.place, is.place) || (differ(was.height, is.height) && (was.atEnd || is.atEnd));

/**
 * Brings what an address names into view, and again whenever the page grows or shrinks above it, as it does while
 * pictures and rollouts are read, until the reader moves or nothing has changed for three seconds. What says by
 * `aria-busy` that it is being read is waited for.
 * @param find the element, looked up in every frame; null while it is not drawn
 * @param bring scrolls to it, and not at all where it stands well
 * @returns ends it
 */
export const keepInView = (
  find: () => Element | null,
  bring: (element: Element) => void,
): (() => void) => {
  let was: Standing | null = null;
  let since = performance.now();
  const place = (element: Element): void => {
    bring(element);
    was = standingOf(element);
    since = performance.now();
  };
  const look = (): void => {
    frame = requestAnimationFrame(look);
    const element = find();
    if (element) {
      const is = standingOf(element);
      if (!was || isElsewhere(was, is)) place(element);
      // Nothing came or went that it would be scrolled for: somebody did.
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
