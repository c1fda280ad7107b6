import type { Rollout } from '../../records/rollout.ts';

/** A place after a result: the event that comes next, and the entropies of what the policy wrote there. */
export interface Turn {
  event: number;
  /** From the first token after the result; none where the policy wrote no more. */
  entropies: number[];
  /** Of what it wrote between the result before, or the beginning, and this one. */
  before: number[];
}

/** What is between a result and the policy's next word. */
const BETWEEN = new Set(['summarize', 'candidate', 'verdict']);

/** Places after the results of a rollout, in order, at which it continued. */
export function turnsOf({ events, segments }: Pick<Rollout, 'events' | 'segments'>): Turn[] {
  const written = (from: number, to?: number): number[] =>
    segments
      .slice(from, to)
      .flatMap((segment) => (segment.mask === 1 ? (segment.entropies ?? []) : []));
  let last = 0;
  return events.flatMap((event, i) => {
    if (event.kind !== 'retrieve') return [];
    let next = i + 1;
    while (BETWEEN.has(events[next]?.kind ?? '')) next++;
    const kind = events[next]?.kind;
    if (kind === undefined || kind === 'stop' || kind === 'retrieve') return [];
    const result = event.segment ?? segments.length;
    const before = written(last, result);
    last = result + 1;
    return [{ event: next, entropies: written(last), before }];
  });
}
