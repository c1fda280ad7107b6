/** The first observation of a progress. */
export interface Begun {
  of: string;
  /** Milliseconds of the page's clock. */
  at: number;
  share: number;
}

/** Earlier, in milliseconds, the rate says little. */
const SETTLED_MS = 1500;

/** Seconds to the end at the rate since the first observation; null while unknown. */
export const leftOf = ({ at, share: first }: Begun, now: number, share: number): number | null =>
  now - at < SETTLED_MS || share <= first
    ? null
    : ((now - at) / 1000) * ((1 - share) / (share - first));
