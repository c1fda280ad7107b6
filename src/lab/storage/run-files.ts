import type { Rollout } from '../../records/rollout.ts';
import { gunzip, gzip } from './blobs.ts';
import type { BlobRef, PointerRow, StepRow } from './database.ts';
import { filesOfAdapter } from './stored-adapters.ts';

/** Which files the records of a run name, and how rollouts lie in them. */

/** Steps of a run from one on; a run's steps never reach the upper bound. */
export const stepRange = (runId: string, from = 0): [[string, number], [string, number]] => [
  [runId, from],
  [runId, Number.MAX_SAFE_INTEGER],
];

/** Files of a step's rollouts. */
export const filesOfStep = ({ rollouts, heldOut }: StepRow): BlobRef[] =>
  [rollouts, heldOut].flatMap((ref) => ref ?? []);

export const filesOfAdapters = (pointer: PointerRow | undefined): BlobRef[] =>
  (pointer?.adapters ?? []).flatMap(filesOfAdapter);

/** Of snapshots and kept adapters. */
export const filesOfState = (pointer: PointerRow | undefined): BlobRef[] => [
  ...[pointer?.latest, pointer?.previous].flatMap((c) => (c ? [c.tensors, c.rest] : [])),
  ...filesOfAdapters(pointer),
];

export const sizeOf = (refs: readonly BlobRef[]): number =>
  refs.reduce((sum, { bytes }) => sum + bytes, 0);

/** Gzipped JSON lines. */
export const packRollouts = (rollouts: readonly Rollout[]): Promise<Uint8Array> =>
  gzip(
    new TextEncoder().encode(rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join('')),
  );

export async function unpackRollouts(file: Uint8Array<ArrayBuffer>): Promise<Rollout[]> {
  const lines = new TextDecoder().decode(await gunzip(file)).split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Rollout);
}
