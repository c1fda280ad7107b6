import type { FetchFile } from '../../base/fetch-file.ts';
import { buildWorld, openEncoderFromDisk, type WorldForm } from './build-world.ts';
import { UsageError, type OptionSpec, type OptionValues } from './options.ts';
import { builtIn } from './paths.ts';

/** A world that is made in memory from its form and seed, the same every time. */
export interface MadeWorld {
  form: WorldForm;
  seed: number;
}

export const MADE_WORLD_OPTIONS = {
  'world-seed': {
    type: 'integer',
    value: 'N',
    help: 'a world made from this seed, in place of a folder; in form 1 unless --world-form is given',
    min: 0,
  },
  'world-form': {
    type: 'integer',
    value: 'F',
    help: 'form of the world of --world-seed: 1, as shipped, or 2',
    min: 1,
    max: 2,
  },
} as const satisfies Record<string, OptionSpec>;

/** @throws UsageError where options contradict one another */
export function madeWorldOf(values: OptionValues): MadeWorld | undefined {
  const [seed, form] = [values['world-seed'], values['world-form']];
  if (seed === undefined) {
    if (form !== undefined) throw new UsageError('--world-form needs --world-seed N.');
    return undefined;
  }
  if (values['world'] !== undefined)
    throw new UsageError('--world names a folder, --world-seed a world that is made; give one.');
  return { form: form === 2 ? 2 : 1, seed: Number(seed) };
}

/** The files of the world. */
export async function makeWorld(
  { form, seed }: MadeWorld,
  onEncoded: (done: number, total: number) => void = () => undefined,
): Promise<FetchFile> {
  const files = new Map<string, Uint8Array>();
  const keep = async (name: string, bytes: Uint8Array): Promise<void> => {
    files.set(name, bytes);
    return Promise.resolve();
  };
  const encoder = await openEncoderFromDisk(builtIn('encoder'));
  await buildWorld(seed, keep, encoder, onEncoded, form);
  return (name) => {
    const bytes = files.get(name);
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error(`${name}: no such file`));
  };
}
