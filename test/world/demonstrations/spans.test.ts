import { describe, expect, it } from 'vitest';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../../src/world/demonstrations/spans.ts';
import { policyTokenizer as tokenizer } from '../../agent/tokenizer.ts';

const SPECIALS = SPECIAL_TOKENS.length + FURTHER_TOKENS.length;

describe('copy spans', () => {
  it('train only tokens that repeat an earlier span', () => {
    const tokens = ordinaryTokens(tokenizer.vocabSize, SPECIALS);
    expect(tokens.length).toBe(tokenizer.vocabSize - SPECIALS);
    for (let n = 0; n < 20; n++) {
      const { ids, mask } = copySpans(spansRng(1, n), tokens, 256);
      expect(ids.length).toBe(256);
      expect(Math.min(...ids)).toBeGreaterThanOrEqual(SPECIALS);
      ids.forEach((id, i) => {
        if (mask[i] !== 1) return;
        const before = ids.slice(0, i - 1).some((x, j) => x === ids[i - 1] && ids[j + 1] === id);
        expect(before).toBe(true);
      });
      expect(mask.filter((m) => m === 1).length).toBeGreaterThan(60);
    }
    expect(copySpans(spansRng(1, 0), tokens, 64)).toEqual(copySpans(spansRng(1, 0), tokens, 64));
  });
});
