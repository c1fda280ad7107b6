import { itemAt } from '../../../base/items.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  Draws,
  KvCache,
  KvMove,
  Lora,
  Matrix,
  MatrixShape,
  MatrixType,
  Picks,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from '../../ops/values.ts';
import { MemoryError } from '../../ops/faults.ts';
import { prefixCopies } from '../../ops/prefixes.ts';
import type { Device, GpuBuffer, Range } from './device.ts';
import type { MatrixSlopes, VectorSlopes } from './learned.ts';
import { keyBytes, padded, strideOf, storedDim, type LoraPlace, type MatrixPart } from './sizes.ts';

/** The handle as this device made it. @throws TypeError for another device's */
export function own<T extends object>(
  kind: abstract new (...args: never[]) => T,
  handle: object,
): T {
  if (handle instanceof kind) return handle;
  throw new TypeError(`WebGPU: this is no ${kind.name}; it was made by another device`);
}

/** [rows][stride] float32; zero between width and stride. */
export class GpuActivations implements Activations {
  readonly kind = 'activations';
  readonly stride: number;

  constructor(
    readonly rows: number,
    readonly width: number,
    readonly buffer: GpuBuffer,
  ) {
    this.stride = strideOf(width);
  }
}

/** [length] float32, padded with zeros to a multiple of 32. */
export class GpuVector implements Vector {
  readonly kind = 'vector';
  /** Adds to its gradient; null for one that does not learn. */
  learn: ((slopes: VectorSlopes) => void) | null = null;

  constructor(
    readonly length: number,
    readonly buffer: GpuBuffer,
  ) {}
}

/** Rows of a matrix in one buffer. */
export interface GpuMatrixPart extends MatrixPart {
  /** All units, as vec4u. */
  readonly units: Range;
  /** All scales, two of 16 bits in a word; null for types without. */
  readonly scaleRange: Range | null;
}

/** See `matrixLayout`. Rows are in the device's order: `deviceRow`. */
export class GpuMatrix implements Matrix {
  readonly kind = 'matrix';
  /** Adds to its gradient; null for one that does not learn. */
  learn: ((slopes: MatrixSlopes) => void) | null = null;
  readonly out: number;
  readonly in: number;
  readonly type: MatrixType;
  readonly turned?: NonNullable<MatrixShape['turned']>;

  constructor(
    shape: MatrixShape,
    readonly parts: readonly GpuMatrixPart[],
  ) {
    this.out = shape.out;
    this.in = shape.in;
    this.type = shape.type;
    if (shape.turned) this.turned = shape.turned;
  }

