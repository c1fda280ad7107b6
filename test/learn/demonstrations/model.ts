import type { DemonstrationModel } from '../../../src/learn/demonstrations/written-policy.ts';
import type { PolicyTokenizer } from '../../../src/policy/policy.ts';
import { wordTokenizer } from '../../agent/text/tokenizers.ts';

/** A model with these tokens, without weights. */
export const modelWith = (tokenizer: PolicyTokenizer = wordTokenizer): DemonstrationModel => ({
  tokenizer,
  info: { id: 'm', revision: 'r', parameters: 0, maxContext: 4096, device: 'wasm', dtype: '' },
});
