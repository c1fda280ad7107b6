import type { RolloutsApi, Reading } from '../../../../lab/contract/rollouts.ts';
import { lab } from '../../../lab/connection.ts';
import { unpackReading } from '../../../../lab/rollouts/packed.ts';

/** Where the reader gets imported rollouts from. */
export const rollouts = (): RolloutsApi => lab().rollouts;

/** A rollout with what its reader needs beside it; null where the file, or it, is not there. */
export async function readRollout(fileId: string, rolloutId: string): Promise<Reading | null> {
  const packed = await rollouts().readPacked(fileId, rolloutId);
  return packed && unpackReading(packed);
}
