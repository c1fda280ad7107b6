/** Number of values of gates of width d. */
export const gateSize = (width: number): number => 2 * (width * width + width) + width;
