import { expect, it } from 'vitest';
import { askedWith } from '../../../src/agent/settings.ts';
import { loadSampling, samplingNote, samplingOf } from '../../../src/policy/open/load.ts';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';

/** As published with Qwen2.5-0.5B-Instruct, Llama-3.2-1B-Instruct and SmolLM2-135M-Instruct. */
const QWEN = {
  bos_token_id: 151643,
  do_sample: true,
  eos_token_id: [151645, 151643],
  repetition_penalty: 1.1,
  temperature: 0.7,
  top_p: 0.8,
  top_k: 20,
};
const LLAMA = { do_sample: true, temperature: 0.6, top_p: 0.9, eos_token_id: [128001, 128009] };
const SMOL = { _from_model_config: true, bos_token_id: 1, eos_token_id: 2 };

it('reads what the authors of a checkpoint sample with', () => {
  expect(samplingOf(QWEN)).toEqual({ temperature: 0.7, topP: 0.8, topK: 20 });
  expect(samplingOf(LLAMA)).toEqual({ temperature: 0.6, topP: 0.9 });
  expect(samplingOf({ ...LLAMA, do_sample: false })).toEqual({ temperature: 0 });
  expect(samplingOf(SMOL)).toBeNull();
  expect(samplingOf({ temperature: -1, top_p: 'x', top_k: 1.5 })).toBeNull();
  expect(samplingOf([])).toBeNull();
});

it('leaves a checkpoint without the file alone, and names a damaged one', async () => {
  expect(await loadSampling(memoryFiles(new Map()))).toBeNull();
  const damaged = memoryFiles(
    new Map([['generation_config.json', new TextEncoder().encode('{"temperature"')]]),
  );
  await expect(loadSampling(damaged)).rejects.toThrow('generation_config.json');
});

it('is what questions are asked with, except for what the user set', () => {
  const info = { sampling: samplingOf(QWEN)! };
  expect(askedWith(info, {})).toEqual({ sampling: info.sampling });
  expect(askedWith(info, { sampling: { temperature: 0 }, retrieval: { k: 2 } })).toEqual({
    sampling: { temperature: 0, topP: 0.8, topK: 20 },
    retrieval: { k: 2 },
  });
  expect(askedWith({}, { retrieval: { k: 2 } })).toEqual({ retrieval: { k: 2 } });
  expect(samplingNote(info.sampling)).toContain('(temperature 0.7, top-p 0.8, top-k 20)');
});
