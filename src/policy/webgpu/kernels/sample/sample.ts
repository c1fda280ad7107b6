import type { Range } from '../../device/device.ts';
import type { Gpu } from '../../device/gpu.ts';
import type { GpuDraws } from '../../device/values.ts';
import { drawCode } from './draw.ts';
import { keptCode, MODES, openCode, searchCode } from './search.ts';
import { BINS, cutOf, SLICE_WORDS, STATE_WORDS, type Cut } from './shared.ts';
import { slicesCode } from './slices.ts';

/** Working memory of `sample` for `room` draws, apart from the logits. */
const memoryOf = (room: number, { slices }: Cut) => ({
  slices: room * slices * SLICE_WORDS * 4,
  states: 2 * room * STATE_WORDS * 4,
  bins: 2 * room * slices * BINS * 4,
  kept: room * slices * 16,
});

export function samplingBytes(room: number, cut: Cut): number {
  const { slices, states, bins, kept } = memoryOf(room, cut);
  return slices + states + bins + kept;
}

/**
 * Draws a token for each placed draw from its row of logits: temperature, top-k, top-p, the inverse of the distribution
 * function. Two dispatches, and eight more for each of top-k and top-p where any draw has it, with two to go with them.
 * @param logits [draws][stride]; `room` is how many rows memory is made for
 */
export function sample(
  gpu: Gpu,
  draws: GpuDraws,
  o: { logits: Range; stride: number; vocabulary: number; room: number },
): void {
  const { logits, stride, vocabulary, room } = o;
  const cut = cutOf(vocabulary);
  const memory = memoryOf(room, cut);
  const { table, results, count, uses } = draws;
  const slices = gpu.scratch('sampling, slices', memory.slices);
  const run = (
    name: string,
    code: () => string,
    access: string,
    bindings: Parameters<typeof gpu.encoder.dispatch>[1],
    uniforms: readonly number[],
    whole: boolean,
  ): void =>
    gpu.encoder.dispatch(
      { key: `sample ${name} ${vocabulary}`, code, access },
      bindings,
      uniforms,
      whole ? count : [cut.slices, count],
    );
  run('slices', () => slicesCode(cut), 'rrw', [table, logits, slices], [stride], false);
  const modes = [
    ...(uses.topK ? Array.from({ length: 8 }, () => MODES.count) : []),
    ...(uses.topP ? Array.from({ length: 8 }, () => MODES.mass) : []),
  ];
  if (modes.length === 0) {
    const bound = [table, logits, slices, results];
    run('draw', () => drawCode(cut, false), 'rrrw', bound, [stride, count, 0], true);
    return;
  }
  const states = gpu.scratch('sampling, states', memory.states);
  const bins = gpu.scratch('sampling, bins', memory.bins);
  const kept = gpu.scratch('sampling, kept', memory.kept);
  run('open', () => openCode(cut), 'rrw', [table, slices, states], [count], true);
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
  const bound = [table, logits, slices, results, states, kept];
  run('draw-of-kept', () => drawCode(cut, true), 'rrrwrr', bound, [stride, count, 1 - turn], true);
}
