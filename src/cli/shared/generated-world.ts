import type { FetchFile } from '../../base/fetch-file.ts';
import { memoryFolder } from '../../retrieval/world/memory-folder.ts';
import { SHIPPED_SEED } from '../../world/world.ts';
import { buildWorld, fetchFromDisk, openEncoderFromDisk } from './build-world.ts';
import { UsageError, type OptionSpec, type OptionValues } from './options.ts';
import { builtIn } from './paths.ts';

/** A world that is generated in memory from its seed, the same every time. */
export interface GeneratedWorld {
  seed: number;
}

export const GENERATED_WORLD_OPTIONS = {
  'world-seed': {
    type: 'integer',
    value: 'N',
    help: 'a world made from this seed, in place of a folder',
    min: 0,
  },
} as const satisfies Record<string, OptionSpec>;

/** @throws UsageError where options contradict one another */
export function madeWorldOf(values: OptionValues): GeneratedWorld | undefined {
  const seed = values['world-seed'];
  if (seed === undefined) return undefined;
  if (values['world'] !== undefined)
    throw new UsageError('--world names a folder, --world-seed a generated world; give one.');
  return { seed: Number(seed) };
}

/** The world that a record names: a folder, or a seed. */
export const recordedWorld = (record: {
  folder: string | null;
  seed: number;
}): string | GeneratedWorld => record.folder ?? { seed: record.seed };

/** The files of the world; those that are built in lie there already. */
export async function makeWorld(
  { seed }: GeneratedWorld,
  onEncoded: (done: number, total: number) => void = () => undefined,
): Promise<FetchFile> {
  if (seed === SHIPPED_SEED) return fetchFromDisk(builtIn('world'));
  const encoder = await openEncoderFromDisk(builtIn('encoder'));
  const folder = memoryFolder();
  await buildWorld({ seed }, folder.write, encoder, onEncoded);
  return folder.fetch;
}
