import { expect, test } from 'vitest';
import { createJudge, judgementKey, type Judgement } from '../../../src/evaluate/judge/judge.ts';
import { heldOutJudge } from '../../../src/evaluate/judge/held-out.ts';
import { judgeReport, whyNotJudged } from '../../../src/evaluate/judge/report.ts';
import {
  judgeAnswers,
  type JudgeItem,
  type JudgeOutcome,
} from '../../../src/evaluate/judge/run.ts';
import { knownJudgements, storedJudgement } from '../../../src/evaluate/judge/stored.ts';
import type { TextModel } from '../../../src/policy/text-model.ts';
import type { Rollout } from '../../../src/records/rollout.ts';

/** Says `reply` of the prediction; tells tokens where it is given some. */
const model = (
  reply: (prediction: string) => string | Promise<string>,
  tokens: { prompt: number; completion: number } | null = { prompt: 100, completion: 2 },
): TextModel => ({
  id: 'm',
  complete: async (messages, { onUse }) => {
    if (tokens) onUse?.(tokens);
    return reply(/Predicted answer: (.*)/.exec(messages[1]?.content ?? '')?.[1] ?? '');
  },
});

const item = (id: string, prediction: string): JudgeItem => ({
  id,
  question: `${id}?`,
  golds: ['gold'],
  prediction,
});

const outcome = (id: string, verdict: Judgement['verdict'], said = ''): JudgeOutcome => ({
  id,
  status: 'judged',
  judgement: { verdict, by: 'lj/1:m', said, cached: false },
});

test('the table of verdicts and EM, with κ by hand', () => {
  // Both right 4, both wrong 3, judge alone 2, EM alone 1: p_o 0.7, p_e 0.6·0.5 + 0.4·0.5 = 0.5, κ 0.4.
  const list: [string, boolean][] = [
    ...Array.from({ length: 4 }, (): [string, boolean] => ['gold', true]),
    ...Array.from({ length: 3 }, (): [string, boolean] => ['lead', false]),
    ...Array.from({ length: 2 }, (): [string, boolean] => ['lead', true]),
    ['gold', false],
  ];
  const items = list.map(([prediction], i) => item(`q${i}`, prediction));
  const outcomes = list.map(([, right], i) => outcome(`q${i}`, right ? 'right' : 'wrong'));
  const report = judgeReport('lj/1:m', items, { outcomes, ended: 'complete' });
  expect(report.agreement).toMatchObject({
    n: 10,
    bothRight: 4,
    bothWrong: 3,
    judgeOnly: 2,
    emOnly: 1,
  });
  expect(report.agreement.agreement).toBeCloseTo(0.7);
  expect(report.agreement.kappa).toBeCloseTo(0.4);
  expect(report).toMatchObject({ judged: 10, right: 0.6, notJudged: [], promptVersion: 1 });
});

test('an answer without a verdict is in no share, and says why', () => {
  const items = ['a', 'b', 'c', 'd', 'e'].map((id) => item(id, 'gold'));
  const outcomes: JudgeOutcome[] = [
    outcome('a', 'right'),
    outcome('b', 'unreadable', 'Hm.'),
    { id: 'c', status: 'failed', message: 'it was silent for 3 s' },
    { id: 'd', status: 'skipped', why: 'no-gold' },
  ];
  const report = judgeReport('lj/1:m', items, { outcomes, ended: 'cancelled' });
  expect([report.answers, report.judged, report.right]).toEqual([5, 1, 1]);
  expect(report.notJudged.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
    'b: the reply is not just True or False: “Hm.”',
    'c: it was silent for 3 s',
    'd: there is no gold answer to judge by',
    'e: it was not judged yet',
  ]);
});

