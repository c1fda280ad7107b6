import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryFiles } from '../../../../src/policy/checkpoint/checkpoint-files.ts';
import { preTypeOf } from '../../../../src/policy/gguf/write/tokenizer.ts';
import { tokenizerMetadata } from '../../../../src/policy/gguf/write/tokenizer.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures');
const tokenizerIn = (folder: string): object =>
  JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object;

it.each([
  ['chat/qwen', 'qwen2'],
  ['chat/llama3', 'llama-bpe'],
  ['chat/smollm', 'smollm'],
  ['qwen3-tiny', 'gpt-2'],
])('%s is split as llama.cpp splits %s', (folder, pre) => {
  expect(preTypeOf(tokenizerIn(join(fixtures, folder)))).toBe(pre);
});

it('a split that llama.cpp has no name for has none', () => {
  expect(preTypeOf(tokenizerIn('public/policy'))).toBe(null);
  const split = (pre_tokenizer: object | null) => preTypeOf({ pre_tokenizer, model: {} });
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
  expect(split(byteLevel)).toBe('gpt-2');
  expect(split({ ...byteLevel, add_prefix_space: true })).toBe(null);
  expect(split({ type: 'Whitespace' })).toBe(null);
  expect(split(null)).toBe(null);
});

it('Llama 3 takes a word that is a token whole; the same split without that has another name', () => {
  const llama3 = tokenizerIn(join(fixtures, 'chat/llama3')) as { model: object };
  const { model } = llama3;
  expect(preTypeOf({ ...llama3, model: { ...model, ignore_merges: false } })).toBe('smaug-bpe');
});

/** "ab" is merged before "bc"; bytes are the fallback, as SentencePiece makes it. */
const sentencePiece = {
  added_tokens: [
    { id: 0, content: '<unk>', special: true },
    { id: 1, content: '<s>', special: true },
    { id: 2, content: '</s>', special: true },
    { id: 11, content: '<tool>', special: false },
  ],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ],
  },
  pre_tokenizer: null,
  post_processor: null,
  decoder: { type: 'ByteFallback' },
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    byte_fallback: true,
    fuse_unk: true,
    vocab: {
      '<unk>': 0,
      '<s>': 1,
      '</s>': 2,
      '<0x0A>': 3,
      a: 4,
      b: 5,
      c: 6,
      '▁': 7,
      ab: 8,
      bc: 9,
      abc: 10,
    },
    merges: ['a b', 'b c', 'ab c', 'a bc'],
  },
};

const bytes = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json));

it('SentencePiece tokens have kinds, and scores that fall with their place in the merges', async () => {
  const files = memoryFiles(
    new Map([
      ['tokenizer.json', bytes(sentencePiece)],
      ['tokenizer_config.json', bytes({ bos_token: '<s>', eos_token: { content: '</s>' } })],
    ]),
  );
  const metadata = await tokenizerMetadata(files, 14);
  const value = (key: string): unknown => {
    const found = metadata.get(`tokenizer.ggml.${key}`);
    return found && 'value' in found ? found.value : undefined;
  };
  expect(value('model')).toBe('llama');
  expect(value('tokens')).toEqual([
    '<unk>',
    '<s>',
    '</s>',
    '<0x0A>',
    'a',
    'b',
    'c',
    '▁',
    'ab',
    'bc',
    'abc',
    '<tool>',
    '[PAD12]',
    '[PAD13]',
  ]);
  expect(value('token_type')).toEqual([2, 3, 3, 6, 1, 1, 1, 1, 1, 1, 1, 4, 5, 5]);
  expect((value('scores') as number[]).slice(8, 11).map((score) => score + 0)).toEqual([0, -1, -2]);
  expect(value('add_space_prefix')).toBe(true);
  expect([value('bos_token_id'), value('eos_token_id'), value('merges')]).toEqual([
    1,
    2,
    undefined,
  ]);
});
