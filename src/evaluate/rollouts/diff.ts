import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { itemAt } from '../../base/items.ts';

/**
 * What differs between two sequences of tokens or words: Myers (1986), greedy, between anchors that
 * occur once on both sides (patience diff). Where two stretches are farther apart than a cap, the one
 * is shown as replaced by the other, so that the time stays near-linear whatever the texts are.
 */

type DiffKind = 'same' | 'removed' | 'added';

/** A run of items: `[aFrom, aTo)` of the left side, `[bFrom, bTo)` of the right; one is empty unless same. */
export interface DiffRun {
  kind: DiffKind;
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Edits after which a stretch is no longer searched. */
const MAX_EDITS = 600;

interface Box {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

class Runs {
  readonly list: DiffRun[] = [];

  push(kind: DiffKind, { aFrom, aTo, bFrom, bTo }: Box): void {
    if (aFrom === aTo && bFrom === bTo) return;
    const last = this.list.at(-1);
    if (last?.kind === kind) {
      last.aTo = aTo;
      last.bTo = bTo;
    } else this.list.push({ kind, aFrom, aTo, bFrom, bTo });
  }

  replace({ aFrom, aTo, bFrom, bTo }: Box): void {
    this.push('removed', { aFrom, aTo, bFrom, bTo: bFrom });
    this.push('added', { aFrom: aTo, aTo, bFrom, bTo });
  }
}

type Items = Int32Array;

/** Equal items as equal numbers. */
function intern(a: readonly string[], b: readonly string[]): [Items, Items] {
  const numbers = new Map<string, number>();
  const number = (item: string): number => {
    const known = numbers.get(item);
    if (known !== undefined) return known;
    numbers.set(item, numbers.size);
    return numbers.size - 1;
  };
  return [Int32Array.from(a, number), Int32Array.from(b, number)];
}

/** Where each item that occurs exactly once in a stretch stands. */
function uniquePlaces(items: Items, from: number, to: number): Map<number, number> {
  const places = new Map<number, number>();
  const twice = new Set<number>();
  for (const [i, item] of items.subarray(from, to).entries()) {
    if (places.has(item)) twice.add(item);
    else places.set(item, from + i);
  }
  for (const item of twice) places.delete(item);
  return places;
}

/** The longest increasing run of right places among `pairs`, which are sorted by their left place. */
function longestChain(pairs: readonly (readonly [number, number])[]): [number, number][] {
  interface Link {
    pair: readonly [number, number];
    before: Link | null;
  }
  /** The end of the best run of each length: the one whose right place is least. */
  const tails: Link[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (itemAt(tails, middle).pair[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    tails[low] = { pair, before: tails[low - 1] ?? null };
  }
  const chain: [number, number][] = [];
  for (let link = tails.at(-1) ?? null; link; link = link.before) chain.push([...link.pair]);
  return chain.reverse();
}

function anchorsOf(a: Items, b: Items, box: Box): [number, number][] {
  const left = uniquePlaces(a, box.aFrom, box.aTo);
  const right = uniquePlaces(b, box.bFrom, box.bTo);
  const pairs: [number, number][] = [];
  for (const [item, at] of left) {
    const other = right.get(item);
    if (other !== undefined) pairs.push([at, other]);
  }
  return longestChain(pairs.sort((x, y) => x[0] - y[0]));
}

/**
 * How far the left side is read on each diagonal k = x − y, after d edits: Myers' vector V. It begins as
 * 0 on all of them, and k reaches one beyond the d of its last round on either side.
 */
class Frontier {
  readonly #furthest: Int32Array;

  constructor(furthest: Int32Array) {
    this.#furthest = furthest;
  }

  at(k: number): number {
    return itemAt(this.#furthest, k + (this.#furthest.length - 1) / 2, 'diagonals');
  }

  set(k: number, x: number): void {
    this.#furthest[k + (this.#furthest.length - 1) / 2] = x;
  }

  copy(): Frontier {
    return new Frontier(this.#furthest.slice());
  }

  /** Whether edit d reaches diagonal k by an item of the right side, from k + 1; else from k − 1. */
  isReachedDown(k: number, d: number): boolean {
    return k === -d || (k !== d && this.at(k - 1) < this.at(k + 1));
  }
}

/** Walks back through the saved frontiers: the matched pairs of the shortest edit script, reversed. */
function backtrack(trace: readonly Frontier[], box: Box): [number, number][] {
  let x = box.aTo - box.aFrom;
  let y = box.bTo - box.bFrom;
  const matches: [number, number][] = [];
  for (const [d, frontier] of [...trace.entries()].reverse()) {
    const k = x - y;
    const down = frontier.isReachedDown(k, d);
    const from = down ? k + 1 : k - 1;
    const start = frontier.at(from);
    const edge = down ? start : start + 1;
    while (x > edge) {
      x--;
      y--;
      matches.push([box.aFrom + x, box.bFrom + y]);
    }
    [x, y] = [start, start - from];
  }
  return matches.reverse();
}

/** Myers' greedy algorithm; null beyond `MAX_EDITS`. */
function myers(a: Items, b: Items, box: Box): [number, number][] | null {
  const n = box.aTo - box.aFrom;
  const m = box.bTo - box.bFrom;
  const most = Math.min(n + m, MAX_EDITS);
  const frontier = new Frontier(new Int32Array(2 * most + 3));
  const trace: Frontier[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(frontier.copy());
    for (let k = -d; k <= d; k += 2) {
      let x = frontier.isReachedDown(k, d) ? frontier.at(k + 1) : frontier.at(k - 1) + 1;
      while (x < n && x - k < m && a[box.aFrom + x] === b[box.bFrom + x - k]) x++;
      frontier.set(k, x);
      if (x >= n && x - k >= m) return backtrack(trace, box);
    }
  }
  return null;
}

/** Runs of a stretch from its matched pairs, which ascend on both sides. */
function emit(runs: Runs, box: Box, matches: readonly (readonly [number, number])[]): void {
  let { aFrom, bFrom } = box;
  for (const [x, y] of matches) {
    runs.replace({ aFrom, aTo: x, bFrom, bTo: y });
    runs.push('same', { aFrom: x, aTo: x + 1, bFrom: y, bTo: y + 1 });
    [aFrom, bFrom] = [x + 1, y + 1];
  }
  runs.replace({ aFrom, aTo: box.aTo, bFrom, bTo: box.bTo });
}

function diffBox(runs: Runs, a: Items, b: Items, whole: Box, anchored: boolean): void {
  const box = { ...whole };
  while (box.aFrom < box.aTo && box.bFrom < box.bTo && a[box.aFrom] === b[box.bFrom]) {
    box.aFrom++;
    box.bFrom++;
  }
  while (box.aTo > box.aFrom && box.bTo > box.bFrom && a[box.aTo - 1] === b[box.bTo - 1]) {
    box.aTo--;
    box.bTo--;
  }
  runs.push('same', { ...whole, aTo: box.aFrom, bTo: box.bFrom });
  if (box.aFrom === box.aTo || box.bFrom === box.bTo) runs.replace(box);
  else {
    const matches = myers(a, b, box);
    if (matches) emit(runs, box, matches);
    else if (anchored) runs.replace(box);
    else betweenAnchors(runs, a, b, box);
  }
  runs.push('same', { aFrom: box.aTo, aTo: whole.aTo, bFrom: box.bTo, bTo: whole.bTo });
}

function betweenAnchors(runs: Runs, a: Items, b: Items, box: Box): void {
  const anchors = anchorsOf(a, b, box);
  let { aFrom, bFrom } = box;
  for (const [x, y] of anchors) {
    diffBox(runs, a, b, { aFrom, aTo: x, bFrom, bTo: y }, true);
    runs.push('same', { aFrom: x, aTo: x + 1, bFrom: y, bTo: y + 1 });
    [aFrom, bFrom] = [x + 1, y + 1];
  }
  diffBox(runs, a, b, { aFrom, aTo: box.aTo, bFrom, bTo: box.bTo }, true);
}

/**
 * The runs that turn `a` into `b`, in order. Up to `MAX_EDITS` edits they are the fewest possible;
 * beyond, they are right but may be more than needed.
 */
export function diffItems(a: readonly string[], b: readonly string[]): DiffRun[] {
  const runs = new Runs();
  const [left, right] = intern(a, b);
  diffBox(runs, left, right, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }, false);
  return runs.list;
}

/** Words, each with the white space before it; joined they are the text. */
export const wordPieces = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/** One piece of a rollout: a word, and the segment that it is in. */
export interface DiffPiece {
  segment: number;
  text: string;
}

const rolloutPieces = ({ segments }: Pick<ImportedRollout, 'segments'>): DiffPiece[] =>
  segments.flatMap(({ text }, segment) =>
    wordPieces(text).map((piece) => ({ segment, text: piece })),
  );

/** Two rollouts, word by word. Words are the same where writer and text are. */
export function diffRollouts(
  a: Pick<ImportedRollout, 'segments'>,
  b: Pick<ImportedRollout, 'segments'>,
): { a: DiffPiece[]; b: DiffPiece[]; runs: DiffRun[] } {
  const [left, right] = [rolloutPieces(a), rolloutPieces(b)];
  const keys = (pieces: readonly DiffPiece[], { segments }: Pick<ImportedRollout, 'segments'>) =>
    pieces.map(
      ({ segment, text }) => `${itemAt(segments, segment, 'segments').source} ${text.trim()}`,
    );
  return { a: left, b: right, runs: diffItems(keys(left, a), keys(right, b)) };
}
