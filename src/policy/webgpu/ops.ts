import type {
  AttentionInput,
  Draw,
  Drawn,
  FeedForwardInput,
  Handle,
  HeadInput,
  HeadsInput,
  KernelTime,
  Norm,
  Ops,
  ResidualInput,
} from '../ops/ops.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  Draws,
  KvMove,
  KvCache,
  MatrixShape,
  MatrixWriter,
  Matrix,
  Picks,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from '../ops/values.ts';
import type { RowScores } from '../lora/trainer.ts';
import type { DeviceOptions, GpuBuffer, Range } from './device/device.ts';
import { Gpu } from './device/gpu.ts';
import { copyRows } from './kernels/copy-rows.ts';
import { embed } from './kernels/embed.ts';
import { fewAttend } from './kernels/few/attend.ts';
import { fewFeedForward } from './kernels/few/feed-forward.ts';
import { fewHeads } from './kernels/few/heads.ts';
import { fewSample } from './kernels/few/logits.ts';
import { fewResidual } from './kernels/few/residual.ts';
import { FewState } from './kernels/few/state.ts';
import { placeDraws, readDraws } from './kernels/sample/draws.ts';
import { GpuMatrixWriter } from './device/matrix-writer.ts';
import {
  adapterPlaces,
  DRAW_BYTES,
  strideOf,
  tokenTableBytes,
  rankStride,
  padded,
} from './device/sizes.ts';
import {
  GpuActivations,
  GpuAdapter,
  GpuDraws,
  GpuKvCache,
  GpuMatrix,
  GpuPicks,
  GpuRotary,
  GpuTokens,
  GpuVector,
  own,
  deviceRow,
} from './device/values.ts';
import {
  attendBackward,
  feedForwardBackward,
  projectHeadsBackward,
  projectResidualBackward,
} from './many/backward.ts';
import {
  attendMany,
  feedForwardMany,
  projectHeadsMany,
  projectResidualMany,
} from './many/forward.ts';
import { placePicks, readLogits, readScores, score, scoreBackward } from './many/head.ts';
import { GROUP_ID } from './device/encoder.ts';

const THREADS = 64;
/** Moves of a dispatch: what a uniform of 256 bytes holds. */
const MOVES = 15;

const CODE = `struct Moves { count: u32, groups: u32, words: u32, unused: u32, moves: array<vec4u, ${MOVES}> }
@group(0) @binding(0) var<uniform> u: Moves;
@group(0) @binding(1) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> values: array<vec2u>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let id = ${GROUP_ID};
  let m = u.moves[min(id / u.groups, ${MOVES - 1}u)];
  let i = (id % u.groups) * ${THREADS}u + li;
  if (id / u.groups >= u.count || i >= m.z * u.words) { return; }
  keys[m.y * u.words + i] = keys[m.x * u.words + i];
  values[m.y * u.words + i] = values[m.x * u.words + i];
}`;

const BETWEEN = `struct Moves { count: u32, groups: u32, words: u32, unused: u32, moves: array<vec4u, ${MOVES}> }
@group(0) @binding(0) var<uniform> u: Moves;
@group(0) @binding(1) var<storage, read> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read> values: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> toKeys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> toValues: array<vec2u>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let id = ${GROUP_ID};
  let m = u.moves[min(id / u.groups, ${MOVES - 1}u)];
  let i = (id % u.groups) * ${THREADS}u + li;
  if (id / u.groups >= u.count || i >= m.z * u.words) { return; }
  toKeys[m.y * u.words + i] = keys[m.x * u.words + i];
  toValues[m.y * u.words + i] = values[m.x * u.words + i];
}`;

/** Copies positions of a store to others of it, or of `to`; ranges that overlap are not allowed. */
function copyKeys(gpu: Gpu, store: GpuKvCache, to: GpuKvCache, moves: readonly KvMove[]): void {
  for (const { from, to: target, count } of moves) {
    if (Math.max(from + count, 0) > store.positions || target + count > to.positions)
      throw new RangeError(
        `positions ${from} and ${target}, ${count} of each, in stores of ${store.positions} and ${to.positions}`,
      );
  }
  // Words of 8 bytes of a position.
  const words = (store.kvHeads * store.dim * (store.type === 'f16' ? 2 : 4)) / 8;
  const inside = store === to;
  const bindings: Range[] = [store.keys, store.values, ...(inside ? [] : [to.keys, to.values])];
  for (let at = 0; at < moves.length; at += MOVES) {
    const some = moves
      .slice(at, at + MOVES)
      .map(({ from, to: target, count }) => [from, target, padded(count, 8), 0]);
    const longest = Math.max(...some.map(([, , count = 0]) => count));
    const groups = Math.ceil((longest * words) / THREADS);
    gpu.encoder.dispatch(
      {
        key: inside ? 'copy-keys' : 'copy-keys-between',
        code: () => (inside ? CODE : BETWEEN),
        access: inside ? 'ww' : 'rrww',
      },
      bindings,
      [some.length, groups, words, 0, ...some.flat()],
      groups * some.length,
    );
  }
}

