import { isObjectOrList } from '../../../base/objects.ts';
import { GPT2_WORDS, preTokenizerName } from '../pre-tokenizers.ts';

const field = (value: unknown, name: string): unknown =>
  isObjectOrList(value) ? Reflect.get(value, name) : undefined;

/** Patterns that a step of a pre-tokenizer splits by; null where it does something else. */
function patternsOf(step: unknown): string[] | null {
  switch (field(step, 'type')) {
    case 'ByteLevel':
      if (field(step, 'add_prefix_space') === true) return null;
      return field(step, 'use_regex') === false ? [] : [GPT2_WORDS];
    case 'Digits':
      return field(step, 'individual_digits') === true ? [String.raw`\p{N}`] : null;
    case 'Split': {
      const pattern = field(field(step, 'pattern'), 'Regex');
      const plain = field(step, 'behavior') === 'Isolated' && field(step, 'invert') !== true;
      return plain && typeof pattern === 'string' ? [pattern] : null;
    }
    default:
      return null;
  }
}

/**
 * llama.cpp's name (`tokenizer.ggml.pre`) for how a byte-level tokenizer splits texts: a GGUF file can only name a way,
 * `tokenizer.json` says it in patterns.
 * @param json parsed `tokenizer.json`
 * @returns null where llama.cpp has no such way, or none that is known here
 */
export function preTypeOf(json: object): string | null {
  const whole = field(json, 'pre_tokenizer');
  const steps = field(whole, 'type') === 'Sequence' ? field(whole, 'pretokenizers') : [whole];
  if (!Array.isArray(steps)) return null;
  const patterns = steps.map(patternsOf);
  if (patterns.includes(null)) return null;
  const ignoreMerges = field(field(json, 'model'), 'ignore_merges') === true;
  return (
    preTokenizerName(
      patterns.flatMap((some) => some ?? []),
      ignoreMerges,
    ) ?? null
  );
}
