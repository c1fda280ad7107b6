import type { Projection } from '../../../ops/ops.ts';
import type { GpuBuffer, Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import { BLOCK } from '../../device/sizes.ts';
import { GpuMatrix, GpuVector, own, type GpuMatrixPart } from '../../device/values.ts';
import { matrixAccess, matrixBindings } from '../weights.ts';
import {
  directives,
  inverseRms,
  loraFunction,
  MAIN,
  productBody,
  productDeclarations,
  productPlace,
  productUniforms,
  rowTileOf,
  tileOf,
  UNIFORMS,
  type ProductCode,
  type Tile,
} from './product.ts';
import type { Low } from './state.ts';

type Binding = GpuBuffer | Range;

/** What is bound besides the weights: a name in WGSL, its type, and how it is used. */
export interface Bound {
  readonly name: string;
  readonly type: string;
  readonly access: 'r' | 'w' | 'u';
  readonly binding: Binding;
}

const DECLARED = { r: 'storage, read', w: 'storage, read_write', u: 'uniform' } as const;

export interface ProductRun {
  readonly name: string;
  readonly matrix: GpuMatrix;
  readonly rows: number;
  /** [row][xStride] as vec4f. */
  readonly x: Binding;
  readonly xStride: number;
  /** Of a norm in front of the product: x is then times its weight, with its squares in it. */
  readonly norm: { readonly squaresAt: number; readonly eps: number } | null;
  readonly low: Low | null;
  readonly bias: Projection['bias'];
  readonly bound: readonly Bound[];
  readonly yStride: number;
  /** Whether an output takes rows o and o + out / 2. */
  readonly pairs?: boolean;
  /** Further words of the uniform; of a part of the matrix, where they differ. */
  readonly more?: readonly number[] | ((part: number) => readonly number[]);
  /** WGSL of the tile of row `t0`, of which a workgroup then makes one: see `ProductCode`. */
  readonly tileOfRow?: string;
  /** Tells apart kernels of one name that differ in their code. */
  readonly variant?: string;
  /** WGSL functions and workgroup memory that `epilogue` uses. */
  readonly declarations?: (code: ProductCode) => string;
  /**
   * WGSL after the product, with `first`, `t0`, `li`, `u.row0` and `value(l, t)`: output l of the workgroup of row t of
   * its tile, with its norm and adapter, without a bias. `bias(o)` is 0 where there is none.
   */
  readonly epilogue: (code: ProductCode) => string;
}

/** Rows of this part that are made: whole tiles, with those that fill the outputs up to a multiple of 32. */
const rowsToMake = (matrix: GpuMatrix, part: GpuMatrixPart): number =>
  Math.min(part.blocks * BLOCK, Math.ceil(matrix.out / 32) * 32 - part.row);

/** How the outputs of a matrix are cut: tiles of each of its parts that have any. */
export function tilesOfParts(gpu: Gpu, matrix: GpuMatrix): { tile: Tile; parts: number[] } {
  const { software } = gpu.device;
  const tile = tileOf(matrix.out, Math.ceil(matrix.in / 32), { software });
  const parts = matrix.parts.map(({ rows }) => Math.ceil(rows / tile.outs));
  return { tile, parts };
}

/** Dispatches a product of few rows, once for each buffer of its matrix. */
export function runProduct(gpu: Gpu, o: ProductRun): void {
  const { matrix, low, norm } = o;
  const groups = Math.ceil(matrix.in / 32);
  const pairs = o.pairs ?? false;
  const out = pairs ? matrix.out / 2 : matrix.out;
  const { features, software } = gpu.device;
  const { subgroups } = features;
  const tile = tileOf(out, groups, { pairs, software });
  const code: ProductCode = {
    type: matrix.type,
    groups,
    tile,
    rowTile: o.tileOfRow ? 1 : rowTileOf(o.rows),
    tileOfRow: o.tileOfRow ?? null,
    subgroups,
    x: 'x',
    row: (i) =>
      pairs
        ? // Gates, then the ups that go with them.
          `min(tile * ${tile.outs / 2}u + lane + ${(i % (tile.perThread / 2)) * tile.lanes}u, ${out - 1}u)` +
          (i < tile.perThread / 2 ? '' : ` + ${out}u`)
        : `first + lane + ${i * tile.lanes}u`,
  };
  const made = pairs ? tile.outs / 2 : tile.outs;
  const bias = o.bias && own(GpuVector, o.bias);
  const bound: Bound[] = [
    { name: 'x', type: 'array<vec4f>', access: 'r', binding: o.x },
    ...(low ? lowBindings(low) : []),
    ...(bias ? [biasBinding(bias)] : []),
    ...o.bound,
  ];
  const weights = matrixAccess(matrix.type);
  const key = [
    'few',
    o.name,
    o.variant ?? '',
    matrix.type,
    matrix.in,
    matrix.out,
    code.rowTile,
    subgroups ? 'subgroups' : '',
    norm ? 'norm' : '',
    low ? 'lora' : '',
    bias ? 'bias' : '',
  ].join(' ');
  const kernel = {
    key,
    access: weights + bound.map(({ access }) => access).join(''),
    code: () => codeOf(o, code, bound),
  };
  for (const [i, part] of matrix.parts.entries()) {
    const tiles = Math.ceil(pairs ? out / made : rowsToMake(matrix, part) / made);
    const uniforms = productUniforms({
      rows: o.rows,
      rowTile: code.rowTile,
      tiles,
      row0: part.row,
      xAt: 0,
      xStride: o.xStride,
      squaresAt: norm?.squaresAt ?? 0,
      yStride: o.yStride,
      out,
      eps: norm?.eps ?? 0,
      width: matrix.in,
      lora: low?.uniforms ?? null,
      more: typeof o.more === 'function' ? o.more(i) : (o.more ?? []),
    });
    gpu.encoder.dispatch(
      kernel,
      [
        part.units,
        ...(part.scaleRange ? [part.scaleRange] : []),
        ...bound.map(({ binding }) => binding),
      ],
      uniforms,
      o.tileOfRow ? o.rows : tiles * Math.ceil(o.rows / code.rowTile),
    );
  }
}

const lowBindings = ({ range, factors }: Low): Bound[] => [
  { name: 'ax', type: 'array<vec4f>', access: 'r', binding: range },
  { name: 'factors', type: 'array<vec4f>', access: 'r', binding: factors },
];

const biasBinding = (bias: GpuVector): Bound => ({
  name: 'biases',
  type: `array<vec4f, ${Math.ceil(bias.length / 4)}>`,
  access: 'u',
  binding: bias.buffer,
});

function codeOf(o: ProductRun, code: ProductCode, bound: readonly Bound[]): string {
  const { type, tile } = code;
  const at = 1 + matrixAccess(type).length;
  const rms = o.norm ? inverseRms('x', code) : null;
  const has = (name: string): boolean => bound.some((one) => one.name === name);
  const [plus, times] = [has('ax') ? ' + lora(o, t0 + t)' : '', rms ? ' * rp[2u * t].x' : ''];
  return `${directives(code.subgroups)}${UNIFORMS}${matrixBindings(type, 1)}
${bound.map((b, i) => `@group(0) @binding(${at + i}) var<${DECLARED[b.access]}> ${b.name}: ${b.type};`).join('\n')}
${productDeclarations(code)}
${rms?.declarations ?? ''}
${has('ax') ? loraFunction('ax', 'factors') : ''}
fn bias(o: u32) -> f32 { return ${has('biases') ? 'biases[o / 4u][o % 4u]' : '0.0'}; }
// Output l of the workgroup, which is row o of the matrix, of row t of the tile.
fn value(l: u32, o: u32, t: u32, t0: u32) -> f32 { return (total(l, t)${plus})${times}; }
${o.declarations?.(code) ?? ''}
${MAIN(tile.threads)} {
  ${productPlace(code)}
  ${rms?.before ?? ''}
  ${productBody(code)}
  ${rms?.store ?? ''}
  workgroupBarrier();
  ${rms?.finish ?? ''}
  ${o.epilogue(code)}
}`;
}
