import type { Counted } from './count.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const ROWS: readonly [name: string, value: (counted: Counted) => string][] = [
  ['dispatches', (c) => `${c.dispatches}`],
  ['workgroups', (c) => `${c.workgroups}`],
  ['submits', (c) => `${c.submits}`],
  ['passes', (c) => `${c.passes}`],
  ['new bind groups', (c) => `${c.bindGroups}`],
  ['new pipelines', (c) => `${c.pipelines}`],
  ['bytes bound', (c) => megabytes(c.boundBytes)],
  ['copied', (c) => `${c.copies.count}: ${megabytes(c.copies.bytes)}`],
  ['written from the host', (c) => `${c.writes.count}: ${megabytes(c.writes.bytes)}`],
  ['read back', (c) => `${c.readbacks.count}: ${megabytes(c.readbacks.bytes)}`],
  ['buffers made', (c) => `${c.buffersCreated.count}: ${megabytes(c.buffersCreated.bytes)}`],
  ['largest buffer made', (c) => megabytes(c.largestBuffer)],
  ['weights', (c) => megabytes(c.liveBefore)],
  ['peak', (c) => megabytes(c.peakBytes)],
  ['peak beyond weights', (c) => megabytes(c.peakBytes - c.liveBefore)],
  ['live after', (c) => megabytes(c.liveBytes)],
  ['errors', (c) => `${c.errors.length}${c.errors[0] === undefined ? '' : `: ${c.errors[0]}`}`],
];

/** Counts in columns, one a phase. */
export function table(phases: Readonly<Record<string, Counted>>): string {
  const columns = Object.entries(phases);
  const lines = [
    ['', ...columns.map(([name]) => name)],
    ...ROWS.map(([name, value]) => [name, ...columns.map(([, counted]) => value(counted))]),
  ];
  return lines
    .map(([head = '', ...cells]) => head.padEnd(26) + cells.map((c) => c.padStart(22)).join(''))
    .join('\n');
}
