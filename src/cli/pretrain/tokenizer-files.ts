import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HuggingFaceTokenizer } from '../../policy/open/tokenizer.ts';
import { UsageError } from '../shared/options.ts';

const tokenizerConfigSchema = z.looseObject({
  eos_token: z.union([z.string(), z.looseObject({ content: z.string() })]).nullish(),
});

/** The tokenizer of a Hugging Face folder. @throws UsageError where a file is missing */
export function readTokenizer(folder: string): HuggingFaceTokenizer {
  const read = (file: string): unknown => {
    const path = join(folder, file);
    if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
    return JSON.parse(readFileSync(path, 'utf8'));
  };
  const { eos_token: eos } = tokenizerConfigSchema.parse(read('tokenizer_config.json'));
  return new HuggingFaceTokenizer(z.looseObject({}).parse(read('tokenizer.json')), {
    eos_token: eos ?? null,
  });
}
