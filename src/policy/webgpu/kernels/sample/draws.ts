import type { Draw, Drawn } from '../../../ops/ops.ts';
import { float } from '../../device/encoder.ts';
import type { Gpu } from '../../device/gpu.ts';
import { DRAW_BYTES } from '../../device/sizes.ts';
import type { GpuDraws } from '../../device/values.ts';

const WORDS = DRAW_BYTES / 4;

/** @throws RangeError where more are wanted than there is room for, or a device draws at once */
export function placeDraws(gpu: Gpu, draws: GpuDraws, wanted: readonly Draw[]): void {
  const most = Math.min(draws.rows, 64);
  if (wanted.length > most) throw new RangeError(`${wanted.length} draws, room for ${most}`);
  const table = new Uint32Array(wanted.length * WORDS);
  wanted.forEach(({ row, seed, counter, sampling }, i) => {
    const { temperature, topK, topP } = sampling;
    const [low, high] = [counter >>> 0, Math.floor(counter / 2 ** 32) >>> 0];
    table.set([row, seed >>> 0, low, high, float(temperature), topK, float(topP)], i * WORDS);
  });
  gpu.encoder.write(draws.table, 0, table);
  draws.count = wanted.length;
  const drawn = wanted.filter(({ sampling }) => sampling.temperature > 0);
  // As the kernels' `filtered` says it.
  const filtered = drawn.filter(({ sampling: { topK, topP } }) => topK > 0 || topP < 1);
  draws.uses = {
    topK: filtered.some(({ sampling }) => sampling.topK > 0),
    topP: filtered.some(({ sampling }) => sampling.topP < 1),
    plain: filtered.length < wanted.length,
  };
  draws.inOrder = wanted.every(({ row }, i) => row === i);
}

export async function readDraws(gpu: Gpu, draws: GpuDraws): Promise<Drawn[]> {
  const { count } = draws;
  const bytes = await gpu.reader.read(draws.results, 0, count * DRAW_BYTES);
  const [words, floats] = [new Uint32Array(bytes), new Float32Array(bytes)];
  return Array.from({ length: count }, (_, i) => {
    const at = i * WORDS;
    const [logprob = NaN, modelLogprob = NaN, entropy = NaN, modelEntropy = NaN] = floats.subarray(
      at + 1,
      at + 5,
    );
    const finite = words[at + 5] === 1;
    return { id: words[at] ?? 0, logprob, modelLogprob, entropy, modelEntropy, finite };
  });
}
