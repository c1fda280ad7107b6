import { RecordError } from '../parts/build.ts';
import type { ImportedRollout } from '../shape/imported.ts';
import { asText, type JsonObject } from '../shape/json.ts';
import { faultOf } from './schema.ts';

/**
 * One line of our own: `forage.rollout/1`, a rollout of ours or an imported one that was written again.
 * The record itself comes back, unknown keys and all.
 * @throws RecordError naming the key at fault
 */
export function readForage(record: JsonObject): ImportedRollout {
  const format = asText(record['format']);
  if (format !== 'forage.rollout/1')
    throw new RecordError(`"format" is "${format}"; this version reads forage.rollout/1`);
  const fault = faultOf(record);
  if (fault !== null) throw new RecordError(fault);
  return record as unknown as ImportedRollout;
}
