import type { LoraSpec } from '../lora/spec.ts';
import type { Decoder } from '../model/decoder.ts';
import { MemoryError } from '../ops/faults.ts';
import type { KernelTime, Ops } from '../ops/ops.ts';
import type { StoreType } from '../ops/values.ts';
import { hasRelaxedSimd } from '../wasm/kernels.ts';
import { measureDecode, measureStep, type DecodeRate, type StepRate } from './model.ts';
import { measureRates, type Watch } from './rates.ts';
import { decodeTrial, stepTrial, type Trial } from './trials.ts';

/** One thing that was measured. */
export type Figure =
  | { readonly kind: 'copy'; readonly bytesPerSecond: number }
  /** Operations: 2 a multiply-add of float32 matrices. */
  | { readonly kind: 'product'; readonly flopsPerSecond: number }
  | ({ readonly kind: 'decode' } & DecodeRate)
  | ({ readonly kind: 'step' } & StepRate)
  | KernelFigure
  /** What the device has no memory for. */
  | { readonly kind: 'left out'; readonly what: string; readonly why: string };

/** A kernel of a piece of work, where the device has a clock. */
interface KernelFigure {
  readonly kind: 'kernel';
  /** The work that it is of. */
  readonly of: string;
  readonly kernel: string;
  readonly calls: number;
  /** Of all calls. */
  readonly seconds: number;
  /** Of the time of all kernels of the work. */
  readonly share: number;
}

/** A device as it was measured with one policy. */
export interface DeviceMeasure {
  readonly device: Ops['device'];
  /** What its kernels can use, such as `relaxed-simd` or `shader-f16`. */
  readonly features: readonly string[];
  readonly figures: readonly Figure[];
}

export interface MeasureOptions extends Watch {
  /** What keys and values are held in; float32 by default. */
  readonly keys?: StoreType | undefined;
  readonly onFigure?: ((figure: Figure) => void) | undefined;
}

const SLOTS = [1, 16, 64];
/** Positions that every slot looks back on, if the policy has this many. */
const CONTEXT = 512;
const STEP_TOKENS = 1024;
/** A step takes about as long to measure as this many other figures. */
const STEP_PARTS = 4;
/** Number of kernels reported: the slowest ones. */
const KERNELS = 6;
const TIMED_SLOTS = 16;
const ADAPTER: LoraSpec = { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] };
/** Work whose kernels are timed, if the device has a clock. */
const TIMED = [
  {
    of: `decoding ${TIMED_SLOTS}`,
    work: (decoder: Decoder, context: number, keys: StoreType) =>
      decodeTrial(decoder, TIMED_SLOTS, context, keys),
  },
  {
    of: 'training',
    work: (decoder: Decoder, _context: number, keys: StoreType) =>
      stepTrial(decoder, ADAPTER, STEP_TOKENS, undefined, keys),
  },
];

async function featuresOf(device: Ops['device']): Promise<string[]> {
  if (device === 'wasm') return hasRelaxedSimd() ? ['simd', 'relaxed-simd'] : ['simd'];
  if (device !== 'webgpu') return [];
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
  return [...(adapter?.features ?? [])].toSorted();
}

/** The slowest kernels of a piece of work, slowest first; none where there is no clock, or no memory. */
async function kernelsOf(
  ops: Ops,
  { of, trial }: { of: string; trial: () => Trial | Promise<Trial> },
  signal?: AbortSignal,
): Promise<KernelFigure[]> {
  if (!ops.kernelTimes) return [];
  signal?.throwIfAborted();
  let made: Trial | null = null;
  try {
    const work = (made = await trial());
    // Kernels are compiled before they are timed.
    await work.run();
    signal?.throwIfAborted();
    return slowest(of, await ops.kernelTimes(() => work.run()));
  } catch (error) {
    if (error instanceof MemoryError) return [];
    throw error;
  } finally {
    made?.free();
  }
}

/** Times added up by kernel: the `most` that take longest, longest first. */
export function slowest(of: string, times: readonly KernelTime[], most = KERNELS): KernelFigure[] {
  const sums = new Map<string, { calls: number; seconds: number }>();
  let all = 0;
  for (const { kernel, seconds } of times) {
    const sum = sums.get(kernel) ?? { calls: 0, seconds: 0 };
    sums.set(kernel, { calls: sum.calls + 1, seconds: sum.seconds + seconds });
    all += seconds;
  }
  if (all === 0) return [];
  return [...sums]
    .map(([kernel, { calls, seconds }]) => ({
      kind: 'kernel' as const,
      of,
      kernel: kernel.replaceAll(/\s+/g, ' ').trim(),
      calls,
      seconds,
      share: seconds / all,
    }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, most);
}

/** Progress over this many parts, one after another, each of which takes about as long. */
function inParts(all: number, { signal, onShare }: Watch) {
  let done = 0;
  return {
    /** What the next parts are watched by. */
    over: (parts: number): Watch => ({
      signal,
      onShare: (share) => onShare?.((done + share * parts) / all),
    }),
    ended: (parts: number): void => {
      done += parts;
      onShare?.(done / all);
    },
  };
}

/**
 * Measures copies and products of the device that a decoder is on, its decode steps, a LoRA step, and where the
 * device has a clock their slowest kernels. Each
 * figure takes some seconds. What there is no memory for is left out, and said.
 * @throws the signal's reason; MemoryError where not even copies can be measured
 */
export async function measureDevice(
  decoder: Decoder,
  { keys = 'f32', signal, onFigure, onShare }: MeasureOptions,
): Promise<DeviceMeasure> {
  const { ops, config } = decoder;
  const figures: Figure[] = [];
  const tell = (figure: Figure): void => {
    figures.push(figure);
    onFigure?.(figure);
  };
  const timed = ops.kernelTimes ? TIMED : [];
  // Copies and products are two.
  const all = 2 + SLOTS.length + STEP_PARTS + timed.length;
  const { over, ended } = inParts(all, { signal, onShare });
  const attempt = async (
    what: string,
    parts: number,
    work: (watch: Watch) => Promise<Figure>,
  ): Promise<void> => {
    try {
      tell(await work(over(parts)));
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      tell({ kind: 'left out', what, why: error.message });
    }
    ended(parts);
  };
  const rates = await measureRates(ops, over(2));
  ended(2);
  tell({ kind: 'copy', bytesPerSecond: rates.copy });
  tell({ kind: 'product', flopsPerSecond: rates.product });
  const context = Math.min(CONTEXT, config.maxPositions - 1);
  for (const slots of SLOTS)
    await attempt(`decoding ${slots}`, 1, async (watch) => ({
      kind: 'decode',
      ...(await measureDecode(decoder, { slots, context, keys }, rates, watch)),
    }));
  await attempt('a training step', STEP_PARTS, async (watch) => ({
    kind: 'step',
    ...(await measureStep(decoder, { spec: ADAPTER, tokens: STEP_TOKENS, keys }, rates, watch)),
  }));
  for (const { of, work } of timed) {
    const trial = () => work(decoder, context, keys);
    for (const figure of await kernelsOf(ops, { of, trial }, signal)) tell(figure);
    ended(1);
  }
  return { device: ops.device, features: await featuresOf(ops.device), figures };
}
