import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import type { GpuDraws } from '../../device/values.ts';
import { CHOSEN_WORDS, chooseCode } from './choose.ts';
import { drawCode } from './draw.ts';
import { keptCode, MODES, openCode, searchCode } from './search.ts';
import { BINS, BLOCK_WORDS, cutOf, STATE_WORDS, type Blocks } from './shared.ts';

/** Working memory of `room` draws in bytes, apart from the logits; all but blocks and chosen is for top-k and top-p. */
export function samplingMemory(room: number, vocabulary: number, blocks: Blocks) {
  const { slices } = cutOf(vocabulary);
  return {
    blocks: room * blocks.count * BLOCK_WORDS * 4,
    chosen: room * CHOSEN_WORDS * 4,
    states: 2 * room * STATE_WORDS * 4,
    bins: 2 * room * slices * BINS * 4,
    kept: room * slices * 16,
  };
}

/** Chooses the block of each draw that neither top-k nor top-p is for. @returns a row a draw, as `CHOSEN` says */
export function choose(
  gpu: Gpu,
  { table, count }: GpuDraws,
  sums: Range,
  blocks: Blocks,
  bytes: number,
): Range {
  const chosen = gpu.scratch('sampling, chosen', bytes);
  const key = `sample choose ${blocks.count}`;
  const kernel = { key, code: () => chooseCode(blocks), access: 'rrw' };
  gpu.encoder.dispatch(kernel, [table, sums, chosen], [], count);
  return chosen;
}

/**
 * Draws where top-k or top-p may leave ids out: what they leave is searched for, eight dispatches each, with three to go
 * with them.
 * @param logits [draws][stride]; `room` is how many rows memory is made for
 */
export function drawOfKept(
  gpu: Gpu,
  draws: GpuDraws,
  o: {
    logits: Range;
    stride: number;
    vocabulary: number;
    room: number;
    sums: Range;
    blocks: Blocks;
  },
): void {
  const { logits, stride, vocabulary, room, sums, blocks } = o;
  const cut = cutOf(vocabulary);
  const memory = samplingMemory(room, vocabulary, blocks);
  const { table, results, count, uses } = draws;
  const run = (
    name: string,
    code: () => string,
    access: string,
    bindings: Parameters<typeof gpu.encoder.dispatch>[1],
    uniforms: readonly number[],
    whole: boolean,
  ): void =>
    gpu.encoder.dispatch(
      { key: `sample ${name} ${vocabulary} ${blocks.count}`, code, access },
      bindings,
      uniforms,
      whole ? count : [cut.slices, count],
    );
  const modes = [
    ...(uses.topK ? Array.from({ length: 8 }, () => MODES.count) : []),
    ...(uses.topP ? Array.from({ length: 8 }, () => MODES.mass) : []),
  ];
  const states = gpu.scratch('sampling, states', memory.states);
  const bins = gpu.scratch('sampling, bins', memory.bins);
  const kept = gpu.scratch('sampling, kept', memory.kept);
  run('open', () => openCode(blocks), 'rrw', [table, sums, states], [count], true);
  const search = [table, logits, states, bins];
  modes.forEach((mode, i) => {
    const before = modes[i - 1] ?? MODES.none;
    const uniforms = [count, i % 8, mode, before, i % 2, stride];
    run('search', () => searchCode(cut), 'rrww', search, uniforms, false);
  });
  const turn = modes.length % 2;
  const before = modes.at(-1) ?? MODES.none;
  const uniforms = [count, 8, MODES.none, before, turn, stride];
  run('kept', () => keptCode(cut), 'rrwww', [...search, kept], uniforms, false);
  const bound = [table, logits, sums, results, states, kept];
  run('draw', () => drawCode(cut, blocks), 'rrrwrr', bound, [stride, count, 1 - turn], true);
}
