import type { PolicyConfig } from '../checkpoint/config.ts';
import { adapterSize, loraSlots, type LoraSlot, type LoraSpec } from './spec.ts';

/** @throws RangeError for a rank or an alpha that no adapter can have, or no target at all */
export function checkSpec(spec: LoraSpec): void {
  if (!Number.isSafeInteger(spec.rank) || spec.rank < 1)
    throw new RangeError(`adapter: rank must be a positive integer, got ${spec.rank}`);
  if (!Number.isFinite(spec.alpha) || spec.alpha <= 0)
    throw new RangeError(`adapter: alpha must be a positive number, got ${spec.alpha}`);
  if (spec.targets.length === 0) throw new RangeError('adapter: no target matrices are chosen');
  if (!spec.gates) return;
  const { rMin, rMax } = spec.gates;
  if (!(rMin > 0 && rMin <= rMax && rMax <= 1))
    throw new RangeError(`adapter: gates must start in (0, 1], got ${rMin} to ${rMax}`);
}

/** @throws RangeError for gates of latent reasoning: no matrix of a checkpoint can hold them */
export function checkMergeable(spec: LoraSpec): void {
  if (spec.gates)
    throw new RangeError(
      'adapter: it has gates of latent reasoning, which cannot be folded into a checkpoint; ' +
        'export the adapter instead, whose folder holds them in a file of their own',
    );
}

/** The slots of the factors of an adapter, all of whose values are given. @throws RangeError for a spec or length at fault */
export function checkedSlots(
  config: PolicyConfig,
  spec: LoraSpec,
  flat: ArrayLike<number>,
): LoraSlot[] {
  checkSpec(spec);
  const slots = loraSlots(config, spec);
  const total = adapterSize(config, spec);
  if (flat.length !== total)
    throw new RangeError(`adapter: ${flat.length} values given, this shape has ${total}`);
  return slots;
}
