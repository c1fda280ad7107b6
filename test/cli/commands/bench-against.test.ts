import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { labHere } from '../lab.ts';

const model = fileURLToPath(new URL('../../fixtures/gguf-tokenizer/asks.gguf', import.meta.url));
const against = ['wasm', '--against', 'wllama'];

test.each([
  { words: [...against], said: /^--against needs --policy FILE\.gguf/ },
  { words: [...against, '--policy', 'folder'], said: /GGUF files only, and folder is none/ },
  { words: [...against, '--policy', 'none.gguf'], said: /none\.gguf, which does not exist/ },
  {
    words: ['wasm', '--against', 'ollama'],
    said: /--against is 'ollama'; it must be one of wllama/,
  },
  { words: ['gpu', '--against', 'wllama'], said: /^--against is for wasm only/ },
  { words: ['wasm', '--slots', '4'], said: /^--slots is for 'bench wasm --against wllama' only/ },
  { words: ['wasm', '--threads', '2'], said: /^--threads is for 'bench wasm --against/ },
  {
    words: [...against, '--policy', model, '--slots', '1,,4'],
    said: /^--slots is '1,,4'; it must/,
  },
  { words: [...against, '--policy', model, '--slots', '65'], said: /whole numbers from 1 to 64/ },
  { words: [...against, '--policy', model, '--threads', '0'], said: /^--threads is 0; it must/ },
  {
    words: [...against, '--policy', model, '--kv', 'f16'],
    said: /^--kv does not go with --against/,
  },
  {
    words: [...against, '--policy', model, '--weights', 'f32', '--weights', 'int5'],
    said: /^--weights is 'int5'; it must be one of f32, f16, int8, int4/,
  },
  {
    words: ['wasm', '--weights', 'f32', '--weights', 'int8'],
    said: /^--weights is given 2 times; without --against it may be given only once/,
  },
])('bench $words is refused in one sentence', async ({ words, said }) => {
  const { status, out, err } = await labHere('bench', ...words);
  expect(err).toMatch(said);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect({ status, out }).toEqual({ status: 2, out: '' });
});