test('what it cost: tokens, seconds, and dollars only where price and tokens are known', async () => {
  let now = 0;
  const clock = () => (now += 500);
  const items = [item('a', 'x'), item('b', 'y')];
  const price = { prompt: 2, completion: 10 };
  const told = createJudge(
    model(() => 'True'),
    { clock },
  );
  const run = await judgeAnswers(told, items, { concurrency: 1 });
  // Two calls of half a second; 200 tokens at $2 and 4 at $10 a million.
  expect(judgeReport(told.id, items, run, price).cost).toEqual({
    calls: 2,
    uncounted: 0,
    promptTokens: 200,
    completionTokens: 4,
    seconds: 1,
    dollars: 0.00044,
  });
  expect(judgeReport(told.id, items, run).cost.dollars).toBeNull();
  const silent = createJudge(
    model(() => 'True', null),
    { clock },
  );
  const other = await judgeAnswers(silent, items, { concurrency: 1 });
  expect(judgeReport(silent.id, items, other, price).cost).toMatchObject({
    calls: 2,
    uncounted: 2,
    dollars: null,
  });
});

test('a judge that is silent is given up on in time, answer by answer', async () => {
  const slow = createJudge(
    model((prediction) => (prediction === 'slow' ? new Promise<string>(() => undefined) : 'True')),
  );
  // The model does not listen to the signal; the judge's own wait does.
  const listening = {
    ...slow,
    judge: (answer: Parameters<typeof slow.judge>[0], signal?: AbortSignal) =>
      Promise.race([
        slow.judge(answer, signal),
        new Promise<never>((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
      ]),
  };
  const items = [item('a', 'slow'), item('b', 'fast')];
  const run = await judgeAnswers(listening, items, { concurrency: 1, timeoutMs: 30 });
  expect(run.ended).toBe('complete');
  expect(run.outcomes.map(whyNotJudged)).toEqual(['the judge gave no verdict within 0.03 s', null]);
});

test('stored judgements are known again, and a torn line, a failure and another judge’s are not', async () => {
  const answer = item('a', 'gold');
  const key = await judgementKey('lj/1:m', answer);
  const at = '2026-01-01T00:00:00Z';
  const good = storedJudgement(key, 'lj/1:m', outcome('a', 'right', 'True'), null, at);
  const failed = storedJudgement(
    'k2',
    'lj/1:m',
    { id: 'b', status: 'failed', message: 'no' },
    'no',
    at,
  );
  expect(good).toMatchObject({
    format: 'forage.judgement/1',
    judge: 'lj/1:m',
    promptVersion: 1,
    rollout: 'a',
  });
  expect(failed).toMatchObject({ verdict: null, reason: 'no' });
  const { known, damaged } = knownJudgements(
    `${JSON.stringify(good)}\n${JSON.stringify(failed)}\n{"form\n`,
  );
  expect([known.size, damaged]).toEqual([1, 1]);
  let asked = 0;
  const counting = model(() => {
    asked += 1;
    return 'False';
  });
  expect(await createJudge(counting, { known }).judge(answer)).toMatchObject({
    verdict: 'right',
    cached: true,
  });
  expect(asked).toBe(0);
  await createJudge({ ...counting, id: 'other' }, { known }).judge(answer);
  expect(asked).toBe(1);
});

test('held-out answers are judged beside EM; what fails is said and does not end the run', async () => {
  const said: string[] = [];
  const judge = createJudge(
    model((prediction) => {
      if (prediction === 'refused') throw new Error('content refused');
      return prediction === 'gold' ? 'True' : 'False';
    }),
    { clock: () => 0 },
  );
  const rollouts = ['gold', 'lead', 'refused'].map((answer, i) => ({
    id: `r${i}`,
    question: { id: `q${i}`, text: 'q?', answers: ['gold'], supporting: [] },
    answer,
  })) as unknown as Rollout[];
  const score = await heldOutJudge(judge, { concurrency: 1 }, (line) => said.push(line))(rollouts, {
    step: 2,
  });
  expect(score).toEqual({
    by: 'lj/1:m',
    judged: 2,
    right: 0.5,
    notJudged: 1,
    agreement: 1,
    kappa: 1,
    tokens: 204,
    seconds: 0,
  });
  expect(said).toEqual([
    'The judge gave no verdict on 1 of 3 held-out answers of step 2; the first: content refused',
  ]);
});
