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
  // Events of a rollout.
  background: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  think:
    'M3 13l.7-2.8L11 2.9a1.3 1.3 0 0 1 1.9 0l.2.2a1.3 1.3 0 0 1 0 1.9L5.8 12.3zM9.7 4.2l2.1 2.1',
  local:
    'M3 4c0-1.1 2.2-2 5-2s5 .9 5 2-2.2 2-5 2-5-.9-5-2zM3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  web: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2C6.1 3.7 5.4 5.7 5.4 8s.7 4.3 2.6 6c1.9-1.7 2.6-3.7 2.6-6S9.9 3.7 8 2z',
  both: 'M2 8h4M6 8l3-4h4.5M6 8l3 4h4.5M11.5 2l2 2-2 2M11.5 10l2 2-2 2',
  passages: 'M4 2h5.5L12.5 5v9h-8.5zM9.5 2v3h3M6.3 8h4M6.3 10.8h4',
  candidates: 'M8 2l6 6-6 6-6-6zM8 6v2.5M8 10.7v.1',
  kept: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8.2l1.9 1.9 3.6-4',
  refused: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4',
  answer: 'M3.5 14.5V2.5h9l-2.2 3 2.2 3h-9',
  end: 'M4 4h8v8H4z',
  fault: 'M8 2.5l6 11H2zM8 6.5v3M8 11.5v.1',
  summary: 'M3 4h10M3 7h10M3 10h6M3 13h3',
  aside: 'M4 3v5a3 3 0 0 0 3 3h6M10.5 8.5L13 11l-2.5 2.5',
  plan: 'M6 4h7M6 8h7M6 12h7M3 4h.1M3 8h.1M3 12h.1',
  judge: 'M8 2.5v11M5 13.5h6M3 5h10M3 5L1.5 9h3zM13 5l-1.5 4h3z',
  number: 'M6.5 2.5l-1.5 11M11 2.5l-1.5 11M3 6h10.5M2.5 10H13',
  refine: 'M2 3h12L9.5 8.5V13l-3 1.5v-6z',
  memory: 'M4 2.5h8v11L8 10.5l-4 3z',
  quote: 'M3 10V7.5A3.5 3.5 0 0 1 6 4M3 8h3v4H3zM9.5 10V7.5a3.5 3.5 0 0 1 3-3.5M9.5 8h3v4h-3z',
  compute: 'M3.5 6h9M3.5 10h9',
  query: 'M5.5 6a2.5 2.5 0 1 1 3.7 2.2C8.3 8.7 8 9.2 8 10M8 12.7v.1',
  hint: 'M8 2a4.2 4.2 0 0 0-2.5 7.6V11.5h5V9.6A4.2 4.2 0 0 0 8 2zM6.3 14h3.4',
  text: 'M8 7.9v.2',
} as const;

/** Icons of the pages, of events and of buttons. */
export type IconName = keyof typeof PATHS;

/** Filled icons; the others are outlines. */
const SOLID: ReadonlySet<IconName> = new Set(['first', 'back', 'play', 'forward', 'last', 'stop']);

interface IconProps {
  name: IconName;
  /** CSS pixels; 16 by default. */
  size?: number;
  /** Top left corner, inside another SVG. */
  x?: number;
  y?: number;
}

/** An icon in the text colour; its meaning comes from its context. */
export const Icon = ({ name, size = 16, x, y }: IconProps) => (
  <svg
    x={x}
    y={y}
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
