import { describe, expect, test } from 'vitest';
import { createJudge, type JudgeOptions } from '../../../src/evaluate/judge/judge.ts';
import { askAgain, judgeMessages } from '../../../src/evaluate/judge/prompt.ts';
import { judgeAnswers, type JudgeRun } from '../../../src/evaluate/judge/run.ts';
import { readVerdict } from '../../../src/evaluate/judge/judge.ts';
import type { ChatMessage, CompletionOptions } from '../../../src/policy/text-model.ts';

/** A judge whose model gives these replies one after another, and what the model was asked. */
function judgeSaying(replies: readonly string[], options?: JudgeOptions) {
  const asked: { messages: readonly ChatMessage[]; options: CompletionOptions }[] = [];
  const judge = createJudge(
    {
      id: 'model',
      complete: (messages, given) => {
        asked.push({ messages, options: given });
        return Promise.resolve(replies[asked.length - 1] ?? 'no reply left');
      },
    },
    options,
  );
  return { judge, asked };
}

const answer = { question: 'Who?', golds: ['Ida Holm', 'I. Holm'], prediction: 'Ida' };

describe('what a model is asked', () => {
  test('instructions, then question, every reference and the prediction', () => {
    const [system, user] = judgeMessages(answer);
    expect(system?.role).toBe('system');
    expect(user).toEqual({
      role: 'user',
      content: [
        'Question: Who?',
        'Reference answer: Ida Holm',
        'Reference answer: I. Holm',
        'Predicted answer: Ida',
        'Is the predicted answer True or False?',
      ].join('\n'),
    });
  });

  test('a prediction, and a reply that is quoted, are cut at 2,000 characters', () => {
    const long = `${'x'.repeat(1999)}yz`;
    expect(judgeMessages({ ...answer, prediction: long })[1]?.content).toContain('xy\nIs the');
    const [quoted, again] = askAgain(long);
    expect(quoted).toEqual({ role: 'assistant', content: long.slice(0, 2000) });
    expect(again?.role).toBe('user');
    expect(again?.content).toContain('one word, True or False');
  });

  test('greedily, with room for 512 tokens; once again where the reply cannot be read', async () => {
    const { judge, asked } = judgeSaying(['Perhaps.', 'False']);
    expect(await judge.judge(answer)).toEqual({
      verdict: 'wrong',
      by: 'lj/1:model',
      said: 'False',
      cached: false,
    });
    expect(asked.map(({ options }) => options)).toEqual([
      { maxTokens: 512, temperature: 0 },
      { maxTokens: 512, temperature: 0 },
    ]);
    expect(asked.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'user'],
    ]);
    expect(asked[1]?.messages[2]?.content).toBe('Perhaps.');
  });

  test('at most two replies are requested, and an unreadable one is requested again', async () => {
    const { judge, asked } = judgeSaying(['Perhaps.', 'Perhaps.', 'True']);
    expect(await judge.judge(answer)).toMatchObject({ verdict: 'unreadable', said: 'Perhaps.' });
    expect(asked).toHaveLength(2);
    expect(await judge.judge(answer)).toMatchObject({ verdict: 'right', cached: false });
    expect(await judge.judge(answer)).toMatchObject({ verdict: 'right', cached: true });
    expect(asked).toHaveLength(3);
  });

  test('settings are passed on', async () => {
    const { judge, asked } = judgeSaying([], { attempts: 3, maxTokens: 9 });
    await judge.judge(answer);
    expect(asked.map(({ options }) => options.maxTokens)).toEqual([9, 9, 9]);
  });

  test.each([
    ['question', { ...answer, question: 'What?' }],
    ['gold answers', { ...answer, golds: ['Ida Holm'] }],
    ['prediction', { ...answer, prediction: 'Al' }],
  ])('another %s is another verdict', async (_, other) => {
    const { judge, asked } = judgeSaying(['True', 'False']);
    await judge.judge(answer);
    expect((await judge.judge(other)).cached).toBe(false);
    expect(asked).toHaveLength(2);
  });

  test('no answer is wrong by rule; without gold there is nothing to ask', async () => {
    const { judge, asked } = judgeSaying([]);
    for (const prediction of [null, '', ' \n'])
      expect(await judge.judge({ ...answer, prediction })).toEqual({
        verdict: 'wrong',
        by: 'rule',
        said: '',
        cached: false,
      });
    await expect(judge.judge({ ...answer, golds: [] })).rejects.toThrow(RangeError);
    await expect(judge.judge(answer, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    expect(asked).toEqual([]);
  });
});

