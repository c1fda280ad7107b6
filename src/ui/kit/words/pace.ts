/** When something was first seen, and how far it was then. */
export interface Begun {
  of: string;
  /** Milliseconds of the page's clock. */
  at: number;
  share: number;
}

/** Before, milliseconds, the pace says little. */
const SETTLED_MS = 1500;

/** Seconds to the end at the pace since it was first seen; null where that says nothing yet. */
export const leftOf = ({ at, share: first }: Begun, now: number, share: number): number | null =>
  now - at < SETTLED_MS || share <= first
    ? null
    : ((now - at) / 1000) * ((1 - share) / (share - first));