  get bytes(): number {
    return this.parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/**
 * Where a row of a matrix (or of B) lies: of heads that are turned, row i is put beside row i + D/2, so that a
 * workgroup has both.
 */
export function deviceRow(row: number, turned: MatrixShape['turned']): number {
  if (!turned || row >= turned.rows) return row;
  const half = turned.headDim / 2;
  const i = row % turned.headDim;
  return row - i + (i < half ? 2 * i : 2 * (i - half) + 1);
}

/** [positions][pairs] of (cosine, sine). */
export class GpuRotary implements Rotary {
  readonly kind = 'rotary';

  constructor(
    readonly positions: number,
    readonly pairs: number,
    readonly buffer: GpuBuffer,
  ) {}
}

/**
 * Keys, then values, each [position][kvHead][dim] in float32 or in 16 bits, two in a word. `dim` is the head size
 * filled up to a multiple of 4; what fills it is zero. Keys lie in the order of the head (not the matrix').
 */
export class GpuKvCache implements KvCache {
  readonly kind = 'keys';
  readonly positions: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly type: StoreType;
  readonly dim: number;
  readonly keys: Range;
  readonly values: Range;

  constructor(
    shape: Pick<KvCache, 'positions' | 'kvHeads' | 'headDim' | 'type'>,
    readonly buffer: GpuBuffer,
  ) {
    this.positions = shape.positions;
    this.kvHeads = shape.kvHeads;
    this.headDim = shape.headDim;
    this.type = shape.type;
    this.dim = storedDim(shape.headDim);
    const size = keyBytes(shape.positions, shape.kvHeads, shape.headDim, shape.type);
    this.keys = { buffer, offset: 0, size };
    this.values = { buffer, offset: size, size };
  }

  /** @throws MemoryError where it is larger than what the device binds at once, or holds in a buffer */
  static on(
    device: Device,
    shape: Pick<KvCache, 'positions' | 'kvHeads' | 'headDim' | 'type'>,
    label: string,
  ): GpuKvCache {
    const { kvHeads, headDim, type } = shape;
    // `copyKeys` rounds counts up to a multiple of 8.
    const positions = padded(shape.positions, 8);
    const size = keyBytes(positions, kvHeads, headDim, type);
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    if (size > maxStorageBufferBindingSize || 2 * size > maxBufferSize)
      throw new MemoryError(
        `WebGPU: ${label} need ${2 * size} bytes for ${positions} positions; this device allows ` +
          `${Math.min(2 * maxStorageBufferBindingSize, maxBufferSize)}. Hold contexts in f16, or have ` +
          'fewer of them at a time, or shorter ones',
      );
    return new GpuKvCache({ ...shape, positions }, device.buffer(2 * size, label));
  }
}

/** A run that has tokens. */
export interface PlacedRun {
  /** Its first row. */
  readonly row: number;
  readonly count: number;
  readonly position: number;
  readonly start: number;
  /** Index of the placed run that it continues. */
  readonly after?: number;
}

export class GpuTokens implements Tokens {
  readonly kind = 'tokens';
  count = 0;
  size: 'few' | 'many' = 'many';
  /** Runs that have tokens, in the order of their rows. */
  runs: readonly PlacedRun[] = [];
  /** Of runs that continue others. */
  copies: readonly KvMove[] = [];
  /** Whether several runs are of one context, whose rows then read each other's new keys. */
  shared = false;
  /** Most positions that a row's context has with it. */
  longest = 0;
  /** What `table` holds. */
  words: Uint32Array = new Uint32Array(0);

  constructor(
    readonly rows: number,
    /** A row per token: id, position, place in the stores, place of its context's position 0. */
    readonly table: GpuBuffer,
    /** A row per run: first row, count, position of the first token, place of its context's position 0. */
    readonly runTable: GpuBuffer,
  ) {}

  /** The first 64 rows of the table, as a uniform that kernels of few rows bind. */
  get first(): Range {
    return { buffer: this.table, offset: 0, size: 64 * 16 };
  }

  /** The tables' content. @throws RangeError where the runs do not fit */
  take(
    runs: readonly TokenRun[],
    size: 'few' | 'many',
  ): { table: Uint32Array<ArrayBuffer>; runTable: Uint32Array<ArrayBuffer> } {
    const count = runs.reduce((sum, { ids }) => sum + ids.length, 0);
    if (count > this.rows) throw new RangeError(`${count} tokens in tables of ${this.rows}`);
    if (size === 'few' && (count > 64 || runs.some(({ ids }) => ids.length > 1)))
      throw new RangeError('few tokens are at most 64 runs of one each');
    const placed: PlacedRun[] = [];
    const table = new Uint32Array(count * 4);
    let row = 0;
    const placedAt: number[] = [];
    this.copies = prefixCopies(
      runs.map((run) => ({ ...run, count: run.ids.length })),
      size,
    );
    for (const { ids, position, start, after } of runs) {
      placedAt.push(placed.length);
      if (ids.length === 0) continue;
      if (start % 8 !== 0)
        throw new RangeError(`a context begins at place ${start}, no multiple of 8`);
      const continued = after === undefined ? {} : { after: itemAt(placedAt, after) };
      placed.push({ row, count: ids.length, position, start, ...continued });
      for (let i = 0; i < ids.length; i++) {
        const at = position + i;
        table.set([ids[i] ?? 0, at, start + at, start], row++ * 4);
      }
    }
    this.count = count;
    this.words = table;
    this.size = size;
    this.runs = placed;
    this.shared = new Set(placed.map(({ start }) => start)).size < placed.length;
    this.longest = placed.reduce((most, run) => Math.max(most, run.position + run.count), 0);
    const runTable = new Uint32Array(
      placed.flatMap(({ row: first, count: length, position, start }) => [
        first,
        length,
        position,
        start,
      ]),
    );
    return { table, runTable };
  }
}

/** Rows whose next token is known. */
export class GpuPicks implements Picks {
  readonly kind = 'picks';
  count = 0;
  /** The picked rows. */
  of: Uint32Array = new Uint32Array(0);

  constructor(
    readonly rows: number,
    /** A row a pick: row, target, temperature (float32), 0. */
    readonly table: GpuBuffer,
    /** A row a pick: log-probability, entropy, logarithm of the softmax's sum, 1 where nothing was more probable. */
    readonly results: GpuBuffer,
  ) {}
}

/** What a placed draw needs besides the logits. */
export interface PlacedDraws {
  readonly topK: boolean;
  readonly topP: boolean;
  /** Whether some draw has neither. */
  readonly plain: boolean;
}

export class GpuDraws implements Draws {
  readonly kind = 'draws';
  count = 0;
  /** What any draw has. */
  uses: PlacedDraws = { topK: false, topP: false, plain: false };
  /** Whether draw i is of row i. */
  inOrder = false;

  constructor(
    readonly rows: number,
    /** 8 words a draw: row, seed, counter (low, high), temperature, top-k, top-p, 0. */
    readonly table: GpuBuffer,
    /** 8 words a draw: id, log-probability, model's, entropy, model's, finite, 0, 0. */
    readonly results: GpuBuffer,
  ) {}
}

export class GpuLora implements Lora {
  constructor(
    readonly shape: AdapterShape,
    readonly adapter: GpuAdapter,
    /** Places of its factors in the adapter's buffers, in values. */
    readonly place: LoraPlace,
  ) {}

  /** Its factors as one binding; places in it are those of `place` less `place.from`. */
  get values(): Range {
    return {
      buffer: this.adapter.values,
      offset: this.place.from * 4,
      size: this.place.length * 4,
    };
  }

  /** @throws Error for an adapter that is not trained */
  get gradients(): Range {
    const { gradients } = this.adapter;
    if (!gradients) throw new Error('this adapter is not trained, so it has no gradients');
    return { buffer: gradients, offset: this.place.from * 4, size: this.place.length * 4 };
  }
}

/** All factors in one buffer, all gradients in another, laid out alike: see `adapterPlaces`. */
export class GpuAdapter implements Adapter {
  readonly kind = 'adapter';
  readonly loras: readonly GpuLora[];

  constructor(
    shapes: readonly AdapterShape[],
    places: readonly LoraPlace[],
    readonly length: number,
    readonly values: GpuBuffer,
    readonly gradients: GpuBuffer | null,
  ) {
    this.loras = shapes.flatMap((shape, i) => {
      const place = places[i];
      return place ? [new GpuLora(shape, this, place)] : [];
    });
  }

  get trained(): boolean {
    return this.gradients !== null;
  }
}