test.each([
  ['<THINK>true</THINK> False', 'wrong'],
  ['<think>False', 'unreadable'],
  ['Reason.\nTRUE!', 'right'],
  ['True\nmiddle\nmore', 'right'],
  ['one\nTrue\nthree', 'unreadable'],
  ['False\n\n', 'wrong'],
  ['The grade is True', 'right'],
  ['Result: "false"', 'wrong'],
  ['judgment - true', 'right'],
  ['Judgement: FALSE', 'wrong'],
  ['verdict: truest', 'unreadable'],
  ['preverdict: true', 'unreadable'],
  ['truefalse', 'unreadable'],
])('the reply %j is %s', (said, verdict) => expect(readVerdict(said)).toBe(verdict));

describe('many answers', () => {
  const item = (id: string, part = {}) => ({ id, ...answer, ...part });
  const failing = (pattern: string) => {
    let calls = 0;
    return {
      id: 'x',
      judge: () => {
        if (pattern[calls++] === 'f') return Promise.reject(new Error('gone'));
        return Promise.resolve({ verdict: 'right' as const, by: 'x', said: 'True', cached: false });
      },
    };
  };
  const items = (count: number) => Array.from({ length: count }, (_, i) => item(`${i}`));

  test.each([
    ['fffff.', 'gave-up', 5],
    ['ffff.f', 'complete', 6],
    ['ffff.ffff.', 'complete', 10],
    ['.fffff.', 'gave-up', 6],
  ])('%s, one at a time: %s after %i', async (pattern, ended, done) => {
    const run = await judgeAnswers(failing(pattern), items(pattern.length), { concurrency: 1 });
    expect([run.ended, run.progress.done]).toEqual([ended, done]);
    expect(run.outcomes).toHaveLength(done);
  });

  test('what is skipped is no success between failures, and is counted by itself', async () => {
    const list = [
      item('a'),
      item('no gold', { golds: [] }),
      item('unread', { notScored: 'prose' }),
      item('b'),
      item('c'),
    ];
    const steps: JudgeRun['progress'][] = [];
    const run = await judgeAnswers(failing('ff'), list, {
      concurrency: 1,
      maxFailures: 2,
      onOutcome: (_, progress) => void steps.push(progress),
    });
    expect(run.ended).toBe('gave-up');
    expect(run.outcomes).toEqual([
      { id: 'a', status: 'failed', message: 'gone' },
      { id: 'no gold', status: 'skipped', why: 'no-gold' },
      { id: 'unread', status: 'skipped', why: 'not-scored' },
      { id: 'b', status: 'failed', message: 'gone' },
    ]);
    expect(steps.map(({ done, failed, skipped }) => [done, failed, skipped])).toEqual([
      [1, 1, 0],
      [2, 1, 1],
      [3, 1, 2],
      [4, 2, 2],
    ]);
    expect(run.progress).toEqual({
      done: 4,
      total: 5,
      right: 0,
      wrong: 0,
      unreadable: 0,
      failed: 2,
      skipped: 2,
    });
  });

  test('four in parallel by default, at least one, in the order of the items', async () => {
    for (const [concurrency, most] of [
      [undefined, 4],
      [2, 2],
      [0, 1],
    ] as const) {
      let running = 0;
      let peak = 0;
      const judge = {
        id: 'x',
        judge: async () => {
          peak = Math.max(peak, ++running);
          await new Promise((resolve) => setTimeout(resolve, 1));
          running--;
          return { verdict: 'wrong' as const, by: 'x', said: '', cached: false };
        },
      };
      const run = await judgeAnswers(
        judge,
        items(9),
        concurrency === undefined ? {} : { concurrency },
      );
      expect(peak).toBe(most);
      expect(run.outcomes.map(({ id }) => id)).toEqual(items(9).map(({ id }) => id));
      expect(run).toMatchObject({ ended: 'complete', progress: { wrong: 9, done: 9 } });
    }
  });
});