/** @throws Error for an adapter that is not trained */
function gradientsOf(adapter: Adapter): GpuBuffer {
  const { gradients } = own(GpuAdapter, adapter);
  if (!gradients) throw new Error('this adapter is not trained, so it has no gradients');
  return gradients;
}

/** All that a handle holds. */
function buffersOf(handle: Handle): GpuBuffer[] {
  if (handle instanceof GpuActivations || handle instanceof GpuVector) return [handle.buffer];
  if (handle instanceof GpuRotary || handle instanceof GpuKvCache) return [handle.buffer];
  if (handle instanceof GpuMatrix) return handle.parts.map(({ units }) => units.buffer);
  if (handle instanceof GpuTokens) return [handle.table, handle.runTable];
  if (handle instanceof GpuDraws || handle instanceof GpuPicks)
    return [handle.table, handle.results];
  if (handle instanceof GpuAdapter)
    return handle.gradients ? [handle.values, handle.gradients] : [handle.values];
  throw new TypeError(`WebGPU: this ${handle.kind} was made by another device`);
}

/** Calls `move` for every row of every factor: where it is in the caller's order, and where on the device. */
function eachRow(
  { loras }: GpuAdapter,
  move: (natural: number, device: number, length: number) => void,
): void {
  let at = 0;
  for (const { shape, place } of loras)
    for (const { row, out, a, b } of place.parts) {
      for (let i = 0; i < shape.rank; i++, at += shape.in)
        move(at, a + i * strideOf(shape.in), shape.in);
      for (let i = 0; i < out; i++, at += shape.rank) {
        const held = deviceRow(row + i, shape.turned) - row;
        move(at, b + held * rankStride(shape.rank), shape.rank);
      }
    }
}

/** What the device holds for values in the order of `Ops.writeAdapter`. @throws RangeError */
function toDevice(adapter: GpuAdapter, values: Float32Array): Float32Array<ArrayBuffer> {
  if (values.length !== adapter.length)
    throw new RangeError(`${values.length} values for an adapter of ${adapter.length}`);
  const held = new Float32Array(adapter.values.size / 4);
  eachRow(adapter, (natural, device, length) =>
    held.set(values.subarray(natural, natural + length), device),
  );
  return held;
}

/** The caller's order of what the device holds. */
function fromDevice(adapter: GpuAdapter, held: Float32Array): Float32Array {
  const values = new Float32Array(adapter.length);
  eachRow(adapter, (natural, device, length) =>
    values.set(held.subarray(device, device + length), natural),
  );
  return values;
}

/** The block operations on WebGPU: a file per kernel under `kernels/`. */
export class WebGpuOps implements Ops {
  readonly device = 'webgpu';

  private readonly few: FewState;

  readonly kernelTimes?: (work: () => Promise<void>) => Promise<KernelTime[]>;

  constructor(readonly gpu: Gpu) {
    this.few = new FewState(gpu);
    if (gpu.device.features.timestamps) this.kernelTimes = (work) => gpu.encoder.profiled(work);
  }

  static async open(options?: DeviceOptions): Promise<WebGpuOps> {
    return new WebGpuOps(await Gpu.open(options));
  }

  /** See `Ops.lost`. */
  get lost(): Promise<string> {
    return this.gpu.device.gone;
  }

  get bytes(): number {
    return this.gpu.device.bytes;
  }

  // What there is

  activations(rows: number, width: number, label: string): Activations {
    return new GpuActivations(
      rows,
      width,
      this.gpu.device.buffer(rows * strideOf(width) * 4, label),
    );
  }

  vector(values: Float32Array, label: string): Vector {
    const held = new Float32Array(strideOf(values.length));
    held.set(values);
    return new GpuVector(values.length, this.filled(held, label));
  }

  matrix(shape: MatrixShape, label: string): MatrixWriter {
    return new GpuMatrixWriter(this.gpu, shape, label);
  }

  rotary(cos: Float32Array, sin: Float32Array, pairs: number): Rotary {
    const held = new Float32Array(cos.length * 2);
    for (let i = 0; i < cos.length; i++) {
      held[2 * i] = cos[i] ?? 0;
      held[2 * i + 1] = sin[i] ?? 0;
    }
    return new GpuRotary(cos.length / pairs, pairs, this.filled(held, 'rotary'));
  }

