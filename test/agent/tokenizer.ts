import { readFileSync } from 'node:fs';
import { HuggingFaceTokenizer } from '../../src/policy/open/tokenizer.ts';

function read(name: string): object {
  const url = new URL(`../../public/first-form/policy/${name}`, import.meta.url);
  const json: unknown = JSON.parse(readFileSync(url, 'utf8'));
  if (typeof json !== 'object' || json === null) throw new Error(`${name}: no object`);
  return json;
}

/** The built-in policy's own tokenizer. */
export const tokenizer = new HuggingFaceTokenizer(
  read('tokenizer.json'),
  read('tokenizer_config.json'),
);
