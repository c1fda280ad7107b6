/** Icons as SVG, because fonts differ in their symbols. */
const PATHS = {
  first: 'M4 3v10M13 3 6 8l7 5z',
  back: 'M11 3 4 8l7 5z',
  play: 'M5 3l8 5-8 5z',
  pause: 'M5 3v10M11 3v10',
  forward: 'M5 3l7 5-7 5z',
  last: 'M12 3v10M3 3l7 5-7 5z',
  close: 'M4 4l8 8M12 4l-8 8',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7',
  left: 'M2.5 3h11v10h-11zM6 3v10',
  right: 'M2.5 3h11v10h-11zM10 3v10',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M12.8 9.6A5.4 5.4 0 0 1 6.4 3.2a5.4 5.4 0 1 0 6.4 6.4z',
  stop: 'M4 4h8v8H4z',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2 13.6 13.6',
  ask: 'M2.5 3h11v7.5H8L5 13v-2.5H2.5z',
  rollouts: 'M2.5 3h11v10h-11zM2.5 6.3h11M6.2 6.3V13',
  train: 'M2 13 6 8.5l2.6 2.3L14 4M10.2 4H14v3.8',
  runs: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  corpus: 'M3 2.5h7.5L13 5v8.5H3zM5.5 6.5h5M5.5 9h5M5.5 11.3h3',
  models: 'M8 2 13.5 5v6L8 14 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6',
  evaluate: 'M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6',
} as const;

/** Icons of the pages, by page name. */
export type IconName = keyof typeof PATHS;

/** Filled icons; the others are outlines. */
const SOLID: ReadonlySet<IconName> = new Set(['first', 'back', 'play', 'forward', 'last', 'stop']);

/**
 * An icon in the text colour; its meaning comes from its context.
 * @param size CSS pixels
 */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    aria-hidden="true"
    fill={SOLID.has(name) ? 'currentColor' : 'none'}
    stroke="currentColor"
    strokeWidth={1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);
