import { expect, test } from 'vitest';
import { describeEncoder } from '../../../src/retrieval/encoder/sentence-transformers.ts';
import { changed, diskFolder } from './model-folder.ts';

/** The pooling that a folder's configuration asks for, in either of its forms. */
const pooling = async (config: object): Promise<string> => {
  const folder = diskFolder('test/fixtures/encoders/bert-encoder');
  const { pooling: found } = await describeEncoder(
    changed(folder, { '1_Pooling/config.json': { word_embedding_dimension: 32, ...config } }),
  );
  return found;
};

test.each([
  [{ pooling_mode_mean_tokens: true }, 'mean'],
  [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, 'cls'],
  [{ pooling_mode_max_tokens: true }, 'max'],
  [{ pooling_mode_lasttoken: true }, 'last'],
  [{ pooling_mode: 'mean' }, 'mean'],
  [{ pooling_mode: 'cls' }, 'cls'],
  [{ pooling_mode: 'max' }, 'max'],
  [{ pooling_mode: 'lasttoken' }, 'last'],
  // The newer form wins over flags that were left beside it.
  [{ pooling_mode: 'cls', pooling_mode_mean_tokens: true }, 'cls'],
])('%o', async (config, expected) => expect(await pooling(config)).toBe(expected));

test.each([
  [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean_sqrt_len_tokens'],
  [{ pooling_mode_weightedmean_tokens: true }, 'weightedmean'],
  [{ pooling_mode_cls_token: true, pooling_mode_max_tokens: true }, 'cls and max'],
  [{ pooling_mode_mean_tokens: true, pooling_mode_lasttoken: true }, 'mean and lasttoken'],
  [{}, 'nothing'],
])('%o is refused', async (config, said) =>
  expect(pooling(config)).rejects.toThrow(`pooling by ${said} is not supported`),
);
