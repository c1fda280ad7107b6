import { itemAt } from '../../base/items.ts';
import { draw, drawNumber, type Weigher } from '../ops/draw.ts';
import { own } from '../ops/own.ts';
import type { HeadInput, Ops } from '../ops/ops.ts';
import {
  pad8,
  WasmActivations,
  WasmDraws,
  WasmMatrix,
  WasmPicks,
  WasmTokens,
  WasmVector,
} from './handles.ts';
import type { WasmMemory } from './memory.ts';
import {
  learnMatrix,
  multiplyBack,
  multiplyMatrix,
  scratchRows,
  ZERO,
  type Rows,
} from './projection.ts';

/** Logits that exist at one time, and rows of them. */
const MOST_LOGITS = 2 ** 22;
const MOST_ROWS = 192;

/** Of `count` rows, those whose logits exist at one time. */
export const rowsAtOnce = (vocabulary: number, count: number): number =>
  Math.min(
    MOST_ROWS,
    Math.max(6, Math.floor(MOST_LOGITS / vocabulary / 6) * 6),
    Math.max(count, 1),
  );

/** Rows [first, first + rows) of what was picked, and their logits. */
interface Chunk {
  readonly first: number;
  readonly rows: number;
  readonly logits: Rows;
  readonly normed: Rows;
}

/**
 * Norms rows of x by `index` (and multiplies them by `factors`, where not 0), and visits their logits,
 * some rows at a time.
 */
function eachChunk(
  memory: WasmMemory,
  o: HeadInput,
  { count, index, factors }: { count: number; index: number; factors: number },
  visit: (chunk: Chunk) => void,
): void {
  const [x, head] = [own(WasmActivations, o.x), own(WasmMatrix, o.head)];
  const weight = own(WasmVector, o.norm.weight).at;
  const most = rowsAtOnce(head.out, count);
  const logits = scratchRows(memory, 'logits', most, head.out);
  const normed = scratchRows(memory, 'normed', most, x.width);
  for (let first = 0; first < count; first += most) {
    const rows = Math.min(most, count - first);
    // prettier-ignore
    memory.kernels.norm_rows(
      x.at, x.stride, index + 4 * first, weight, factors && factors + 4 * first, normed.at, normed.stride,
      rows, x.width, o.norm.eps,
    );
    multiplyMatrix(memory, head, normed, logits, rows, ZERO);
    visit({ first, rows, logits, normed });
  }
}

export function placePicks(
  memory: WasmMemory,
  handle: Parameters<Ops['placePicks']>[0],
  { rows, targets, temperatures }: Parameters<Ops['placePicks']>[1],
): void {
  const picks = own(WasmPicks, handle);
  if (rows.length > picks.rows)
    throw new RangeError(`picks: ${rows.length} given, there is room for ${picks.rows}`);
  picks.count = rows.length;
  memory.integers(picks.index, rows.length).set(rows);
  memory.integers(picks.targets, rows.length).set(targets);
  const factors = memory.floats(picks.factors, rows.length).fill(1);
  if (temperatures) factors.set(Float32Array.from(temperatures, (temperature) => 1 / temperature));
}

export function score(memory: WasmMemory, o: Parameters<Ops['score']>[0]): void {
  const picks = own(WasmPicks, o.picks);
  eachChunk(memory, o, picks, ({ first, rows, logits }) => {
    scoreChunk(memory, picks, { first, rows, logits }, o.head.out);
  });
}

function scoreChunk(
  { kernels }: WasmMemory,
  picks: WasmPicks,
  { first, rows, logits }: Omit<Chunk, 'normed'>,
  vocabulary: number,
): void {
  const at = 4 * first;
  // prettier-ignore
  kernels.scores(
    logits.at, logits.stride, picks.targets + at, picks.logprobs + at, picks.entropies + at, picks.hits + at,
    rows, vocabulary,
  );
}

