import { own } from '../ops/own.ts';
import { chainOf } from '../ops/prefixes.ts';
import type { AttentionInput, HeadsInput, Ops } from '../ops/ops.ts';
import type { KvMove, KvCache } from '../ops/values.ts';
import {
  pad8,
  WasmActivations,
  WasmRotary,
  WasmStore,
  WasmTokens,
  WasmVector,
  type PlacedRun,
} from './handles.ts';
import type { WasmMemory } from './memory.ts';
import {
  normTokens,
  normTokensBackward,
  project,
  projectBackward,
  scratchRows,
  ZERO,
} from './projection.ts';

type Options<K extends keyof Ops> = Ops[K] extends (o: infer O) => unknown ? O : never;

/** Weights of the norms of heads and tables of turning, as kernels take them: 0 where there are none. */
function turning(o: HeadsInput): [number, number, number, number, number] {
  const norms = o.headNorms;
  const [q, k] = norms ? [own(WasmVector, norms.q).at, own(WasmVector, norms.k).at] : [0, 0];
  const rotary = o.rotary && own(WasmRotary, o.rotary);
  const { position } = own(WasmTokens, o.tokens).most;
  if (rotary && position >= rotary.positions)
    throw new RangeError(`wasm: position ${position} is beyond the ${rotary.positions} of a model`);
  return [q, k, norms?.eps ?? 0, rotary?.cos ?? 0, rotary?.sin ?? 0];
}

/** Gradients of the norms of heads, 0 where they do not learn. */
const headNormGradients = ({ headNorms: norms }: HeadsInput): [number, number] =>
  norms ? [own(WasmVector, norms.q).gradient, own(WasmVector, norms.k).gradient] : [0, 0];

export function projectHeads(memory: WasmMemory, o: Options<'projectHeads'>): void {
  const [x, q, tokens] = [
    own(WasmActivations, o.x),
    own(WasmActivations, o.q),
    own(WasmTokens, o.tokens),
  ];
  const store = own(WasmStore, o.store);
  const { count, most } = tokens;
  if (most.place >= store.positions)
    throw new RangeError(`wasm: place ${most.place} is beyond the store's ${store.positions}`);
  const { kvHeads: G, headDim: D } = store;
  const normed = normTokens(memory, x, x.width, o.norm, tokens);
  const raw = o.raw
    ? own(WasmActivations, o.raw)
    : scratchRows(memory, 'raw', count, o.by.matrix.out);
  project(memory, o.by, normed, raw, count, ZERO);
  const row = memory.scratch('row', 8 * D);
  // prettier-ignore
  memory.kernels.heads_forward(
    raw.at, raw.stride, ...turning(o), tokens.positions, tokens.places, q.at, q.stride, store.keys,
    store.values, Number(store.type === 'f16'), store.room, count, o.heads, G, D, row,
  );
  if (tokens.copies.length > 0) copyKeys(memory, [store], tokens.copies);
}

/** Positions that a row sees at most, as kernels take it. */
const windowOf = ({ window }: AttentionInput): number => window ?? 2 ** 31 - 1;

/** Places that a run reads, filled up to a panel. */
const placesOf = ({ position, count }: PlacedRun): number => pad8(position + count);

export function attend(memory: WasmMemory, o: Options<'attend'>): void {
  const [q, out, tokens] = [
    own(WasmActivations, o.q),
    own(WasmActivations, o.out),
    own(WasmTokens, o.tokens),
  ];
  const lse = o.lse && own(WasmActivations, o.lse);
  const store = own(WasmStore, o.store);
  const { kvHeads: G, headDim: D } = store;
  const half = store.type === 'f16';
  const places = tokens.runs.reduce((most, run) => Math.max(most, placesOf(run)), 0);
  const wide = pad8(D);
  const scratch = memory.scratch(
    'attention',
    4 * (48 * (places + wide + 1) + (half ? 2 * places * wide : 0)),
  );
  for (const { row, count, position, start } of tokens.runs)
    // prettier-ignore
    memory.kernels.attend(
      q.at + 4 * row * q.stride, q.stride, store.keys, store.values, Number(half), store.room, start, position, count,
      windowOf(o), o.heads, G, D, out.at + 4 * row * out.stride, out.stride,
      lse ? lse.at + 4 * row * lse.stride : 0, lse?.stride ?? 0, scratch,
    );
}

