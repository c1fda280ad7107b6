import type { PolicyConfig } from '../checkpoint/config.ts';
import { loraSlots, type LoraSlot, type LoraSpec } from './spec.ts';

/** @throws RangeError for a rank or an alpha that no adapter can have, or no target at all */
export function checkSpec(spec: LoraSpec): void {
  if (!Number.isSafeInteger(spec.rank) || spec.rank < 1)
    throw new RangeError(`adapter: rank must be a positive integer, got ${spec.rank}`);
  if (!Number.isFinite(spec.alpha) || spec.alpha <= 0)
    throw new RangeError(`adapter: alpha must be a positive number, got ${spec.alpha}`);
  if (spec.targets.length === 0) throw new RangeError('adapter: no target matrices are chosen');
}

/** The slots of an adapter whose values are given. @throws RangeError for a spec or length at fault */
export function checkedSlots(
  config: PolicyConfig,
  spec: LoraSpec,
  flat: ArrayLike<number>,
): LoraSlot[] {
  checkSpec(spec);
  const slots = loraSlots(config, spec);
  const total = slots.reduce((sum, slot) => sum + slot.length, 0);
  if (flat.length !== total)
    throw new RangeError(`adapter: ${flat.length} values given, this shape has ${total}`);
  return slots;
}
