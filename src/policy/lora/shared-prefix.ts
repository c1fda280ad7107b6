import { itemAt } from '../../base/items.ts';
import { packBatch, type PackedBatch, type TrainSequence } from './train-batch.ts';

/**
 * Sequences of a batch that begin alike share the rows of their beginning: those are computed once, forward and backward.
 * Only rows before the first scored one and the first mixture are shared, so every scored row is its sequence's own.
 */

type Shared = Pick<TrainSequence, 'ids' | 'weights' | 'latents'>;

/** Fewest tokens that are shared: a shorter prefix costs more in pieces than it saves. */
const LEAST = 32;

/** Keys of shared tokens are copied for each sequence: at most this many times the tokens of a batch. */
const MOST_COPIED = 4;

/** Leading tokens that a sequence may share; its last one is its own. */
function shareable({ ids, weights, latents }: Shared): number {
  let end = 1;
  while (end < ids.length && weights[end] === 0) end++;
  return Math.max(0, Math.min(end - 1, latents?.positions[0] ?? Infinity));
}

/** Leading tokens that both share, a multiple of 8 (a panel of keys); 0 where that does not pay. */
function sharedTokens(a: Shared, b: Shared): number {
  const most = Math.min(shareable(a), shareable(b));
  let same = 0;
  while (same < most && a.ids[same] === b.ids[same]) same++;
  const whole = same - (same % 8);
  return whole < LEAST ? 0 : whole;
}

/** Tokens [from, to) of a sequence, and of all that pass through it. */
interface Piece {
  readonly sequence: number;
  readonly from: number;
  to: number;
  parent: Piece | null;
  children: Piece[];
}

/** The pieces of sequences, a tree of shared prefixes; and of each sequence the last piece, which is its own. */
function piecesOf(sequences: readonly Shared[]): { roots: Piece[]; own: Piece[] } {
  const roots: Piece[] = [];
  const own: Piece[] = [];
  sequences.forEach((sequence, i) => {
    let [best, shared] = [-1, 0];
    for (let j = 0; j < i; j++) {
      const tokens = sharedTokens(itemAt(sequences, j), sequence);
      if (tokens > shared) [best, shared] = [j, tokens];
    }
    let parent: Piece | null = best < 0 ? null : itemAt(own, best);
    while (parent && parent.from >= shared) parent = parent.parent;
    if (parent && parent.to > shared) {
      const rest: Piece = { ...parent, from: shared, parent };
      for (const child of rest.children) child.parent = rest;
      own.forEach((piece, j) => {
        if (piece === parent) own[j] = rest;
      });
      parent.to = shared;
      parent.children = [rest];
    }
    const piece = { sequence: i, from: shared, to: sequence.ids.length, parent, children: [] };
    (parent?.children ?? roots).push(piece);
    own.push(piece);
  });
  return { roots, own };
}

/**
 * A batch whose shared prefixes are there once. Rows are those of `packBatch`, in its order.
 * @throws as `packBatch`
 */
export function packShared(sequences: readonly TrainSequence[]): PackedBatch {
  const plain = packBatch(sequences);
  const { roots, own } = piecesOf(sequences);
  if (roots.every(({ children }) => children.length === 0)) return plain;
  const pieces: Piece[] = [];
  const take = (piece: Piece): void => {
    pieces.push(piece);
    piece.children.forEach(take);
  };
  roots.forEach(take);
  const lengths = Int32Array.from(pieces, ({ from, to }) => to - from);
  const first = new Map<Piece, number>();
  const ids: number[] = [];
  for (const piece of pieces) {
    first.set(piece, ids.length);
    const all = itemAt(sequences, piece.sequence).ids;
    for (let i = piece.from; i < piece.to; i++) ids.push(itemAt(all, i));
  }
  // Scored rows and mixtures are in the own pieces.
  const moved = new Int32Array(plain.ids.length);
  let row = 0;
  own.forEach((piece, i) => {
    const { length } = itemAt(sequences, i).ids;
    const start = (first.get(piece) ?? 0) - piece.from;
    for (let j = 0; j < length; j++) moved[row++] = start + j;
  });
  const rowsOf = (rows: Int32Array): Int32Array => rows.map((old) => itemAt(moved, old));
  return {
    ...plain,
    ids: Int32Array.from(ids),
    lengths,
    after: Int32Array.from(pieces, ({ parent }) => (parent ? pieces.indexOf(parent) : -1)),
    rows: rowsOf(plain.rows),
    ...(plain.latents && {
      latents: { ...plain.latents, positions: rowsOf(plain.latents.positions) },
    }),
  };
}

