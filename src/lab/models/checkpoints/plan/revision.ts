import { isWeights } from './file-names.ts';
import { Sha256 } from './sha256.ts';

/**
 * Names the weights of a checkpoint: the first 12 digits of their SHA-256, as a loaded policy names its
 * own; of several shards, of their hashes in the order of their names.
 */
export function revisionOfDigests(files: readonly { name: string; digest: string }[]): string {
  const digests = files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ digest }) => digest);
  const [first] = digests;
  if (digests.length === 1 && first !== undefined) return first.slice(0, 12);
  return new Sha256()
    .update(new TextEncoder().encode(digests.join('\n')))
    .digest()
    .slice(0, 12);
}

/** Of a stored checkpoint. */
export const revisionOf = (
  rows: readonly { name: string; digest: string | null; done: number }[],
): string =>
  revisionOfDigests(
    rows
      .filter(({ name }) => isWeights(name))
      .map(({ name, digest, done }) => ({ name, digest: digest ?? `size ${done}` })),
  );