/** @param scored whether the rows are scored too */
export function scoreBackward(
  memory: WasmMemory,
  o: Parameters<Ops['scoreBackward']>[0],
  scored = false,
): void {
  const { kernels } = memory;
  const [picks, tokens] = [own(WasmPicks, o.picks), own(WasmTokens, o.tokens)];
  const [x, dx, head] = [
    own(WasmActivations, o.x),
    own(WasmActivations, o.dx),
    own(WasmMatrix, o.head),
  ];
  if (o.coefficients.length !== picks.count)
    throw new RangeError(`picks: ${o.coefficients.length} coefficients for ${picks.count} rows`);
  memory.floats(picks.coefficients, picks.count).set(o.coefficients);
  memory.floats(dx.at, tokens.count * dx.stride).fill(0);
  const { at: weight, gradient } = own(WasmVector, o.norm.weight);
  const dNormed = scratchRows(memory, 'dNormed', Math.min(MOST_ROWS, picks.count), x.width);
  eachChunk(memory, o, picks, ({ first, rows, logits, normed }) => {
    const at = 4 * first;
    if (scored) scoreChunk(memory, picks, { first, rows, logits }, o.head.out);
    // prettier-ignore
    kernels.scores_backward(
      logits.at, logits.stride, picks.targets + at, picks.coefficients + at, rows, o.head.out,
    );
    multiplyBack(memory, head, logits, dNormed, rows, ZERO);
    learnMatrix(memory, head, normed, logits, rows);
    // prettier-ignore
    kernels.norm_rows_backward(
      x.at, x.stride, picks.index + at, weight, picks.factors + at, dNormed.at, dNormed.stride, dx.at,
      dx.stride, rows, x.width, o.norm.eps, gradient,
    );
  });
}

export function readLogits(memory: WasmMemory, o: Parameters<Ops['readLogits']>[0]): Float32Array {
  const picks = own(WasmPicks, o.picks);
  const all = new Float32Array(picks.count * o.head.out);
  const { count, index } = picks;
  eachChunk(memory, o, { count, index, factors: 0 }, ({ first, rows, logits }) => {
    for (let row = 0; row < rows; row++)
      all.set(
        memory.floats(logits.at + 4 * row * logits.stride, o.head.out),
        (first + row) * o.head.out,
      );
  });
  return all;
}

/** Weights and sums by kernels: those of the host bit for bit. @param at where sums are left */
function kernelWeigher(memory: WasmMemory, at: number): Weigher {
  const { kernels } = memory;
  const sums = memory.doubles(at, 3);
  const flags = memory.integers(at + 24, 2);
  return {
    weigh(logits, temperature, weights) {
      kernels.weigh(logits.byteOffset, logits.length, temperature, weights.byteOffset, at);
      return {
        total: itemAt(sums, 0),
        weighted: itemAt(sums, 1),
        max: itemAt(sums, 2),
        id: itemAt(flags, 0),
        finite: flags[1] === 1,
      };
    },
    pick: (weights, count, target) => kernels.pick(weights.byteOffset, count, target),
  };
}

export function sample(memory: WasmMemory, o: Parameters<Ops['sample']>[0]): void {
  const draws = own(WasmDraws, o.draws);
  const { wanted, index, count } = draws;
  const vocabulary = o.head.out;
  const weightsAt = memory.scratch('weights', 8 * pad8(vocabulary));
  const sumsAt = memory.scratch('sums', 32);
  draws.drawn = [];
  eachChunk(memory, o, { count, index, factors: 0 }, ({ first, rows, logits }) => {
    const weights = memory.doubles(weightsAt, vocabulary);
    const by = kernelWeigher(memory, sumsAt);
    for (let row = 0; row < rows; row++) {
      const one = wanted[first + row];
      if (!one) continue;
      const values = memory.floats(logits.at + 4 * row * logits.stride, vocabulary);
      const u = drawNumber(one.seed, one.counter);
      draws.drawn.push(draw(values, one.sampling, u, weights, by));
    }
  });
}
