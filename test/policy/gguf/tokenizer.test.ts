import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { readGgufHeader } from '../../../src/policy/gguf/header.ts';
import { GgufMetadata, type GgufValue } from '../../../src/policy/gguf/metadata.ts';
import { tokenizerOfGguf } from '../../../src/policy/gguf/tokenizer.ts';
import { chatTemplateOf } from '../../../src/policy/open/chat-template.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';

const ids = z.array(z.array(z.number()));
const metadataSchema = z.record(z.string(), z.unknown());
/** What `tokenizers` and `sentencepiece` give: make.py. */
const cases = z
  .object({
    texts: z.array(z.string()),
    bytePair: z.object({
      metadata: metadataSchema,
      families: z.array(z.object({ pre: z.string(), ids })),
    }),
    sentencePiece: z.array(z.object({ name: z.string(), metadata: metadataSchema, ids })),
  })
  .parse(
    JSON.parse(
      readFileSync(join(import.meta.dirname, '../../fixtures/gguf-tokenizer/cases.json'), 'utf8'),
    ),
  );

type Metadata = Record<string, unknown>;

/** As the header's parser gives it: lists of numbers are typed arrays. */
function held(metadata: Metadata): GgufMetadata {
  const values = Object.entries(metadata).map(([key, value]): [string, GgufValue] => {
    const numbers = z.array(z.number()).safeParse(value);
    const list = key.endsWith('scores') ? Float32Array : Int32Array;
    return [key, numbers.success ? list.from(numbers.data) : (value as GgufValue)];
  });
  return new GgufMetadata(FILE, new Map(values));
}

const FILE = 'small.gguf';
const filesOf = (metadata: Metadata) => tokenizerOfGguf(held(metadata), FILE);

function open(metadata: Metadata): HuggingFaceTokenizer {
  const { tokenizer, config, generation } = filesOf(metadata);
  // As it is stored and read.
  const json = z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(tokenizer)));
  return new HuggingFaceTokenizer(json, config, generation);
}

const bytePair = (pre: string): Metadata => ({
  ...cases.bytePair.metadata,
  'tokenizer.ggml.pre': pre,
});
const [gemma, llama2] = cases.sentencePiece.map(({ metadata }) => metadata) as [Metadata, Metadata];
const without = (metadata: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key));

function expectIds(tokenizer: HuggingFaceTokenizer, expected: readonly number[][]): void {
  expect(expected).toHaveLength(cases.texts.length);
  for (const [i, text] of cases.texts.entries())
    expect(tokenizer.encodeTemplate(text), JSON.stringify(text)).toEqual(expected[i]);
}

describe('byte-level BPE gives the ids of tokenizers', () => {
  test.each(cases.bytePair.families)('split as $pre', ({ pre, ids: expected }) => {
    expectIds(open(bytePair(pre)), expected);
  });

  it('and the families differ, so that a wrong table is noticed', () => {
    const all = cases.bytePair.families.map((family) => JSON.stringify(family.ids));
    expect(new Set(all).size).toBe(all.length);
  });

  it('and gives the texts back', () => {
    const tokenizer = open(bytePair('smollm'));
    for (const text of cases.texts)
      expect(tokenizer.decode(tokenizer.encodeTemplate(text))).toBe(text);
  });

  it('leaves out the rows that only pad the embedding', () => {
    const tokenizer = open(bytePair('qwen2'));
    const tokens = z.array(z.string()).parse(cases.bytePair.metadata['tokenizer.ggml.tokens']);
    expect(tokenizer.vocabSize).toBe(tokens.length - 2);
  });
});

describe('SentencePiece gives the ids of sentencepiece', () => {
  test.each(cases.sentencePiece)('$name', ({ metadata, ids: expected }) => {
    expectIds(open(metadata), expected);
  });

  it('and gives the texts back, what is in no token by its bytes', () => {
    for (const metadata of [gemma, llama2]) {
      const tokenizer = open(metadata);
      for (const text of cases.texts) {
        const shown = tokenizer.decode(tokenizer.encodeTemplate(text));
        if (!text.includes('<end>')) expect(shown).toBe(text);
      }
    }
  });
});

