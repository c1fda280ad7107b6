import type { FetchFile } from '../../../base/fetch-file.ts';
import type { PassageEncoder } from '../../../retrieval/sources/sources.ts';
import { memoryFolder } from '../../../retrieval/world/memory-folder.ts';
import { recordsOf, writeWorld } from '../../../retrieval/world/write.ts';

/**
 * The files of a generated world, in memory. The generators are fetched when one is asked for: most pages
 * never make a world.
 */
export async function madeWorld(
  { form, seed }: { form: 1 | 2; seed: number },
  encoder: PassageEncoder,
  onEncoded: (done: number, total: number) => void,
): Promise<FetchFile> {
  const made =
    form === 2
      ? (await import('../../../world/second/world.ts')).generateSecondWorld({ seed })
      : (await import('../../../world/world.ts')).generateWorld({ seed });
  const folder = memoryFolder();
  await writeWorld(recordsOf(made, { seed, form }), folder.write, encoder, onEncoded);
  return folder.fetch;
}
