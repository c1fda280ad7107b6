import type { PolicyConfig } from '../checkpoint/config.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import type { Handle, Ops } from './ops.ts';
import type { HeldTypes } from '../checkpoint/weight-type.ts';
import type { AdapterShape, KvCache, MatrixShape, StoreType } from './values.ts';

/** Bytes of everything that a device can hold, from shapes only. */
export interface Sizes {
  readonly device: Ops['device'];
  activations(rows: number, width: number): number;
  vector(length: number): number;
  matrix(shape: MatrixShape): number;
  /** Bytes of the largest piece of a matrix, where it is held in several; absent: it is one. */
  piece?(shape: MatrixShape): number;
  rotary(positions: number, pairs: number): number;
  kvCache(shape: { positions: number; kvHeads: number; headDim: number; type: StoreType }): number;
  tokens(rows: number): number;
  picks(rows: number): number;
  draws(rows: number): number;
  adapter(shapes: readonly AdapterShape[], trained: boolean): number;
  /** What operations hold beside all that once they were called. */
  working(of: Working): number;
}

/** What is computed: decoding and reading, or where `train` is given a step of training. */
export interface Working {
  readonly config: PolicyConfig;
  readonly type: HeldTypes;
  /** Contexts that decode together, and the positions of each. */
  readonly slots: number;
  readonly context: number;
  /** Tokens of given text that a turn of sampling reads. */
  readonly prefillChunk: number;
  readonly train: { readonly adapter: LoraSpec; readonly limits: TrainLimits } | null;
}

/** Operations that hold nothing and compute nothing: they count what a device would hold. */
export interface PlannedOps extends Ops {
  /** Most that `bytes` ever was. */
  readonly peak: number;
  /** The largest of what is bound at once. */
  readonly largest: { readonly label: string; readonly bytes: number };
}

/**
 * Operations over which a model can be built to learn what it will hold. Nothing can be read of them.
 * @throws Error where something is computed
 */
export function plannedOps(sizes: Sizes): PlannedOps {
  const held = new Map<Handle, number>();
  let [bytes, peak] = [0, 0];
  let largest = { label: '', bytes: 0 };
  const made = <T extends Handle>(handle: T, size: number, label: string, piece = size): T => {
    held.set(handle, size);
    bytes += size;
    peak = Math.max(peak, bytes);
    if (piece > largest.bytes) largest = { label, bytes: piece };
    return handle;
  };
  const nothing = (): void => undefined;
  const never = (): never => {
    throw new Error('a plan computes nothing');
  };
  return {
    device: sizes.device,
    get bytes() {
      return bytes;
    },
    get peak() {
      return peak;
    },
    get largest() {
      return largest;
    },
    activations: (rows, width, label) =>
      made({ kind: 'activations', rows, width }, sizes.activations(rows, width), label),
    vector: ({ length }, label) => made({ kind: 'vector', length }, sizes.vector(length), label),
    matrix: (shape, label) => ({
      write: nothing,
      abandon: nothing,
      finish: () => {
        const size = sizes.matrix(shape);
        const piece = sizes.piece?.(shape) ?? size;
        return made({ kind: 'matrix', ...shape, bytes: size }, size, label, piece);
      },
    }),
    rotary: (cos, _, pairs) => {
      const positions = cos.length / pairs;
      return made({ kind: 'rotary', positions, pairs }, sizes.rotary(positions, pairs), 'rotary');
    },
    kvCache: (shape, label) => {
      const store: KvCache = { kind: 'keys', ...shape };
      return made(store, sizes.kvCache(shape), label);
    },
    tokens: (rows) => made({ kind: 'tokens', rows, count: 0 }, sizes.tokens(rows), 'tokens'),
    picks: (rows) => made({ kind: 'picks', rows, count: 0 }, sizes.picks(rows), 'picks'),
    draws: (rows) => made({ kind: 'draws', rows, count: 0 }, sizes.draws(rows), 'draws'),
    adapter: (shapes, trained) => {
      const length = shapes.reduce(
        (sum, { in: inputs, rank, parts }) =>
          sum + parts.reduce((all, { out }) => all + rank * (inputs + out), 0),
        0,
      );
      const adapter = {
        kind: 'adapter' as const,
        trained,
        length,
        get loras() {
          return shapes.map((shape) => ({ shape, adapter }));
        },
      };
      return made(adapter, sizes.adapter(shapes, trained), 'adapter');
    },
    free: (...handles) => {
      for (const handle of handles) {
        bytes -= held.get(handle) ?? 0;
        held.delete(handle);
      }
    },
    place: never,
    copyKeys: nothing,
    embed: never,
    projectHeads: never,
    attend: never,
    projectResidual: never,
    feedForward: never,
    copyRows: never,
    sample: never,
    placeDraws: never,
    readDraws: never,
    score: never,
    placePicks: never,
    readScores: never,
    scoreBackward: never,
    readLogits: never,
    readActivations: never,
    projectResidualBackward: never,
    feedForwardBackward: never,
    attendBackward: never,
    projectHeadsBackward: never,
    writeAdapter: never,
    zeroGradients: never,
    readGradients: never,
    submit: nothing,
    settled: () => Promise.resolve(),
    dispose: nothing,
  };
}
