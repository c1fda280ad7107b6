import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { rolloutsOf } from '../helpers.ts';

/** Files that Inspect AI 0.3.285 and verifiers 0.4.0 wrote themselves; fixtures/inspect/README.md says how. */

const file = (name: string): Blob =>
  new Blob([readFileSync(new URL(`../../../fixtures/inspect/logs/${name}`, import.meta.url))]);

/** Who wrote what, with the log-probabilities of what the model wrote. */
const blocks = ({ segments }: ImportedRollout) =>
  segments.map(({ source, role, text, logprobs }) => [source, role, text, logprobs]);

const CALL = '<tool_call>\n{"name":"search","arguments":{"query":"Low Tide author"}}\n</tool_call>';
const FOUND = 'Low Tide is a novel by Ida Holm.';

test.each(['inspect-zstd.eval', 'inspect.json.gz'])(
  '%s: turns, scores, answers and log-probabilities',
  async (name) => {
    const [first, second, ...more] = await rolloutsOf(file(name));
    expect(more).toEqual([]);
    expect(blocks(first!)).toEqual([
      ['prompt', 'question', 'Who wrote Low Tide?', undefined],
      ['policy', 'other', 'tool call for tool search', undefined],
      ['policy', 'search', CALL, undefined],
      ['environment', 'result', FOUND, undefined],
      ['policy', 'other', 'Answer: Ida Holm', [-0.5, -0.25, -0.125]],
    ]);
    expect(blocks(second!).at(-1)).toEqual(['policy', 'other', 'Oslo', [-1.5]]);
    expect([first, second].map((one) => [one!.question.answers, one!.answer])).toEqual([
      [['Ida Holm'], 'Answer: Ida Holm'],
      [['Bergen'], 'Oslo'],
    ]);
    expect(first!.rewards.map(({ clause, value }) => [clause, value])).toEqual([
      ['match', 1],
      ['f1', 0.8],
    ]);
  },
);

test('traces.jsonl: an episode a line, its step and group, ids of what was sampled', async () => {
  const rollouts = await rolloutsOf(file('verifiers-traces.jsonl'));
  expect(rollouts.map(({ step, groupId, reward }) => [step, groupId, reward])).toEqual([
    [7, '7/g1', 1],
    [7, '7/g1', 0],
  ]);
  expect(blocks(rollouts[0]!)).toEqual([
    ['prompt', 'instruction', 'Use your tools.', undefined],
    ['prompt', 'question', 'Who wrote Low Tide?', undefined],
    ['policy', 'search', CALL, [-0.5, -0.25]],
    ['environment', 'result', FOUND, undefined],
    ['policy', 'other', 'Answer: Ida Holm', [-0.5, -0.125, -2]],
  ]);
  expect(rollouts[0]!.segments.at(-1)).toMatchObject({
    ids: [11, 12, 13],
    refLogprobs: [-1, -1, -1],
    advantages: [0.5, 0.5, 0.5],
  });
});
