import { isObjectOrList } from '../../../base/objects.ts';

/**
 * llama.cpp splits texts by rules that it has under names (`tokenizer.ggml.pre`); a file can only name one. The name is
 * found by the pre-tokenizer of `tokenizer.json`, which says the same as patterns.
 */

const CONTRACTIONS = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)`;
/** As Qwen 2 and Llama 3 split, but for how many digits stay together. */
const words = (digits: string): string =>
  String.raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?\p{L}+|${digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const first = String.raw`[^\r\n\p{L}\p{N}]?`;
const after = String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Name by the steps of the pre-tokenizer, as `stepsOf` writes them. */
const PRE_TYPES: ReadonlyMap<string, string> = new Map([
  ['bytes', 'gpt-2'],
  ['digits, bytes', 'smollm'],
  [words(String.raw`\p{N}`), 'qwen2'],
  [words(String.raw`\p{N}{1,3}`), 'llama-bpe'],
  [String.raw`${first}${upper}*${lower}+|${first}${upper}+${lower}*|\p{N}|${after}`, 'tekken'],
  [
    String.raw`${first}${upper}*${lower}+${CONTRACTIONS}?|${first}${upper}+${lower}*${CONTRACTIONS}?|\p{N}{1,3}|${after}`,
    'gpt-4o',
  ],
]);

const field = (value: unknown, name: string): unknown =>
  isObjectOrList(value) ? Reflect.get(value, name) : undefined;

/** One step: `bytes` for GPT-2's pattern, `digits` for single digits, else the pattern that is split by. */
function stepOf(step: unknown): string | null {
  switch (field(step, 'type')) {
    case 'ByteLevel':
      if (field(step, 'add_prefix_space') === true) return null;
      return field(step, 'use_regex') === false ? '' : 'bytes';
    case 'Digits':
      return field(step, 'individual_digits') === true ? 'digits' : null;
    case 'Split': {
      const pattern = field(field(step, 'pattern'), 'Regex');
      const plain = field(step, 'behavior') === 'Isolated' && field(step, 'invert') !== true;
      return plain && typeof pattern === 'string' ? pattern : null;
    }
    default:
      return null;
  }
}

/**
 * llama.cpp's name for how a byte-level tokenizer splits texts.
 * @param preTokenizer that of `tokenizer.json`
 * @returns null where llama.cpp has no such rule, or none that is known here
 */
export function preTypeOf(preTokenizer: unknown): string | null {
  const steps =
    field(preTokenizer, 'type') === 'Sequence'
      ? field(preTokenizer, 'pretokenizers')
      : [preTokenizer];
  if (!Array.isArray(steps)) return null;
  const written = steps.map(stepOf);
  if (written.includes(null)) return null;
  return PRE_TYPES.get(written.filter((step) => step !== '').join(', ')) ?? null;
}
