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
import { fromDevice, toDevice } from './device/adapter-values.ts';
import type { DeviceOptions, GpuBuffer } from './device/device.ts';
import { Gpu } from './device/gpu.ts';
import { copyKeys } from './kernels/copy-keys.ts';
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
import { adapterPlaces, DRAW_BYTES, strideOf, tokenTableBytes } from './device/sizes.ts';
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
} from './device/values.ts';
import { buffersOf, gradientsOf } from './device/buffers-of.ts';
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