export function attendBackward(memory: WasmMemory, o: Options<'attendBackward'>): void {
  const [q, out, lse] = [
    own(WasmActivations, o.q),
    own(WasmActivations, o.out),
    own(WasmActivations, o.lse),
  ];
  const [dOut, dq] = [own(WasmActivations, o.dOut), own(WasmActivations, o.dq)];
  const [dKeys, dValues] = [own(WasmActivations, o.dKeys), own(WasmActivations, o.dValues)];
  const store = own(WasmStore, o.store);
  const { kvHeads: G, headDim: D } = store;
  const half = store.type === 'f16';
  const { runs, count: all } = own(WasmTokens, o.tokens);
  if (runs.some(({ position, after }) => position > 0 && after === undefined))
    throw new Error('wasm: the way back of attention takes whole contexts, each in one run');
  const places = runs.reduce((most, run) => Math.max(most, placesOf(run)), 0);
  const wide = pad8(D);
  const scratch = memory.scratch(
    'attention',
    4 * (places * (72 + (half ? 6 : 4) * wide) + 36 * wide),
  );
  const rowOf = memory.scratch('rows of a context', 4 * places);
  const row = (x: WasmActivations, r: number): number => x.at + 4 * r * x.stride;
  for (const to of [dKeys, dValues]) memory.floats(to.at, all * to.stride).fill(0);
  for (const run of runs) {
    const { row: r, count, position, start } = run;
    const rows = memory.integers(rowOf, places);
    for (const piece of chainOf(runs, run))
      for (let i = 0; i < piece.count; i++) rows[piece.position + i] = piece.row + i;
    // prettier-ignore
    memory.kernels.attend_backward(
      row(q, r), q.stride, store.keys, store.values, Number(half), store.room, start, position, count, windowOf(o),
      o.heads, G, D, row(out, r), row(dOut, r), out.stride, row(lse, r), lse.stride, row(dq, r), dKeys.at, dValues.at,
      dKeys.stride, rowOf, scratch,
    );
  }
}

export function projectHeadsBackward(memory: WasmMemory, o: Options<'projectHeadsBackward'>): void {
  const [x, raw, tokens] = [
    own(WasmActivations, o.x),
    own(WasmActivations, o.raw),
    own(WasmTokens, o.tokens),
  ];
  const [dq, dKeys, dValues] = [
    own(WasmActivations, o.dq),
    own(WasmActivations, o.dKeys),
    own(WasmActivations, o.dValues),
  ];
  const { kvHeads: G, headDim: D } = o.store;
  const { count } = tokens;
  const dRaw = scratchRows(memory, 'raw', count, raw.width);
  const [dqNorm, dkNorm] = headNormGradients(o);
  const row = memory.scratch('row', 8 * D);
  // prettier-ignore
  memory.kernels.heads_backward(
    raw.at, raw.stride, ...turning(o), tokens.positions, dq.at, dq.stride, dKeys.at, dValues.at,
    dKeys.stride, dRaw.at, dRaw.stride, count, o.heads, G, D, row, dqNorm, dkNorm,
  );
  const normed = normTokens(memory, x, x.width, o.norm, tokens);
  const dNormed = o.dx && scratchRows(memory, 'dNormed', count, x.width);
  projectBackward(memory, o.by, normed, dRaw, dNormed, count);
  if (o.dx && dNormed)
    normTokensBackward(memory, x, x.width, o.norm, tokens, dNormed, own(WasmActivations, o.dx));
}

/** Copies whole panels of 8 positions. */
export function copyKeys(
  memory: WasmMemory,
  stores: readonly KvCache[],
  moves: readonly KvMove[],
  targets: readonly KvCache[] = stores,
): void {
  stores.forEach((handle, i) => {
    const source = own(WasmStore, handle);
    const target = own(WasmStore, targets[i] ?? handle);
    const { keyBytes, valueBytes } = source;
    if (target.keyBytes !== keyBytes || target.kvHeads !== source.kvHeads)
      throw new RangeError('wasm: keys are copied between stores of one shape');
    for (const { from, to, count } of moves) {
      if (from % 8 !== 0 || to % 8 !== 0)
        throw new RangeError(
          `wasm: keys are copied from and to multiples of 8, not ${from}, ${to}`,
        );
      const places = pad8(count);
      if (from + places > source.room || to + places > target.room)
        throw new RangeError(
          `wasm: ${places} positions from ${from} to ${to} do not fit the store`,
        );
      const copy = (a: number, b: number, bytes: number): void => {
        for (let head = 0; head < source.kvHeads; head++)
          memory
            .bytesAt(b + (head * target.room + to) * bytes, places * bytes)
            .set(memory.bytesAt(a + (head * source.room + from) * bytes, places * bytes));
      };
      copy(source.keys, target.keys, keyBytes);
      copy(source.values, target.values, valueBytes);
    }
  });
}
