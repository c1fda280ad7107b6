import { expect, test } from 'vitest';
import { roundsOf } from '../../../src/formats/rollouts/rounds.ts';
import { lintRollout } from '../../../src/evaluate/rollouts/lint/index.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { importOne } from './helpers.ts';

/** Texts on which an unbounded regular expression would run for hours; these take seconds of
 * processor time at most. */
const [LONG, SECONDS] = ALL_TESTS ? [100_000, 10] : [40_000, 4];
const PAYLOADS: Record<string, string> = {
  spaces: ' '.repeat(LONG),
  newlines: '\n'.repeat(LONG),
  quotes: '"'.repeat(LONG),
  'backslashes and braces': '\\boxed{'.repeat(LONG / 8),
  'opening tags': '<search><information><answer>'.repeat(LONG / 30),
  'closing tags': '</information></answer>'.repeat(LONG / 24),
  backslashes: '\\'.repeat(LONG),
  digits: '1.'.repeat(LONG / 2),
  'actions and observations': 'Action 1: Search[\nObservation 1: ]\n'.repeat(LONG / 35),
  'calls and turns': '<tool_call>\nuser\n<tool_response>\nassistant\n'.repeat(LONG / 45),
  thoughts: '<think><search></think></search>'.repeat(LONG / 32),
  'thoughts that never close': '<think><think>a'.repeat(LONG / 15),
  'marks of Harmony': '<|start|>assistant<|channel|>final<|message|>a <|end|> '.repeat(LONG / 55),
  'marks of DeepSeek': '<｜tool▁call▁begin｜>a<｜tool▁sep｜><｜tool▁outputs▁begin｜>'.repeat(
    LONG / 55,
  ),
  'functions and parameters': '<function=a><parameter=b>'.repeat(LONG / 25),
  'turns of a chat': '<|im_start|>user\nassistant\n'.repeat(LONG / 27),
  'answers announced': 'The answer is: #### '.repeat(LONG / 20),
};

test.each(Object.entries(PAYLOADS))(
  '%s',
  async (_, payload) => {
    const start = process.cpuUsage();
    const texts = [
      `<search>q</search><information>(1)Title:${payload}</information><answer>${payload}</answer>`,
      `<search>${payload}</search><information>Doc 1(Title: ${payload}</information><answer>1</answer>`,
      `<think>1${payload}`,
      `Thought: ${payload}\nAction: Search[${payload}]\nObservation: ${payload}\nFinal Answer: ${payload}`,
      `<tool_call>{"name":"${payload}"</tool_call>${payload}<tool_response>{"${payload}</tool_response>`,
      `<|im_start|>user\n${payload}\n<|im_start|>assistant\n${payload}`,
      `<|channel|>final<|message|>${payload}<answer>`,
      `<tool_call>\n<function=${payload}</tool_call>`,
      `<｜tool▁call▁begin｜>search<｜tool▁sep｜>${payload}<｜tool▁call▁end｜>`,
      `#### ${payload}\nThe answer is ${payload}`,
      `<search>q</search><information>{"a":"${payload}x</information><answer>1</answer>`,
    ];
    for (const output of texts) {
      const rollout = await importOne({
        input: `Question:${payload}x`,
        output,
        gts: ['1', payload],
        note: NaN,
      });
      expect(rollout.segments.length).toBeGreaterThan(0);
      roundsOf(rollout);
      readFactsOf(rollout);
      lintRollout(rollout);
    }
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(SECONDS);
  },
  240_000,
);

test('stretches that the environment wrote, as many as blocks', async () => {
  const start = process.cpuUsage();
  const rollout = await importOne({
    input: 'Question: x',
    output: '<search>q</search>'.repeat(20_000),
    gts: ['1'],
    environment_wrote: Array.from({ length: 60_000 }, (_, i) => ({ start: i, end: i + 1 })),
  });
  expect(rollout.segments).toHaveLength(1 + 20_000);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1e6).toBeLessThan(2.5);
}, 60_000);
