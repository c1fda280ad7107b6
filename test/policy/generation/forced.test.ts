import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { logSoftmaxAt } from '../../../src/policy/generation/engine.ts';
import { loadPolicy } from '../../../src/policy/open/load.ts';
import type { Policy, Sampling } from '../../../src/policy/policy.ts';

/** Tokens that are written in the place of drawn ones, and how likely they were. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const sampling: Sampling = { temperature: 1, topK: 0, topP: 1 };
const prompt = Array.from({ length: 20 }, (_, i) => 30 + i);

let policy: Policy;
beforeAll(async () => {
  policy = await loadPolicy({
    files: (name) => readFile(new URL(name, fixture)),
    id: 'tiny',
    device: 'wasm',
  });
});
afterAll(() => policy.dispose());

async function opened(seed: number) {
  const session = await policy.open(seed);
  session.append(prompt);
  return session;
}

test('what was drawn freely is as likely when it is forced, whatever is drawn beside it', async () => {
  const free = await opened(1);
  const drawn = await free.generate({ maxTokens: 6, stopIds: [], sampling });
  const [forced, beside] = await Promise.all([opened(2), opened(1)]);
  const [told, again] = await Promise.all([
    forced.generate({ maxTokens: 6, forced: drawn.ids, stopIds: [], sampling }),
    beside.generate({ maxTokens: 6, stopIds: [], sampling }),
  ]);
  expect(told.ids).toEqual(drawn.ids);
  expect(told.logprobs).toEqual(drawn.logprobs.map((value) => expect.closeTo(value, 5) as number));
  expect(again).toEqual(drawn);
  // They are the context's: what follows is what follows the drawn ones.
  const greedy = { maxTokens: 4, stopIds: [], sampling: { ...sampling, temperature: 0 } };
  expect((await forced.generate(greedy)).ids).toEqual((await free.generate(greedy)).ids);
  for (const session of [free, forced, beside]) session.close();
});

test('of one place the probabilities of all tokens add up to 1', async () => {
  const { vocabSize } = policy.tokenizer;
  const start = await opened(3);
  await start.generate({ maxTokens: 0, stopIds: [], sampling });
  let sum = 0;
  for (let id = 0; id < vocabSize; id++) {
    const fork = await start.fork(id);
    const { logprobs } = await fork.generate({ maxTokens: 1, forced: [id], stopIds: [], sampling });
    sum += Math.exp(logprobs[0] ?? Number.NaN);
    fork.close();
  }
  start.close();
  expect(sum).toBeCloseTo(1, 4);
});

test('ln softmax of logits 0, ln 2, ln 5 is of 1/8, 2/8 and 5/8, also where all are large', () => {
  for (const shift of [0, 500]) {
    const logits = Float32Array.of(shift, shift + Math.log(2), shift + Math.log(5));
    const shares = [0, 1, 2].map((id) => Math.exp(logSoftmaxAt(logits, id)));
    expect(shares).toEqual([0.125, 0.25, 0.625].map((share) => expect.closeTo(share, 4) as number));
  }
});
