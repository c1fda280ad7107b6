import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initWeights, writeWeights } from '../../../src/policy/checkpoint/weights.ts';
import { TOKENIZER_CONFIG, TOKENIZER_FILE } from '../../agent/tokenizer.ts';
import { config, CONFIG_FILE } from './returned.ts';

/** Fresh weights of the shape that TRL's adapter is for. */
export const madeWeights = () => initWeights(config, 5);

/** A checkpoint folder with them. @returns the beginning of the SHA-256 of its weights */
export function makePolicy(folder: string): string {
  const bytes = writeWeights(madeWeights(), 'F16');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.safetensors'), bytes);
  writeFileSync(join(folder, 'config.json'), readFileSync(CONFIG_FILE));
  copyFileSync(TOKENIZER_FILE, join(folder, 'tokenizer.json'));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(TOKENIZER_CONFIG));
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}
