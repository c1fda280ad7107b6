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

const BESIDE =
  '(min-width: 1240px) and (max-width: 1699.98px), (min-width: 1240px) and (max-height: 999.98px)';

/** There is room beside a form for what explains it, and none yet for all that is folded in it. */
export const isBeside = (): boolean => matches(BESIDE);

/** Tells when there is that room, and when there is less or more. @returns what ends it */
export const watchBeside = (tell: (beside: boolean) => void): (() => void) => watch(BESIDE, tell);

/** The details lie over the rollout instead of beside it. */
export const isOverlay = (): boolean => matches('(max-width: 1180px)');
