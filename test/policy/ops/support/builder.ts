import type { Gate } from '../../../../src/policy/checkpoint/config.ts';
import { Random } from '../../../../src/base/random.ts';
import type { Norm, Ops, Projection } from '../../../../src/policy/ops/ops.ts';
import { ropeTables } from '../../../../src/policy/checkpoint/rope.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  KvCache,
  Matrix,
  MatrixShape,
  MatrixType,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from '../../../../src/policy/ops/values.ts';
import { itemAt } from '../../../../src/base/items.ts';

/** Sizes of one random decoder layer. */
export interface Sizes {
  readonly d: number;
  readonly H: number;
  readonly G: number;
  readonly D: number;
  readonly M: number;
  readonly V: number;
  readonly rank: number;
  readonly type: MatrixType;
  readonly store: StoreType;
  readonly bias: boolean;
  readonly headNorms: boolean;
  readonly rotary: boolean;
  readonly eps: number;
  /** Most positions that a row attends to; absent: all. */
  readonly window?: number;
  readonly gate: Gate;
  readonly outputNorm: boolean;
}

const TYPES = ['f32', 'f16', 'int8', 'int4'] as const;

/** Small and odd; `type` where it matters that all occur. */
export function randomSizes(random: Random, type: MatrixType = random.pick(TYPES)): Sizes {
  const G = random.between(1, 3);
  const sizes = {
    d: random.pick([5, 13, 24, 37, 64, 96, 101]),
    G,
    H: G * random.pick([1, 2, 3, 7]),
    D: random.pick([2, 6, 8, 10, 16, 20, 32, 40, 64]),
    M: random.pick([3, 17, 32, 45, 72, 130]),
    V: random.pick([7, 33, 64, 97, 259]),
  };
  return {
    ...sizes,
    rank: random.between(1, 9),
    type,
    store: random.chance(0.3) ? 'f16' : 'f32',
    bias: random.chance(0.5),
    headNorms: random.chance(0.5),
    rotary: random.chance(0.8),
    eps: random.pick([1e-6, 1e-5, 0.01]),
    ...(random.chance(0.5) && { window: random.pick([2, 3, 8, 11, 32, 45]) }),
    gate: random.pick(['silu', 'gelu']),
    outputNorm: random.chance(0.5),
  };
}

/** Makes handles of random content: the same on every device for the same random numbers. */
export class Builder {
  readonly ops: Ops;
  readonly random: Random;

  constructor(ops: Ops, seed: number) {
    this.ops = ops;
    this.random = new Random(seed);
  }

  values(count: number, deviation = 1): Float32Array {
    const values = new Float32Array(count);
    this.random.fillNormal(values, deviation);
    return values;
  }

  /** Weights of a norm: about 1. */
  norm(length: number, eps: number): Norm {
    return {
      weight: this.vector(
        this.values(length, 0.3).map((v) => 1 + v),
        'norm',
      ),
      eps,
    };
  }

  vector(values: Float32Array, label = 'vector'): Vector {
    return this.ops.vector(values, label);
  }

  /** [out, in] of about 1/√in, or of given values. */
  matrix(shape: MatrixShape, values?: Float32Array): Matrix {
    const all = values ?? this.values(shape.out * shape.in, 1 / Math.sqrt(shape.in));
    const writer = this.ops.matrix(shape, 'matrix');
    // In three uneven pieces, as a checkpoint comes.
    const cuts = [0, Math.floor(shape.out / 3), Math.floor(shape.out / 2), shape.out];
    cuts.slice(1).forEach((to, i) => {
      const from = itemAt(cuts, i);
      if (to > from) writer.write(from, all.subarray(from * shape.in, to * shape.in));
    });
    return writer.finish();
  }

  /** Activations that hold `values`, by way of an embedding. */
  filled(rows: number, width: number, values = this.values(rows * width)): Activations {
    const x = this.ops.activations(rows, width, 'filled');
    this.fill(x, values);
    return x;
  }

  fill(x: Activations, values: Float32Array): void {
    const rows = values.length / x.width;
    if (rows === 0) return;
    const table = this.matrix({ out: rows, in: x.width, type: 'f32' }, values);
    const tokens = this.ops.tokens(rows);
    const ids = Array.from({ length: rows }, (_, id) => id);
    this.ops.place(tokens, [{ ids, position: 0, start: 0 }], 'many');
    this.ops.embed({ table, tokens, x });
  }

  rotary(positions: number, headDim: number): Rotary {
    const { cos, sin } = ropeTables(positions, headDim, 10_000);
    return this.ops.rotary(cos, sin, headDim / 2);
  }

  /**
   * A matrix with bias and adapter: W [Σ outs, in], and a LoRA pair for all of its parts but those that
   * `skip` names.
   */
  projection(
    sizes: Pick<Sizes, 'type' | 'bias' | 'rank'>,
    outs: readonly number[],
    input: number,
    o: { lora: boolean; trained?: boolean; turned?: MatrixShape['turned']; skip?: number },
  ): { by: Projection; adapter: Adapter | null } {
    const out = outs.reduce((a, b) => a + b, 0);
    const turned = o.turned ? { turned: o.turned } : {};
    const matrix = this.matrix({ out, in: input, type: sizes.type, ...turned });
    const bias = sizes.bias ? this.vector(this.values(out, 0.5)) : null;
    if (!o.lora) return { by: { matrix, bias, lora: null }, adapter: null };
    const parts: { row: number; out: number }[] = [];
    let row = 0;
    outs.forEach((height, i) => {
      if (i !== o.skip) parts.push({ row, out: height });
      row += height;
    });
    const shape: AdapterShape = { in: input, rank: sizes.rank, scale: 1.7, parts, ...turned };
    const adapter = this.ops.adapter([shape], o.trained ?? true);
    this.ops.writeAdapter(adapter, this.values(adapter.length, 0.2));
    return { by: { matrix, bias, lora: itemAt(adapter.loras, 0) }, adapter };
  }

  tokens(runs: readonly TokenRun[], size: 'few' | 'many'): Tokens {
    const tokens = this.ops.tokens(runs.reduce((n, { ids }) => n + ids.length, 0) + 3);
    this.ops.place(tokens, runs, size);
    return tokens;
  }

  store({ G, D, store }: Sizes, positions: number): KvCache {
    const shape = { positions, kvHeads: G, headDim: D, type: store };
    return this.ops.kvCache(shape, 'keys');
  }
}

/** What a case does with its handles: results by name. It frees nothing. */
export type CaseBody = (b: Builder, sizes: Sizes) => Promise<Record<string, Float32Array>>;

/** Ragged lengths of contexts, some of them empty, at least one not. */
export const raggedLengths = (random: Random, most: number): number[] => [
  ...Array.from({ length: random.below(5) }, () =>
    random.chance(0.3) ? 0 : random.between(1, most),
  ),
  random.between(1, most),
];

/** Ids of tokens where only their number matters. */
export const anyIds = (count: number): number[] => Array.from({ length: count }, () => 0);

/** Contexts side by side in the stores: of each the place of its position 0. */
export function layOut(lengths: readonly number[]): { starts: number[]; positions: number } {
  const starts: number[] = [];
  let positions = 0;
  for (const length of lengths) {
    starts.push(positions);
    positions += Math.ceil(length / 8) * 8;
  }
  return { starts, positions: positions + 8 };
}
