import { megabytes } from './quota.ts';

/** What of stored runs could make room. */

export interface RunSize {
  bytes: number;
  /** Of these, rollouts of steps, which may be deleted without harm to the run. */
  rolloutBytes: number;
  /** Of these, adapters of snapshots, likewise. */
  adapterBytes: number;
}

/** As text: rollouts and adapters of past steps, and whole runs. */
export function deletableWords(runs: readonly (RunSize & { name: string })[]): string {
  const largest = runs.toSorted((a, b) => b.bytes - a.bytes)[0];
  if (!largest) return 'Forage has nothing to delete; other data of this site fills the storage.';
  const rollouts = runs.reduce((sum, { rolloutBytes }) => sum + rolloutBytes, 0);
  const adapters = runs.reduce((sum, { adapterBytes }) => sum + adapterBytes, 0);
  return `The rollouts of past steps take ${megabytes(rollouts)}, their adapters ${megabytes(adapters)}; the largest run, "${largest.name}", takes ${megabytes(largest.bytes)}.`;
}
