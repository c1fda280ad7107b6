/** The widths at which pages change their layout; the style sheets name the same ones. */

const matches = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;

/** A telephone: one thing beside another does not fit. */
export const isNarrow = (): boolean => matches('(max-width: 760px)');

/** The details lie over the rollout instead of beside it. */
export const isOverlay = (): boolean => matches('(max-width: 1180px)');
