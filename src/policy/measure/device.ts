import type { LoraSpec } from '../lora/spec.ts';
import type { Decoder } from '../model/decoder.ts';
import { MemoryError } from '../ops/faults.ts';
import type { Ops } from '../ops/ops.ts';
import { measureDecode, measureStep, type DecodeRate, type StepRate } from './model.ts';
import { measureRates } from './rates.ts';

/** One thing that was measured. */
export type Figure =
  | { readonly kind: 'copy'; readonly bytesPerSecond: number }
  /** Operations: 2 a multiply-add of float32 matrices. */
  | { readonly kind: 'product'; readonly flopsPerSecond: number }
  | ({ readonly kind: 'decode' } & DecodeRate)
  | ({ readonly kind: 'step' } & StepRate)
  /** What the device has no memory for. */
  | { readonly kind: 'left out'; readonly what: string; readonly why: string };

/** A device as it was measured with one policy. */
export interface DeviceMeasure {
  readonly device: Ops['device'];
  /** What its kernels can use, such as `relaxed-simd` or `shader-f16`. */
  readonly features: readonly string[];
  readonly figures: readonly Figure[];
}

export interface MeasureOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onFigure?: ((figure: Figure) => void) | undefined;
}

const SLOTS = [1, 16, 64];
/** Positions that every slot looks back on, if the policy has so many. */
const CONTEXT = 512;
const STEP_TOKENS = 1024;
const ADAPTER: LoraSpec = { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] };

async function featuresOf(device: Ops['device']): Promise<string[]> {
  if (device === 'wasm') {
    const { hasRelaxedSimd } = await import('../wasm/kernels.ts');
    return hasRelaxedSimd() ? ['simd', 'relaxed-simd'] : ['simd'];
  }
  if (device !== 'webgpu') return [];
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
  return [...(adapter?.features ?? [])].toSorted();
}

/**
 * Measures copies and products of the device that a decoder is on, its decode steps and a LoRA step. Each
 * figure takes some seconds. What there is no memory for is left out, and said.
 * @throws the signal's reason; MemoryError where not even copies can be measured
 */
export async function measureDevice(
  decoder: Decoder,
  { signal, onFigure }: MeasureOptions,
): Promise<DeviceMeasure> {
  const { ops, config } = decoder;
  const figures: Figure[] = [];
  const tell = (figure: Figure): void => {
    figures.push(figure);
    onFigure?.(figure);
  };
  const attempt = async (what: string, work: () => Promise<Figure>): Promise<void> => {
    try {
      tell(await work());
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      tell({ kind: 'left out', what, why: error.message });
    }
  };
  const rates = await measureRates(ops, signal);
  tell({ kind: 'copy', bytesPerSecond: rates.copy });
  tell({ kind: 'product', flopsPerSecond: rates.product });
  const context = Math.min(CONTEXT, config.maxPositions - 1);
  for (const slots of SLOTS)
    await attempt(`decoding ${slots}`, async () => ({
      kind: 'decode',
      ...(await measureDecode(decoder, slots, context, rates, signal)),
    }));
  await attempt('a training step', async () => ({
    kind: 'step',
    ...(await measureStep(decoder, ADAPTER, STEP_TOKENS, rates, signal)),
  }));
  return { device: ops.device, features: await featuresOf(ops.device), figures };
}
