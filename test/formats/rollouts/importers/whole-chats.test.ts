import { describe, expect, test } from 'vitest';
import { importOne } from '../helpers.ts';
import { blocks, told } from './told.ts';

/** A response that repeats its prompt: the example in it is not an answer. */

const ASKED = 'Which town lies on the Tarn?';
const RULES = 'Answer in <answer> and </answer>. For example, <answer> Beijing </answer>.';
const PROMPT = `<|im_start|>system\n${RULES}<|im_end|>\n<|im_start|>user\n${ASKED}<|im_end|>\n<|im_start|>assistant\n`;
const SAID = '<search>Tarn</search><information>Albi.</information>I do not know.';

const verl = (input: string, output: string) => ({ input, output, gts: 'Albi', score: 0 });

describe('a response that repeats its prompt', () => {
  test('begins after it, as one text', async () => {
    const rollout = await importOne(verl(PROMPT, PROMPT + SAID));
    expect(rollout.answer).toBeNull();
    expect(rollout.notScored).toBeUndefined();
    expect(rollout.segments.map(({ source }) => source)).toEqual([
      'prompt',
      'prompt',
      'policy',
      'environment',
      'policy',
    ]);
    // The texts of the record are all there, in order.
    const response = rollout.segments.slice(rollout.origin!.responseAt);
    expect(response.map(({ text }) => text).join('')).toBe(PROMPT + SAID);
  });

  test.each([
    ['ChatML', PROMPT],
    ['ChatML without its special tokens', `system\n${RULES}\nuser\n${ASKED}\nassistant\n`],
    [
      'Llama 3',
      `<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n${RULES}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n${ASKED}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n`,
    ],
    [
      'Gemma',
      `<bos><start_of_turn>user\n${RULES}\nQuestion: ${ASKED}<end_of_turn>\n<start_of_turn>model\n`,
    ],
    ['Mistral', `<s>[INST] ${RULES}\nQuestion: ${ASKED} [/INST]`],
    ['DeepSeek', `<｜begin▁of▁sentence｜>${RULES}<｜User｜>${ASKED}<｜Assistant｜>`],
    ['GLM', `<|system|>\n${RULES}<|user|>\n${ASKED}<|assistant|>\n`],
  ])('with only the question next to it: %s', async (_, prompt) => {
    expect(await told(verl(ASKED, prompt + SAID))).toMatchObject({ asked: ASKED, answer: null });
    const right = `${prompt}<answer>Albi</answer>`;
    expect(await told(verl(ASKED, right))).toMatchObject({ answer: 'Albi' });
    // The question is found where nothing is beside it, too.
    expect(await told({ text: right, gold: 'Albi' })).toMatchObject({
      asked: ASKED,
      golds: ['Albi'],
      answer: 'Albi',
    });
    // And in a prompt of its own.
    expect((await told(verl(prompt, '<answer>Albi</answer>'))).asked).toBe(ASKED);
  });

  test('with examples as turns: everything before the last question is prompt', async () => {
    const shot = `<|im_start|>user\nWhich town lies on the Seine?<|im_end|>\n<|im_start|>assistant\n<answer>Paris</answer><|im_end|>\n`;
    const record = { text: `${shot}${PROMPT}No idea.`, gold: 'Albi' };
    expect(await told(record)).toMatchObject({ asked: ASKED, answer: null });
    expect(await blocks(record)).toEqual([
      `instruction/prompt: ${shot}${PROMPT}`,
      'other/policy: No idea.',
    ]);
  });

  test('with results in turns of the user’s, which ask nothing', async () => {
    const call = '<tool_call>\n{"name":"search","arguments":{"query":"Tarn"}}\n</tool_call>';
    const result = '<tool_response>\nAlbi.\n</tool_response>';
    const output = `${PROMPT}${call}<|im_end|>\n<|im_start|>user\n${result}<|im_end|>\n<|im_start|>assistant\n<answer>Albi</answer>`;
    const rollout = await importOne({ text: output, gold: 'Albi' });
    expect(rollout.question.text).toBe(ASKED);
    expect(rollout.segments.map(({ source, role }) => `${role}/${source}`)).toEqual([
      'instruction/prompt',
      'search/policy',
      'result/environment',
      'answer/policy',
    ]);
    const bare = output.replace(result, 'Albi lies on it.').replaceAll('tool_call', 'search');
    expect((await importOne({ text: bare, gold: 'Albi' })).question.text).toBe(ASKED);
  });

  test('with a column per token: the prompt’s tokens stay the prompt’s', async () => {
    const tokens = [
      'user\nWhich town lies on it?\n',
      'assistant\n',
      '<answer>',
      'Albi',
      '</answer>',
    ];
    const rollout = await importOne({
      ...verl('Which town lies on it?', tokens.join('')),
      response_tokens: tokens,
      response_mask: [0, 0, 1, 1, 1],
    });
    expect(rollout.segments.map(({ source, lossMask }) => [source, lossMask])).toEqual([
      ['prompt', undefined],
      ['prompt', [0, 0]],
      ['policy', [1, 1, 1]],
    ]);
    expect(rollout.answer).toBe('Albi');
  });

  test('is distinguished from one that only mentions turns', async () => {
    expect(await blocks(verl(ASKED, 'assistant\n<answer>Albi</answer>'))).toEqual([
      `instruction/prompt: ${ASKED}`,
      'other/policy: assistant\n',
      'answer/policy: <answer>Albi</answer>',
    ]);
    // A short prompt begins a response by chance.
    expect(await told(verl('Albi', 'Albi: <answer>Albi</answer>'))).toMatchObject({
      answer: 'Albi',
    });
    expect((await blocks(verl('Albi', 'Albi is it.')))[1]).toBe('other/policy: Albi is it.');
  });
});
