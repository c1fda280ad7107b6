import type { RolloutsApi, Reading } from '../../../../lab/contract/rollouts.ts';
import { lab } from '../../../lab/connection.ts';
import { unpackReading } from '../../../../lab/rollouts/packed.ts';

/** Access to imported rollouts. */
export const rollouts = (): RolloutsApi => lab().rollouts;

/** A rollout with the data of its reader; null if the file or the rollout is missing. */
export async function readRollout(fileId: string, rolloutId: string): Promise<Reading | null> {
  const packed = await rollouts().readPacked(fileId, rolloutId);
  return packed && unpackReading(packed);
}
