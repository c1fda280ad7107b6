import type { FetchFile } from '../../../base/fetch-file.ts';
import type { PassageEncoder } from '../../../retrieval/sources/sources.ts';
import { memoryFolder } from '../../../retrieval/world/memory-folder.ts';
import { recordsOf, writeWorld, type WorldRecords } from '../../../retrieval/world/write.ts';
import type { Made } from '../../contract/retrieval.ts';

/**
 * Passages and questions of a generated world. The generators are fetched when one is asked for: most pages
 * never make a world.
 */
export async function madeRecords({ form, seed }: Made): Promise<WorldRecords> {
  const made =
    form === 2
      ? (await import('../../../world/second/world.ts')).generateSecondWorld({ seed })
      : (await import('../../../world/world.ts')).generateWorld({ seed });
  return recordsOf(made, { seed, form });
}

/** The files of a generated world, in memory. */
export async function madeWorld(
  made: Made,
  encoder: PassageEncoder,
  onEncoded: (done: number, total: number) => void,
): Promise<FetchFile> {
  const folder = memoryFolder();
  await writeWorld(await madeRecords(made), folder.write, encoder, onEncoded);
  return folder.fetch;
}
