import { readFileSync } from 'node:fs';
import { HuggingFaceTokenizer } from '../../src/policy/open/tokenizer.ts';

/** Vocabulary of the built-in encoder: it has the tags of the protocol, and no tag for a form line. */
export const TOKENIZER_FILE = new URL('../../public/encoder/tokenizer.json', import.meta.url);

export const TOKENIZER_CONFIG = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  eos_token: '<|endoftext|>',
  pad_token: '<|pad|>',
  bos_token: null,
  unk_token: null,
  clean_up_tokenization_spaces: false,
  model_max_length: 1024,
};

function read(file: URL): object {
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof json !== 'object' || json === null) throw new Error(`${file}: no object`);
  return json;
}

/** Of scripted policies, which write without a form line. */
export const tokenizer = new HuggingFaceTokenizer(read(TOKENIZER_FILE), TOKENIZER_CONFIG);

/** The built-in policy's own tokenizer. */
export const policyTokenizer = new HuggingFaceTokenizer(
  read(new URL('../../public/policy/tokenizer.json', import.meta.url)),
  TOKENIZER_CONFIG,
);
