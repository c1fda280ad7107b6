import type { FetchFile } from '../../../base/fetch-file.ts';
import type { PassageEncoder } from '../../../retrieval/sources/sources.ts';
import { memoryFolder } from '../../../retrieval/world/memory-folder.ts';
import { recordsOf, writeWorld, type WorldRecords } from '../../../retrieval/world/write.ts';
import type { WorldSeed } from '../../contract/retrieval.ts';

/**
 * Passages and questions of a generated world. The generator is fetched when it is asked for: most pages
 * never make a world.
 */
export async function madeRecords({ seed }: WorldSeed): Promise<WorldRecords> {
  const { generateWorld } = await import('../../../world/world.ts');
  return recordsOf(generateWorld({ seed }));
}

/** The files of a generated world, in memory. */
export async function madeWorld(
  made: WorldSeed,
  encoder: PassageEncoder,
  onEncoded: (done: number, total: number) => void,
): Promise<FetchFile> {
  const folder = memoryFolder();
  await writeWorld(await madeRecords(made), folder.write, encoder, onEncoded);
  return folder.fetch;
}
