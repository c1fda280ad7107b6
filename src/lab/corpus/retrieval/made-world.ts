import type { FetchFile } from '../../../base/fetch-file.ts';
import type { PassageEncoder } from '../../../retrieval/sources/sources.ts';
import { writeWorld } from '../../../retrieval/world/write.ts';

/**
 * The files of a generated world, in memory. The generators are fetched when one is asked for: most pages
 * never make a world.
 */
export async function madeWorld(
  { form, seed }: { form: 1 | 2; seed: number },
  encoder: PassageEncoder,
  onEncoded: (done: number, total: number) => void,
): Promise<FetchFile> {
  const { local, web, questions } =
    form === 2
      ? (await import('../../../world/second/world.ts')).generateSecondWorld({ seed })
      : (await import('../../../world/world.ts')).generateWorld({ seed });
  const flat = (['train', 'dev', 'test'] as const).flatMap((split) =>
    questions[split].map((question) => ({ ...question, split })),
  );
  const files = new Map<string, Uint8Array>();
  const keep = (name: string, bytes: Uint8Array): Promise<void> => {
    files.set(name, bytes);
    return Promise.resolve();
  };
  const records = { seed, ...(form === 2 && { form }), local, web, questions: flat };
  await writeWorld(records, keep, encoder, onEncoded);
  return (name) => {
    const bytes = files.get(name);
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error(`${name}: no such file`));
  };
}
