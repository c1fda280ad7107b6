import { describe, expect, it } from 'vitest';
import { outsideScores } from '../../../src/agent/answers/outside.ts';
import { table } from '../../../src/cli/commands/rollout.ts';
import { factsOfRow, rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { findInRollout } from '../../../src/evaluate/rollouts/reading/full-text.ts';
import { textPattern } from '../../../src/evaluate/rollouts/reading/spans.ts';
import { outcomeOf } from '../../../src/evaluate/rollouts/taxonomy.ts';
import { verdictWords } from '../../../src/evaluate/rollouts/verdict-words.ts';
import { factsOf } from '../../../src/evaluate/systems/plan/row.ts';
import { liveRollout } from '../../../src/lab/train/active-run.ts';
import { QUESTION } from '../helpers.ts';
import { summarizeRollouts } from '../../../src/evaluate/summary.ts';
import { answerText } from '../../../src/records/outside-answer.ts';
import { rewardById } from '../../../src/learn/rewards/registry.ts';
import '../../../src/systems/rewards.ts';
import { readFacts } from '../../../src/learn/rewards/parts/facts.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { runText, serverOf } from '../text/helpers.ts';

/** What a model writes in its turns; then it ends them at once. */
const wrote = (...turns: string[]): Promise<Rollout> =>
  runText({ policy: new TextPolicy(serverOf(turns)) });

describe('an answer in prose, outside the tags', () => {
  it('is shown as what it is, scored apart, and is no answer', async () => {
    const rollout = await wrote('Victor Kerlund wrote it, so the answer is: Borfield.');
    expect(rollout.answer).toBeNull();
    expect(rollout.metrics).toMatchObject({ em: 0, f1: 0, formatValid: false });
    expect(outsideScores(rollout)).toEqual({ em: 1, f1: 1 });
    const shown = 'Answered outside the tags: Victor Kerlund wrote it, so the answer is: Borfield.';
    expect(answerText(rollout)).toBe(shown);
    expect(verdictWords(rollout)).not.toMatch(/no answer/i);
    const row = rowOf(rollout);
    const outside = shown.slice(27);
    expect(row).toMatchObject({ answer: null, outside, outcome: 'outside-tags' });
    expect(outcomeOf(factsOfRow(row))).toBe('outside-tags');
    expect(row.why).toContain('answered outside the tags');
    // Lists keep it too: of training, of an evaluation, of a search.
    expect(liveRollout(rollout, 'held-out')).toMatchObject({ answer: null, outside });
    expect(factsOf(QUESTION, rollout)).toMatchObject({ answer: null, outside });
    expect(findInRollout(rollout, textPattern('so the answer'))).toMatchObject({
      answer: null,
      outside: { before: 'Victor Kerlund wrote it, ', match: 'so the answer' },
    });
    expect(row.numbers).toMatchObject({ em: 0, 'em.outside': 1, 'f1.outside': 1 });
    expect(table(summarizeRollouts([rollout]))).toContain(
      'outside the tags 1: EM 100.0 %, F1 100.0 %; not counted above, never rewarded',
    );
    const clauses = rewardById('em')?.clauses(readFacts(rollout), {}) ?? [];
    expect(clauses.map(({ value }) => value)).toEqual([0]);
  });

  it('is scored whole where no phrase says what of it is the answer', async () => {
    expect(outsideScores(await wrote('Borfield'))).toEqual({ em: 1, f1: 1 });
    const longer = outsideScores(await wrote('He was born in Borfield in 1901'));
    expect(longer?.em).toBe(0);
    expect(longer?.f1).toBeCloseTo(2 / 8);
  });

  it('may stand in an answer block without its box', async () => {
    const rollout = await wrote('<think> so </think><short_answer> Borfield </short_answer>');
    expect(rollout.answer).toBeNull();
    expect(answerText(rollout)).toBe('Answered outside the tags: Borfield');
    expect(outsideScores(rollout)).toEqual({ em: 1, f1: 1 });
  });

  it('is the last that was written there', async () => {
    const rollout = await wrote('Perhaps Mondria', 'No, Borfield');
    expect(answerText(rollout)).toBe('Answered outside the tags: No, Borfield');
  });

  it('is nothing where an answer stands within the tags, or nothing was written', async () => {
    const right = await wrote(
      'Well. <think> so </think><short_answer> \\boxed{ Borfield }</short_answer>',
    );
    expect([answerText(right), outsideScores(right)]).toEqual(['Borfield', null]);
    const silent = await wrote('<think> only a thought </think>');
    expect([answerText(silent), outsideScores(silent)]).toEqual(['no answer', null]);
    expect(rowOf(silent).numbers['em.outside']).toBeNull();
  });
});