  kvCache(
    shape: { positions: number; kvHeads: number; headDim: number; type: StoreType },
    label: string,
  ): KvCache {
    return GpuKvCache.on(this.gpu.device, shape, label);
  }

  tokens(rows: number): Tokens {
    const bytes = tokenTableBytes(rows);
    const table = this.gpu.device.buffer(bytes, 'tokens');
    return new GpuTokens(rows, table, this.gpu.device.buffer(bytes, 'runs'));
  }

  picks(rows: number): Picks {
    const table = this.gpu.device.buffer(rows * 16, 'picks');
    return new GpuPicks(rows, table, this.gpu.device.buffer(rows * 16, 'scores'));
  }

  draws(rows: number): Draws {
    const table = this.gpu.device.buffer(rows * DRAW_BYTES, 'draws');
    return new GpuDraws(rows, table, this.gpu.device.buffer(rows * DRAW_BYTES, 'drawn'));
  }

  adapter(shapes: readonly AdapterShape[], trained: boolean): Adapter {
    const { loras, held, length } = adapterPlaces(shapes);
    const make = (label: string): GpuBuffer => this.gpu.device.buffer(held * 4, label);
    const gradients = trained ? make('gradients') : null;
    return new GpuAdapter(shapes, loras, length, make('adapter'), gradients);
  }

  free(...handles: readonly Handle[]): void {
    this.few.settleKeys();
    for (const handle of handles)
      for (const buffer of buffersOf(handle)) this.gpu.encoder.release(buffer);
  }

  attempt<T>(make: () => T): Promise<T> {
    return this.gpu.device.attempt(make);
  }

  reserve(work: () => void): Promise<void> {
    return this.gpu.reserve(() => this.unrun(work));
  }

  // Tokens, keys and values

  place(tokens: Tokens, runs: readonly TokenRun[], size: 'few' | 'many'): void {
    const t = own(GpuTokens, tokens);
    this.few.settleKeys();
    const { table, runTable } = t.take(runs, size);
    this.gpu.encoder.write(t.table, 0, table);
    this.gpu.encoder.write(t.runTable, 0, runTable);
  }

  copyKeys(
    stores: readonly KvCache[],
    moves: readonly KvMove[],
    target: readonly KvCache[] = stores,
  ): void {
    this.few.settleKeys();
    stores.forEach((store, i) => {
      const from = own(GpuKvCache, store);
      copyKeys(this.gpu, from, own(GpuKvCache, target[i] ?? store), moves);
    });
  }

  // Forward

  embed(o: { table: Matrix; tokens: Tokens; x: Activations; scale?: number; next?: Norm }): void {
    const [tokens, x] = [own(GpuTokens, o.tokens), own(GpuActivations, o.x)];
    this.few.wrote(x);
    const next = tokens.size === 'few' && o.next ? this.few.place(x, o.next, tokens.count) : null;
    embed(this.gpu, { table: own(GpuMatrix, o.table), tokens, x, scale: o.scale ?? 1, next });
  }

  projectHeads(o: HeadsInput & { q: Activations; raw?: Activations }): void {
    this.wrote(o.q, o.raw);
    if (isFew(o)) return fewHeads(this.gpu, this.few, o);
    this.few.settleKeys();
    projectHeadsMany(this.gpu, o);
    const { copies } = own(GpuTokens, o.tokens);
    if (copies.length > 0) this.copyKeys([o.store], copies);
  }

  attend(o: AttentionInput & { out: Activations; lse?: Activations }): void {
    this.wrote(o.out, o.lse);
    if (isFew(o)) return fewAttend(this.gpu, this.few, o);
    this.few.settleKeys();
    attendMany(this.gpu, o);
  }

  projectResidual(o: ResidualInput & { x: Activations; next?: Norm }): void {
    this.wrote(o.x);
    if (isFew(o)) fewResidual(this.gpu, this.few, o);
    else projectResidualMany(this.gpu, o);
  }

  feedForward(o: FeedForwardInput & { out: Activations; raw?: Activations }): void {
    this.wrote(o.out, o.raw);
    if (isFew(o)) fewFeedForward(this.gpu, this.few, o);
    else feedForwardMany(this.gpu, o);
  }

  async readActivations(from: Activations, rows: number): Promise<Float32Array> {
    const { buffer, stride, width } = own(GpuActivations, from);
    const held = new Float32Array(await this.gpu.reader.read(buffer, 0, rows * stride * 4));
    const values = new Float32Array(rows * width);
    for (let row = 0; row < rows; row++)
      values.set(held.subarray(row * stride, row * stride + width), row * width);
    return values;
  }