describe('special tokens', () => {
  it('a text begins with BOS where the file or its kind says so', () => {
    const bos = gemma['tokenizer.ggml.bos_token_id'];
    expect(open(gemma).startOfText).toBe(bos);
    expect(open({ ...gemma, 'tokenizer.ggml.add_bos_token': false }).startOfText).toBeUndefined();
    expect(open(bytePair('smollm')).startOfText).toBeUndefined();
    const unsaid = without(bytePair('llama-bpe'), 'tokenizer.ggml.add_bos_token');
    expect(open(unsaid).startOfText).toBe(0);
    expect(
      open(without(bytePair('qwen2'), 'tokenizer.ggml.add_bos_token')).startOfText,
    ).toBeUndefined();
  });

  it('all that end a turn are known, the one of the metadata first', () => {
    const tokens = [...z.array(z.string()).parse(cases.bytePair.metadata['tokenizer.ggml.tokens'])];
    const types = [
      ...z.array(z.number()).parse(cases.bytePair.metadata['tokenizer.ggml.token_type']),
    ];
    tokens.splice(-2, 2, '<|im_end|>', '<end_of_turn>');
    types.splice(-2, 2, 1, 1);
    const tokenizer = open({
      ...bytePair('smollm'),
      'tokenizer.ggml.tokens': tokens,
      'tokenizer.ggml.token_type': types,
    });
    expect(tokenizer.endOfText).toBe(0);
    expect(tokenizer.endIds).toEqual([0, tokens.length - 2, tokens.length - 1]);
    expect(tokenizer.encodeTemplate('a<|im_end|>').at(-1)).toBe(tokens.length - 2);
  });

  it('a file without token types still has its end of text', () => {
    const tokenizer = open(without(bytePair('gpt-2'), 'tokenizer.ggml.token_type'));
    expect(tokenizer.specialId('<end>')).toBe(0);
  });
});

describe('chat template', () => {
  it('comes from the metadata, with the special tokens', () => {
    const template = chatTemplateOf(
      filesOf({
        ...bytePair('smollm'),
        'tokenizer.chat_template':
          '{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}',
      }).config,
    );
    const text = template?.render([{ role: 'user', content: 'Who?' }], {
      addGenerationPrompt: true,
    });
    expect(text).toBe('<end>Who?<end>');
  });

  it('is absent where the file has none', () => {
    expect(chatTemplateOf(filesOf(gemma).config)).toBeNull();
  });
});

test.each<[string, Metadata, RegExp]>([
  ['no merges', without(bytePair('smollm'), 'tokenizer.ggml.merges'), /has no merges .*Download/],
  ['no scores', without(gemma, 'tokenizer.ggml.scores'), /has no scores/],
  ['no vocabulary', without(gemma, 'tokenizer.ggml.tokens'), /has no vocabulary/],
  ['no tokenizer', without(gemma, 'tokenizer.ggml.model'), /has no tokenizer/],
  [
    'another tokenizer',
    { ...gemma, 'tokenizer.ggml.model': 'bert' },
    /cannot read its tokenizer, "bert"/,
  ],
  ['an unknown way to split', bytePair('cursive'), /"cursive".*Known are .*qwen2/],
  [
    'a broken merge',
    { ...bytePair('smollm'), 'tokenizer.ggml.merges': ['ab'] },
    /"ab" is not a pair/,
  ],
  ['too few types', { ...gemma, 'tokenizer.ggml.token_type': [1, 2] }, /2 entries for 520 tokens/],
  ['tokens that are no texts', { ...gemma, 'tokenizer.ggml.tokens': [1, 2] }, /a list of texts/],
])('a file with %s is refused by name', (_, metadata, message) => {
  expect(() => filesOf(metadata)).toThrow(message);
  expect(() => filesOf(metadata)).toThrow(/^small\.gguf: [^\n]*$/);
});

test('a token that begins with a byte order mark keeps it', async () => {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    return Buffer.concat([length, bytes]);
  };
  const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const tokens = ['\ufeffa', 'a'];
  const [list, string] = [9, 8];
  const file = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(0),
    u64(1),
    text('tokenizer.ggml.tokens'),
    u32(list),
    u32(string),
    u64(tokens.length),
    ...tokens.map(text),
  ]);
  const { metadata } = await readGgufHeader({
    name: FILE,
    size: file.length,
    read: (start, end) => Promise.resolve(file.subarray(start, end)),
  });
  expect(metadata.texts('tokenizer.ggml.tokens')).toEqual(tokens);
});

it('keeps what the authors sample with, as generation_config.json names it', () => {
  const { metadata } = cases.bytePair;
  const of = (more: Metadata) => tokenizerOfGguf(held({ ...metadata, ...more }), FILE).generation;
  const sampling = {
    'general.sampling.temp': Math.fround(0.7),
    'general.sampling.top_p': Math.fround(0.8),
    'general.sampling.top_k': 20,
  };
  expect(of(sampling)).toMatchObject({ temperature: 0.7, top_p: 0.8, top_k: 20 });
  expect(Object.keys(of({}))).toEqual(['eos_token_id']);
});
