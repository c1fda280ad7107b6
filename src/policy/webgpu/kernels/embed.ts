import { float, GROUP_ID } from '../device/encoder.ts';
import type { Gpu } from '../device/gpu.ts';
import type { GpuActivations, GpuMatrix, GpuTokens, GpuVector } from '../device/values.ts';
import type { Range } from '../device/device.ts';
import { matrixAccess, matrixBindings, matrixFunctions } from './weights.ts';

/** Where x is prepared for the norm that reads it next, and its weight. */
export interface Prepared {
  readonly range: Range;
  /** In vec4f. */
  readonly squaresAt: number;
  readonly weight: GpuVector;
}

/** A thread writes 8 columns of a row. */
function code({ type, in: inputs }: GpuMatrix, prepares: boolean): string {
  const at = 1 + matrixAccess(type).length;
  const groups = Math.ceil(inputs / 32);
  return `struct U { rows: u32, row0: u32, partRows: u32, squaresAt: u32, scale: f32 }
@group(0) @binding(0) var<uniform> u: U;
${matrixBindings(type, 1)}
@group(0) @binding(${at}) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(${at + 1}) var<storage, read_write> x: array<vec4f>;
${
  prepares
    ? `@group(0) @binding(${at + 2}) var<storage, read> weight: array<vec4f>;
@group(0) @binding(${at + 3}) var<storage, read_write> few: array<vec4f>;`
    : ''
}
${matrixFunctions(type, groups)}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) li: u32) {
  let n = ${GROUP_ID} * 64u + li; let row = n / ${groups * 4}u; let i = n % ${groups * 4}u;
  if (row >= u.rows) { return; }
  let id = tokens[row].x - u.row0;
  if (id >= u.partRows) { return; }
  let at = unitAt(id, i / 4u); let s = scaleAt(id, i / 4u);
  let a = u.scale * quads(at, s, (i % 4u) * 2u); let b = u.scale * quads(at, s, (i % 4u) * 2u + 1u);
  let to = row * ${groups * 8}u + i * 2u;
  x[to] = a; x[to + 1u] = b;
  ${
    prepares
      ? `few[to] = a * weight[i * 2u]; few[to + 1u] = b * weight[i * 2u + 1u];
  var sum = 0.0;
  for (var k = 0u; k < 4u; k++) { sum = fma(a[k], a[k], sum); }
  for (var k = 0u; k < 4u; k++) { sum = fma(b[k], b[k], sum); }
  few[u.squaresAt + row * ${groups}u + i / 4u][i % 4u] = sum;`
      : ''
  }
}`;
}

/** x[r] = scale · table[id of r], and where wanted x prepared for the norm that reads it next. */
export function embed(
  gpu: Gpu,
  o: {
    table: GpuMatrix;
    tokens: GpuTokens;
    x: GpuActivations;
    scale: number;
    next: Prepared | null;
  },
): void {
  const { table, tokens, x, next } = o;
  if (table.in !== x.width)
    throw new RangeError(`rows of ${table.in} into activations of ${x.width}`);
  const columns = Math.ceil(table.in / 32) * 4;
  for (const part of table.parts)
    gpu.encoder.dispatch(
      {
        key: `embed ${table.type} ${table.in}${next ? ' next' : ''}`,
        code: () => code(table, next !== null),
        access: `${matrixAccess(table.type)}rw${next ? 'rw' : ''}`,
      },
      [
        part.units,
        ...(part.scaleRange ? [part.scaleRange] : []),
        tokens.table,
        x.buffer,
        ...(next ? [next.weight.buffer, next.range] : []),
      ],
      [tokens.count, part.row, part.rows, next?.squaresAt ?? 0, float(o.scale)],
      Math.ceil((tokens.count * columns) / 64),
    );
}