/**
 * Cuts sequences into batches of at most `packTokens` tokens each, shared ones counted once; a longer sequence is a
 * batch by itself. The next of a batch is the one that shares most with it, else the first in order. Depends only on the sequences.
 * @throws Error for a sequence of more than `maxTokens`
 */
export function sharedBatches<S extends Shared>(
  sequences: readonly S[],
  maxTokens: number,
  packTokens = maxTokens,
): S[][] {
  const long = sequences.find(({ ids }) => ids.length > maxTokens);
  if (long)
    throw new Error(`batch: a sequence has ${long.ids.length} tokens, the limit is ${maxTokens}`);
  const batches: S[][] = [];
  const left = sequences.map((sequence) => ({ sequence, shared: 0 }));
  for (let next = left.shift(); next; next = left.shift()) {
    const batch: S[] = [];
    const room = Math.max(packTokens, next.sequence.ids.length);
    let [tokens, copied] = [0, 0];
    const take = ({ sequence, shared }: typeof next): void => {
      batch.push(sequence);
      tokens += sequence.ids.length - shared;
      // Its context, and that of the piece that is shared.
      copied += sequence.ids.length + shared;
      for (const other of left)
        other.shared = Math.max(other.shared, sharedTokens(sequence, other.sequence));
    };
    const best = (): number => {
      const at = left.reduce(
        (most, { shared }, i) => (shared > (left[most]?.shared ?? 0) ? i : most),
        0,
      );
      const one = left[at];
      if (!one) return -1;
      const { length } = one.sequence.ids;
      const fits =
        tokens + length - one.shared <= room && copied + length + one.shared <= MOST_COPIED * room;
      return fits ? at : -1;
    };
    take(next);
    for (let at = best(); at >= 0; at = best()) left.splice(at, 1).forEach(take);
    batches.push(batch);
    for (const other of left) other.shared = 0;
  }
  return batches;
}

/** More batches than these are even enough: the last ones to end are a small part. */
export const FEW_BATCHES = 8;

/** Fewer tokens are not worth a second batch. */
export const WORTH_TWO_BATCHES = 512;

/**
 * Deals sequences to `count` batches, or one more where that is odd, so that their tokens are even: the longest first, each
 * to the batch that is then the smallest. Null where there are many batches, or where one would be larger than `packTokens`.
 * @param sequences the longest first
 */
export function evenBatches<S extends Shared>(
  sequences: readonly S[],
  count: number,
  packTokens: number,
): S[][] | null {
  const total = sequences.reduce((sum, { ids }) => sum + ids.length, 0);
  const even = Math.min(count + (count % 2), sequences.length);
  if (count > FEW_BATCHES || total < WORTH_TWO_BATCHES) return null;
  const batches = Array.from({ length: even }, () => ({ tokens: 0, copied: 0, all: [] as S[] }));
  for (const sequence of sequences) {
    const { length } = sequence.ids;
    const sizes = batches.map(({ tokens, all }) => {
      const shared = Math.max(0, ...all.map((other) => sharedTokens(other, sequence)));
      return { shared, tokens: tokens + length - shared };
    });
    const least = Math.min(...sizes.map(({ tokens }) => tokens));
    const at = sizes.findIndex(({ tokens }) => tokens === least);
    const [batch, { shared }] = [itemAt(batches, at), itemAt(sizes, at)];
    batch.tokens = least;
    batch.copied += length + shared;
    batch.all.push(sequence);
    const room = Math.max(packTokens, itemAt(batch.all, 0).ids.length);
    if (batch.tokens > room || batch.copied > MOST_COPIED * room) return null;
  }
  return batches.map(({ all }) => all);
}
