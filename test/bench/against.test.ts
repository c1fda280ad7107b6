import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { promptsOf } from '../../bench/against/prompts.ts';
import { comparisonTable, type EngineResult } from '../../bench/against/table.ts';
import { openCheckpointFolder } from '../../src/cli/shared/checkpoint-folder.ts';
import { loadTokenizer } from '../../src/policy/open/load.ts';

const rates = (prefill: number, one: number, many: number): EngineResult['rates'] => [
  { slots: 1, prefill: { clock: prefill, cpu: 2 * prefill }, decode: { clock: one, cpu: 2 * one } },
  { slots: 16, prefill: { clock: 1, cpu: null }, decode: { clock: many, cpu: null } },
];

const wllama: EngineResult = {
  engine: 'wllama',
  held: '',
  rates: rates(25, 10.28, 10.6),
  step: null,
  agreement: null,
};
const forage: EngineResult = {
  engine: 'Forage, int8',
  held: '',
  rates: rates(50, 30.84, 132.5),
  step: { clock: 26.04, cpu: 52.1 },
  agreement: { equal: 120, tokens: 128 },
};

describe('the table of both engines', () => {
  test('has rates, their multiples of the peer and the tokens that agree', () => {
    expect(comparisonTable(wllama, [forage])).toEqual([
      'tokens/s      prefill, 1 slot  decode, 1 slot  decode, 16 slots  LoRA step  same greedy token',
      'wllama                     25            10.3              10.6',
      'Forage, int8      50 (2.00 ×)   30.8 (3.00 ×)     133 (12.50 ×)         26         120 of 128',
    ]);
  });

  test('has the same of processor time', () => {
    const [head, , ours] = comparisonTable(wllama, [forage], 'cpu');
    expect(head).toContain('tokens per CPU second');
    expect(ours).toMatch(/61\.7 \(3\.00 ×\).* 52\.1 /);
  });
});

describe('prompts', () => {
  test('have as many tokens as asked, and none begins as another', async () => {
    const path = fileURLToPath(new URL('../fixtures/gguf-tokenizer/asks.gguf', import.meta.url));
    const tokenizer = await loadTokenizer((await openCheckpointFolder(path)).files);
    const prompts = promptsOf(tokenizer, 16, 64);
    expect(prompts).toHaveLength(16);
    for (const { text, ids } of prompts) {
      expect(ids).toHaveLength(64);
      expect(tokenizer.encodeText(text)).toEqual(ids);
    }
    expect(new Set(prompts.map(({ ids }) => ids[0])).size).toBe(16);
    expect(() => promptsOf(tokenizer, 64, 64)).toThrow(/gives only \d+ different prompts/);
  });
});