  copyRows(o: { from: Activations; to: Activations; tokens: Tokens }): void {
    const [from, to] = [own(GpuActivations, o.from), own(GpuActivations, o.to)];
    this.wrote(to);
    copyRows(this.gpu, from, to, own(GpuTokens, o.tokens));
  }

  // Head

  sample(o: HeadInput & { draws: Draws }): void {
    fewSample(this.gpu, this.few, o);
  }

  placeDraws(draws: Draws, wanted: readonly Draw[]): void {
    placeDraws(this.gpu, own(GpuDraws, draws), wanted);
  }

  readDraws(draws: Draws): Promise<Drawn[]> {
    return readDraws(this.gpu, own(GpuDraws, draws));
  }

  score(o: HeadInput & { picks: Picks }): void {
    score(this.gpu, o);
  }

  placePicks(
    picks: Picks,
    o: { rows: ArrayLike<number>; targets: ArrayLike<number>; temperatures?: ArrayLike<number> },
  ): void {
    placePicks(this.gpu, picks, o);
  }

  readScores(picks: Picks): Promise<RowScores> {
    return readScores(this.gpu, picks);
  }

  scoreBackward(
    o: HeadInput & { picks: Picks; tokens: Tokens; coefficients: Float32Array; dx: Activations },
  ): void {
    this.wrote(o.dx);
    scoreBackward(this.gpu, o);
  }

  readLogits(o: HeadInput & { picks: Picks }): Promise<Float32Array> {
    return readLogits(this.gpu, o);
  }

  // Backward

  projectResidualBackward(o: ResidualInput & { dx: Activations; dInput: Activations }): void {
    this.wrote(o.dInput);
    projectResidualBackward(this.gpu, o);
  }

  feedForwardBackward(
    o: FeedForwardInput & { raw: Activations; dOut: Activations; dx: Activations },
  ): void {
    this.wrote(o.dx, o.raw);
    feedForwardBackward(this.gpu, o);
  }

  attendBackward(
    o: AttentionInput & {
      out: Activations;
      lse: Activations;
      dOut: Activations;
      dq: Activations;
      dKeys: Activations;
      dValues: Activations;
    },
  ): void {
    this.wrote(o.dq, o.dKeys, o.dValues);
    this.few.settleKeys();
    attendBackward(this.gpu, o);
  }

  projectHeadsBackward(
    o: HeadsInput & {
      raw: Activations;
      dq: Activations;
      dKeys: Activations;
      dValues: Activations;
      dx: Activations | null;
    },
  ): void {
    this.wrote(o.dx);
    projectHeadsBackward(this.gpu, o);
  }

  // Adapters

  writeAdapter(adapter: Adapter, values: Float32Array): void {
    const a = own(GpuAdapter, adapter);
    this.gpu.encoder.write(a.values, 0, toDevice(a, values));
  }

  zeroGradients(adapter: Adapter): void {
    this.gpu.encoder.clear(gradientsOf(adapter));
  }

  async readGradients(adapter: Adapter): Promise<Float32Array> {
    const held = await this.gpu.reader.read(gradientsOf(adapter));
    return fromDevice(own(GpuAdapter, adapter), new Float32Array(held));
  }

  // Work
  submit(): void {
    this.gpu.encoder.submit();
  }

  async settled(): Promise<void> {
    const { device, encoder } = this.gpu;
    encoder.submit();
    await device.settle(device.raw.queue.onSubmittedWorkDone());
  }

  warmUp(work: () => void, onProgress?: (done: number, all: number) => void): Promise<void> {
    return this.gpu.encoder.warmUp(() => this.unrun(work), onProgress);
  }

  dispose(): void {
    this.gpu.device.dispose();
  }

  /** Work of which nothing is run. */
  private unrun(work: () => void): void {
    try {
      work();
    } finally {
      this.few.forget();
    }
  }

  /** Every operation says which activations it writes. */
  private wrote(...written: (Activations | null | undefined)[]): void {
    for (const x of written) if (x) this.few.wrote(x);
  }

  private filled(values: Float32Array<ArrayBuffer>, label: string): GpuBuffer {
    const buffer = this.gpu.device.buffer(values.byteLength, label);
    this.gpu.encoder.write(buffer, 0, values);
    return buffer;
  }
}

/** @throws DeviceError where there is no WebGPU, or no adapter */
export const createWebGpuOps = (options?: DeviceOptions): Promise<WebGpuOps> =>
  WebGpuOps.open(options);

const isFew = ({ tokens }: { tokens: Tokens }): boolean => own(GpuTokens, tokens).size === 'few';
