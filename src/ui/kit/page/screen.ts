/** The widths at which pages change their layout; the style sheets name the same ones. */

const matches = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;

const NARROW = '(max-width: 760px)';

/** A telephone: one thing beside another does not fit. */
export const isNarrow = (): boolean => matches(NARROW);

const watch = (name: string, tell: (matches: boolean) => void): (() => void) => {
  const query = globalThis.matchMedia?.(name);
  const changed = (): void => tell(query.matches);
  query?.addEventListener('change', changed);
  return () => query?.removeEventListener('change', changed);
};

/** Tells when the page becomes narrow, and when it is wide again. @returns what ends it */
export const watchNarrow = (tell: (narrow: boolean) => void): (() => void) => watch(NARROW, tell);

const ROOMY = '(min-width: 1700px) and (min-height: 1000px)';

/** There is room for what a smaller screen folds away. */
export const isRoomy = (): boolean => matches(ROOMY);

/** Tells when there is room, and when there is none any more. @returns what ends it */
export const watchRoomy = (tell: (roomy: boolean) => void): (() => void) => watch(ROOMY, tell);

/** The details lie over the rollout instead of beside it. */
export const isOverlay = (): boolean => matches('(max-width: 1180px)');
