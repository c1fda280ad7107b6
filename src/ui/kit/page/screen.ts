/** Breakpoints of the layout; the style sheets use the same ones. */

const matches = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;

const NARROW = '(max-width: 760px)';

/** A phone: no two columns. */
export const isNarrow = (): boolean => matches(NARROW);

const watch = (name: string, tell: (matches: boolean) => void): (() => void) => {
  const query = globalThis.matchMedia?.(name);
  const changed = (): void => tell(query.matches);
  query?.addEventListener('change', changed);
  return () => query?.removeEventListener('change', changed);
};

/**
 * Notifies when the page becomes narrow or wide.
 * @returns stops it
 */
export const watchNarrow = (tell: (narrow: boolean) => void): (() => void) => watch(NARROW, tell);

const ROOMY = '(min-width: 1700px) and (min-height: 1000px)';

/** Enough room for parts that smaller screens fold. */
export const isRoomy = (): boolean => matches(ROOMY);

/**
 * Notifies when that room appears or disappears.
 * @returns stops it
 */
export const watchRoomy = (tell: (roomy: boolean) => void): (() => void) => watch(ROOMY, tell);

const BESIDE =
  '(min-width: 1240px) and (max-width: 1699.98px), (min-width: 1240px) and (max-height: 999.98px)';

/** Room for explanations next to a form, but not for everything folded in it. */
export const isBeside = (): boolean => matches(BESIDE);

/**
 * Notifies when that changes.
 * @returns stops it
 */
export const watchBeside = (tell: (beside: boolean) => void): (() => void) => watch(BESIDE, tell);

/** The details cover the rollout instead of being next to it. */
export const isOverlay = (): boolean => matches('(max-width: 1180px)');
