import type { FileRow } from './database.ts';
import { isWeights } from './file-names.ts';
import { Sha256 } from './sha256.ts';

/**
 * Names the weights of a stored checkpoint: the first 12 digits of their SHA-256, as a loaded policy
 * names its own; of several shards, of their hashes in the order of their names.
 */
export function revisionOf(rows: readonly Pick<FileRow, 'name' | 'digest' | 'done'>[]): string {
  const digests = rows
    .filter(({ name }) => isWeights(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ digest, done }) => digest ?? `size ${done}`);
  const [first] = digests;
  if (digests.length === 1 && first !== undefined) return first.slice(0, 12);
  return new Sha256()
    .update(new TextEncoder().encode(digests.join('\n')))
    .digest()
    .slice(0, 12);
}
