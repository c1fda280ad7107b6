import type { Draws } from '../../../ops/values.ts';
import type { HeadInput } from '../../../ops/ops.ts';
import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import { strideOf } from '../../device/sizes.ts';
import { GpuActivations, GpuDraws, GpuMatrix, own } from '../../device/values.ts';
import { blocksDeclarations, blocksEpilogue } from '../sample/blocks.ts';
import { CHOSEN, pickDeclarations, pickEpilogue } from '../sample/choose.ts';
import { choose, drawOfKept, samplingMemory } from '../sample/sample.ts';
import { NUMBERS, type Blocks } from '../sample/shared.ts';
import { bucketOf } from './product.ts';
import { runProduct, tilesOfParts, type Bound, type ProductRun } from './run-product.ts';
import type { FewState } from './state.ts';

const whole = (buffer: GpuDraws['table']): Range => ({ buffer, offset: 0, size: buffer.size });

/**
 * Draws a token for each placed draw from the logits of its row. The product of the head leaves sums of blocks of logits
 * and not the logits: those of the block that a draw falls in are made once more. Only what is drawn by top-k or top-p
 * needs all of them.
 */
export function fewSample(gpu: Gpu, state: FewState, o: HeadInput & { draws: Draws }): void {
  const draws = own(GpuDraws, o.draws);
  const rows = draws.count;
  if (rows === 0) return;
  const [x, matrix] = [own(GpuActivations, o.x), own(GpuMatrix, o.head)];
  const { uses } = draws;
  const table = whole(draws.table);
  const few = draws.inOrder
    ? state.normed(x, o.norm, rows)
    : state.gathered(x, o.norm, rows, table);
  const { tile, parts } = tilesOfParts(gpu, matrix);
  const blocks: Blocks = { outs: tile.outs, count: parts.reduce((sum, n) => sum + n, 0) };
  const room = bucketOf(rows);
  const memory = samplingMemory(room, matrix.out, blocks);
  const sums = gpu.scratch('sampling, blocks', memory.blocks);
  const searched = uses.topK || uses.topP;
  const stride = strideOf(matrix.out);
  const logits = searched ? gpu.scratch('logits', room * stride * 4) : null;
  /** End of the rows of the part, its first block, all blocks. */
  const more = (part: number): number[] => {
    const before = parts.slice(0, part).reduce((sum, n) => sum + n, 0);
    const { row = 0, rows: count = 0 } = matrix.parts[part] ?? {};
    return [row + count, before, blocks.count];
  };
  const product = {
    matrix,
    rows,
    x: few.range,
    xStride: few.xStride,
    low: null,
    norm: { squaresAt: few.squaresAt, eps: o.norm.eps },
    bias: null,
    yStride: stride,
    more,
  } satisfies Partial<ProductRun>;
  const given: Bound = { name: 'table', type: 'array<Wanted>', access: 'r', binding: table };
  runProduct(gpu, {
    ...product,
    name: 'logits',
    variant: logits ? 'kept' : '',
    bound: [
      given,
      { name: 'blocks', type: 'array<vec4u>', access: 'w', binding: sums },
      ...(logits ? [{ name: 'y', type: 'array<f32>', access: 'w' as const, binding: logits }] : []),
    ],
    declarations: ({ rowTile }) => blocksDeclarations(tile.outs, rowTile),
    epilogue: ({ rowTile }) =>
      blocksEpilogue(tile.outs, rowTile, tile.threads, logits ? 'y[row * u.yStride + o] = v;' : ''),
  });
  if (uses.plain) {
    const chosen = choose(gpu, draws, sums, blocks, memory.chosen);
    runProduct(gpu, {
      ...product,
      name: 'pick',
      // A workgroup per row, whose block is known since the dispatch before.
      tileOfRow: 'chosen[t0].block - u.more[0].y',
      bound: [
        given,
        { name: 'chosen', type: 'array<Chosen>', access: 'r', binding: chosen },
        { name: 'results', type: 'array<u32>', access: 'w', binding: draws.results },
      ],
      declarations: () => `${NUMBERS}${CHOSEN}${pickDeclarations(tile.outs)}`,
      epilogue: () => pickEpilogue(tile.outs, tile.threads),
    });
  }
  if (logits)
    drawOfKept(gpu, draws, { logits, stride, vocabulary: matrix.out, room, sums, blocks });
}
