import { sourceOf } from '../../src/policy/checkpoint/tensor-source.ts';
import type { PolicyWeights } from '../../src/policy/checkpoint/weights.ts';
import { architectureMetadata } from '../../src/policy/gguf/write/architecture.ts';
import type { GgufMetadata, GgufValue } from '../../src/policy/gguf/write/encode.ts';
import { ggufOfSource } from '../../src/policy/gguf/write/model.ts';

/** GPT-2's printable stand-ins of the ASCII bytes. */
function asciiTokens(): string[] {
  let next = 256;
  return Array.from({ length: 128 }, (_, b) =>
    String.fromCodePoint(b >= 33 && b <= 126 ? b : next++),
  );
}

/**
 * Letters and words. No merges lead to the words, so that a prompt of n letters has n tokens; and
 * all is ASCII, since the peer fails on random bytes that are no UTF-8.
 */
export function vocabulary(size: number): string[] {
  const letters = asciiTokens();
  return [...letters, ...Array.from({ length: size - letters.length }, (_, i) => `word${i}`)];
}

function tokenizer(size: number): GgufMetadata {
  const tokens = vocabulary(size);
  const last: GgufValue = { type: 'u32', value: size - 1 };
  return new Map<string, GgufValue>([
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: 'qwen2' }],
    ['tokenizer.ggml.tokens', { type: 'array', of: 'string', value: tokens }],
    [
      'tokenizer.ggml.token_type',
      { type: 'array', of: 'i32', value: tokens.map((_, i) => (i === size - 1 ? 3 : 1)) },
    ],
    ['tokenizer.ggml.merges', { type: 'array', of: 'string', value: ['Ġ Ġ'] }],
    ['tokenizer.ggml.eos_token_id', last],
    ['tokenizer.ggml.padding_token_id', last],
  ]);
}

/** A GGUF file of a model in f32 for llama.cpp, with a vocabulary of letters. */
export async function randomGguf(weights: PolicyWeights): Promise<Blob> {
  const { config } = weights;
  const metadata = new Map([
    ...architectureMetadata(config, 'random'),
    ...tokenizer(config.vocabSize),
  ]);
  const file = ggufOfSource('random.gguf', sourceOf(weights), metadata, 'F32');
  const parts: BlobPart[] = [];
  for await (const piece of file.pieces()) parts.push(piece);
  return new Blob(parts);
}
