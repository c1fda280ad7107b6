import type { Decode } from '../../evaluate/rollouts/reading/spell.ts';
import type { CheckpointStore } from '../models/checkpoints/store.ts';
import { fetchWithProgress } from '../workers/fetch-progress.ts';
import type { AvailableTokenizer } from './spelling.ts';

/** Tokenizers of this browser: that of the built-in policy, and those of the checkpoints on the device. */

const parsed = (bytes: Uint8Array): Record<string, unknown> => {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

/** @param base address of the built-in policy's folder, with a slash at its end */
const shipped = (base: string): AvailableTokenizer => {
  const file = fetchWithProgress(base, () => undefined);
  return {
    id: base,
    names: ['baize-mini'],
    open: async (): Promise<Decode> => {
      // Only a file whose tokens have no texts needs the tokenizer's library.
      const { HuggingFaceTokenizer } = await import('../../policy/open/tokenizer.ts');
      const settings = await file('tokenizer_config.json').catch(() => null);
      const tokenizer = new HuggingFaceTokenizer(
        parsed(await file('tokenizer.json')),
        settings ? parsed(settings) : {},
      );
      return (ids) => tokenizer.decode(ids);
    },
  };
};

export const tokenizersOf =
  (base: string, checkpoints: CheckpointStore) => async (): Promise<AvailableTokenizer[]> => {
    const stored = (await checkpoints.list()).filter(
      ({ record }) => record.readyAt !== null && record.deletedAt === null,
    );
    return [
      shipped(base),
      ...stored.map(({ record: { id, name } }): AvailableTokenizer => ({
        id,
        names: [name, id],
        open: async () => {
          const { openReader } = await import('../../policy/open/reader.ts');
          const { tokenizer } = await openReader(await checkpoints.open(id));
          return (ids) => tokenizer.decode(ids);
        },
      })),
    ];
  };
