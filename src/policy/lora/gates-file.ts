import type { PolicyConfig } from '../checkpoint/config.ts';
import { readSafetensors, writeSafetensors } from '../checkpoint/safetensors.ts';
import { viewGates, type GateRange } from '../latent/gates.ts';
import { gateSize } from './spec.ts';

/**
 * The gates of latent reasoning in an adapter's folder: a file of their own, under the names that they have in HRPO's
 * released model. PEFT has no module for them: it loads the adapter and leaves them, and a policy that was trained to
 * think in mixtures then thinks in tokens alone.
 */
export const ADAPTER_GATES = 'latent_gates.safetensors';

/** What the gates started between, [rMin, rMax]; no tensor of the released model. */
const RANGE = 'forage.first_range';
const MODEL = 'base_model.model.model.thinking_residual';

/** Name, shape and values of each part. */
function tensorsOf(values: Float32Array, width: number) {
  const { resetWeight, resetBias, inputWeight, inputBias, lambda } = viewGates(values, width);
  return [
    [`${MODEL}_gate_r.weight`, [width, width], resetWeight],
    [`${MODEL}_gate_r.bias`, [width], resetBias],
    [`${MODEL}_gate_i.weight`, [width, width], inputWeight],
    [`${MODEL}_gate_i.bias`, [width], inputBias],
    [`${MODEL}_Lambda.Lambda`, [width], lambda],
  ] as const;
}

/** Always float32: beside the factors they are few, and Λ may be infinite. */
export function writeGates(
  { hiddenSize }: Pick<PolicyConfig, 'hiddenSize'>,
  { rMin, rMax }: GateRange,
  values: Float32Array,
): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  for (const [name, shape, data] of tensorsOf(values, hiddenSize))
    tensors.set(name, { shape, data });
  tensors.set(RANGE, { shape: [2], data: Float32Array.of(rMin, rMax) });
  return writeSafetensors(tensors, 'F32');
}

/** @throws Error where a tensor is missing, of another shape or not a number */
export function readGates(
  { hiddenSize }: Pick<PolicyConfig, 'hiddenSize'>,
  bytes: Uint8Array,
): { gates: GateRange; values: Float32Array } {
  const tensors = readSafetensors(bytes);
  const [rMin, rMax] = tensors.get(RANGE)?.data ?? [];
  if (rMin === undefined || rMax === undefined) throw new Error(`tensor "${RANGE}" is missing`);
  const values = new Float32Array(gateSize(hiddenSize));
  for (const [name, shape, part] of tensorsOf(values, hiddenSize)) {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`tensor "${name}" is missing`);
    if (tensor.shape.join() !== shape.join())
      throw new Error(
        `tensor "${name}" has shape [${tensor.shape.join(', ')}], this policy needs [${shape.join(', ')}]`,
      );
    if (tensor.data.some((value) => Number.isNaN(value)))
      throw new Error(`tensor "${name}" holds a value that is not a number`);
    part.set(tensor.data);
  }
  return { gates: { rMin, rMax }, values };
}
