import type { FetchFile } from '../../base/fetch-file.ts';
import type { BuiltInForm } from '../../records/built-in-forms.ts';
import { memoryFolder } from '../../retrieval/world/memory-folder.ts';
import { SHIPPED_SEED } from '../../world/world.ts';
import { buildWorld, fetchFromDisk, openEncoderFromDisk } from './build-world.ts';
import { UsageError, type OptionSpec, type OptionValues } from './options.ts';
import { builtIn } from './paths.ts';

/** A world that is made in memory from its form and seed, the same every time. */
export interface MadeWorld {
  form: BuiltInForm;
  seed: number;
}

export const MADE_WORLD_OPTIONS = {
  'world-seed': {
    type: 'integer',
    value: 'N',
    help: 'a world made from this seed, in place of a folder; in form 2 unless --world-form is given',
    min: 0,
  },
  'world-form': {
    type: 'integer',
    value: 'F',
    help: 'form of the world of --world-seed, 1 or 2, as is built in; alone: that of the built-in seed',
    min: 1,
    max: 2,
  },
} as const satisfies Record<string, OptionSpec>;

/** @throws UsageError where options contradict one another */
export function madeWorldOf(values: OptionValues): MadeWorld | undefined {
  const [seed, form] = [values['world-seed'], values['world-form']];
  if (seed === undefined && form === undefined) return undefined;
  if (values['world'] !== undefined)
    throw new UsageError(
      '--world names a folder, --world-seed and --world-form a world that is made; give one.',
    );
  return { form: form === 1 ? 1 : 2, seed: Number(seed ?? SHIPPED_SEED) };
}

/** What a record means by its world; one of the time of the first form says no form. */
export const recordedWorld = (record: {
  folder: string | null;
  form?: BuiltInForm | undefined;
  seed: number;
}): string | MadeWorld => record.folder ?? { form: record.form ?? 1, seed: record.seed };

/** The files of the world; those that are built in lie there already. */
export async function makeWorld(
  { form, seed }: MadeWorld,
  onEncoded: (done: number, total: number) => void = () => undefined,
): Promise<FetchFile> {
  if (seed === SHIPPED_SEED) return fetchFromDisk(builtIn('world', form));
  const encoder = await openEncoderFromDisk(builtIn('encoder'));
  const folder = memoryFolder();
  await buildWorld(seed, folder.write, encoder, onEncoded, form);
  return folder.fetch;
}
