import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { writeSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { mergeAdapter } from './merge-adapter.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, readPeft } from '../../../src/policy/lora/peft.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import { Trainer } from '../../../src/pretrain/policy/train.ts';
import { loadLoraFixture } from '../../fixtures/qwen3-lora/load.ts';

const { config, weights } = loadLoraFixture();

const caseSchema = z.object({
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  sixteenths: z.record(
    z.string(),
    z.object({ shape: z.array(z.number()), data: z.array(z.number()) }),
  ),
  logprobs: z.array(z.number()),
});
/** Adapters whose settings choose modules, ranks and scales, and what PEFT computes with each: make.py. */
const { ids, base, cases } = z
  .object({ ids: z.array(z.number()), base: z.array(z.number()), cases: z.array(caseSchema) })
  .parse(
    JSON.parse(
      readFileSync(new URL('../../fixtures/peft-options/cases.json', import.meta.url), 'utf8'),
    ),
  );

const filesOf = ({ config: settings, sixteenths }: (typeof cases)[number]) => [
  { name: ADAPTER_CONFIG, bytes: new TextEncoder().encode(JSON.stringify(settings)) },
  {
    name: ADAPTER_WEIGHTS,
    bytes: writeSafetensors(
      new Map(
        Object.entries(sixteenths).map(([name, { shape, data }]) => [
          name,
          { shape, data: Float32Array.from(data, (value) => value / 16) },
        ]),
      ),
    ),
  },
];

const largest = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));

test.each(cases)('$name: the log-probabilities are those of PEFT', async (one) => {
  const { spec, flat } = readPeft(config, filesOf(one));
  const trainer = await Trainer.create(config, { maxTokens: 128, maxLength: 64 });
  trainer.setWeights(mergeAdapter(weights, spec, flat).flat);
  const { nll } = await trainer.evaluate(packBatch([{ ids, weights: ids.map(() => 1) }]));
  const logprobs = Array.from(nll, (value) => -value);
  expect(logprobs).toHaveLength(one.logprobs.length);
  expect(largest(logprobs, one.logprobs)).toBeLessThan(2e-4);
  expect(largest(base, one.logprobs)).toBeGreaterThan(0.1);
});
