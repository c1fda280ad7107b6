import { itemAt } from '../../../base/items.ts';
import type { Range } from '../device/device.ts';
import type { Gpu } from '../device/gpu.ts';
import type { GpuTokens, PlacedRun } from '../device/values.ts';
import { KEYS, tilePositions } from '../kernels/many/attention-tile.ts';

/** Tables of the attention kernels, on the device. */
export interface Tiles {
  readonly buffer: Range;
  readonly queries: number;
  readonly keys: number;
}

/**
 * A context's runs lie together, in the order of its positions, also where it came in several; the contexts that continue
 * one come right after it.
 */
function depthFirst(runs: readonly PlacedRun[]): PlacedRun[] {
  const sorted = [...runs].sort((a, b) => a.start - b.start || a.position - b.position);
  const from = ({ after }: PlacedRun): number | undefined =>
    after === undefined ? undefined : runs[after]?.start;
  const taken = (start: number | undefined): PlacedRun[] => {
    const contexts = new Set(sorted.filter((run) => from(run) === start).map((run) => run.start));
    return [...contexts].flatMap((one) => [
      ...sorted.filter((run) => run.start === one),
      ...taken(one),
    ]);
  };
  return taken(undefined);
}

/** Starts of a context and of all that continue it. */
function continuedBy(runs: readonly PlacedRun[], start: number): Set<number> {
  const all = new Set([start]);
  for (const { after, start: own } of runs)
    if (after !== undefined && all.has(runs[after]?.start ?? -1)) all.add(own);
  return all;
}

/** See `attention` and `keyGradient` for what the words are. */
function tileTable(
  runs: readonly PlacedRun[],
  share: number,
): { words: Uint32Array<ArrayBuffer>; queries: number; keys: number } {
  const height = tilePositions(share);
  const ordered = depthFirst(runs);
  const cut = (step: number): (PlacedRun & { end: number })[] =>
    ordered.flatMap((run) =>
      Array.from({ length: Math.ceil(run.count / step) }, (_, i) => {
        const count = Math.min(step, run.count - i * step);
        const position = run.position + i * step;
        return {
          row: run.row + i * step,
          count,
          position,
          start: run.start,
          end: position + count,
        };
      }),
    );
  const queries = cut(height);
  const keys = cut(KEYS);
  const words = queries.flatMap(({ row, count, position, start }) => [row, count, position, start]);
  const starts = queries.map((tile) => tile.start);
  for (const key of keys) {
    // Of its own context from its position on, then of all contexts that continue it.
    let first = starts.indexOf(key.start);
    while (itemAt(queries, first).end <= key.position) first++;
    const continuing = continuedBy(runs, key.start);
    let end = first;
    while (end < starts.length && continuing.has(itemAt(starts, end))) end++;
    words.push(key.row, key.count, key.position, key.start, first, end, 0, 0);
  }
  return { words: new Uint32Array(words), queries: queries.length, keys: keys.length };
}

interface Held {
  readonly runs: readonly PlacedRun[];
  readonly tiles: Tiles;
}

const held = new WeakMap<Gpu, Map<number, Held>>();

/** The tables for the runs that were placed last; uploaded once a `place`. @param share query heads a key head */
export function tilesOf(gpu: Gpu, tokens: GpuTokens, share: number): Tiles {
  const name = `many: tiles of ${share}`;
  const known = held.get(gpu)?.get(share);
  if (known && known.runs === tokens.runs) {
    // The same buffer, unless working memory was given back since.
    const { buffer } = gpu.scratch(name, known.tiles.buffer.size);
    if (buffer === known.tiles.buffer.buffer) return known.tiles;
  }
  const { words, queries, keys } = tileTable(tokens.runs, share);
  const buffer = gpu.scratch(name, words.byteLength);
  gpu.encoder.write(buffer.buffer, 0, words);
  const tiles = { buffer, queries, keys };
  // A warm-up writes nothing.
  if (!gpu.encoder.warming) {
    const all = held.get(gpu) ?? new Map<number, Held>();
    held.set(gpu, all.set(share, { runs: tokens.runs, tiles }));
  }
  return tiles;
}
