import { describe, expect, it } from 'vitest';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import type { ChatMessage, TextModel } from '../../../src/policy/text-model.ts';
import { agreementOf, judgeAgreement, withVerdict } from '../../../src/evaluate/judge/agreement.ts';
import { createJudge } from '../../../src/evaluate/judge/judge.ts';
import { judgeAnswers, type JudgeItem } from '../../../src/evaluate/judge/run.ts';
import { readVerdict } from '../../../src/evaluate/judge/judge.ts';
import { DisagreementQueue } from '../../../src/evaluate/rollouts/rescore/disagreement.ts';
import { rowOf } from '../../../src/evaluate/rollouts/row.ts';

type Reply = (messages: readonly ChatMessage[], signal?: AbortSignal) => string | Promise<string>;

function scripted(reply: Reply) {
  const asked: (readonly ChatMessage[])[] = [];
  const model: TextModel = {
    id: 'scripted',
    complete: async (messages, { signal }) => {
      asked.push(messages);
      await Promise.resolve();
      return reply(messages, signal);
    },
  };
  return { asked, model };
}

/** Says True where the prediction holds the gold answer's first word. */
const lenient: Reply = (messages) => {
  const text = messages[1]?.content ?? '';
  const gold = /Reference answer: (\w+)/u.exec(text)?.[1] ?? '?';
  return (/Predicted answer: (.*)/u.exec(text)?.[1] ?? '').includes(gold) ? 'True' : 'False';
};

const item = (id: string, gold: string, prediction: string | null): JudgeItem => ({
  id,
  question: `Question ${id}?`,
  golds: [gold],
  prediction,
});

describe('a verdict', () => {
  it.each([
    ['True', 'right'],
    ['false.', 'wrong'],
    ['**True**', 'right'],
    ['True\nBecause both name the city.', 'right'],
    ['The prediction names the same city.\n\nFalse', 'wrong'],
    ['Verdict: True', 'right'],
    ['My answer is **False**, since …', 'wrong'],
    ['<think>It may be false.</think>\nTrue', 'right'],
    ['', 'unreadable'],
    ['Yes', 'unreadable'],
    ['not true', 'unreadable'],
    ['True or False', 'unreadable'],
    ['True\nFalse', 'unreadable'],
    ['Verdict: True. Answer: False', 'unreadable'],
    ['It is true that the city is large.', 'unreadable'],
    ['<think>True', 'unreadable'],
  ])('%j is %s', (said, verdict) => {
    expect(readVerdict(said)).toBe(verdict);
  });
});

describe('a judge', () => {
  const answer = {
    question: 'Where?',
    golds: ['Paris', 'City of Light'],
    prediction: 'paris, France',
  };

  it('sees question, gold answers and prediction, and answers greedily', async () => {
    const { asked, model } = scripted(() => 'True');
    const judgement = await createJudge(model).judge(answer);
    expect(judgement).toMatchObject({ verdict: 'right', by: 'lj/1:scripted', cached: false });
    const prompt = asked[0]?.[1]?.content ?? '';
    for (const part of ['Where?', 'Paris', 'City of Light', 'paris, France'])
      expect(prompt).toContain(part);
  });

  it('asks again where it cannot read, and says so in the end', async () => {
    const replies = ['Well, it depends.', 'False'];
    const second = scripted(() => replies.shift() ?? '');
    expect((await createJudge(second.model).judge(answer)).verdict).toBe('wrong');
    expect(second.asked[1]?.at(-2)).toEqual({ role: 'assistant', content: 'Well, it depends.' });
    const never = scripted(() => 'Hm.');
    const judge = createJudge(never.model);
    expect((await judge.judge(answer)).verdict).toBe('unreadable');
    await judge.judge(answer);
    // An unreadable verdict is not kept.
    expect(never.asked).toHaveLength(4);
  });

  it('keeps its verdicts, and asks nothing about an answer that was not given', async () => {
    const { asked, model } = scripted(() => 'True');
    const judge = createJudge(model);
    await judge.judge(answer);
    expect(await judge.judge({ ...answer })).toMatchObject({ verdict: 'right', cached: true });
    for (const prediction of [null, '  '])
      expect(await judge.judge({ ...answer, prediction })).toMatchObject({
        verdict: 'wrong',
        by: 'rule',
      });
    expect(asked).toHaveLength(1);
    await expect(judge.judge({ ...answer, golds: [] })).rejects.toThrow(RangeError);
  });
});

describe('a run', () => {
  const items = Array.from({ length: 20 }, (_, i) =>
    item(`r${i}`, 'Paris', i % 2 ? 'Paris' : 'Rome'),
  );

  it('judges all, no more at once than told, and counts as it goes', async () => {
    let now = 0;
    let most = 0;
    const { model } = scripted(async (messages) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
      return lenient(messages);
    });
    const seen: number[] = [];
    const run = await judgeAnswers(
      createJudge(model),
      items.concat([{ ...items[0]!, id: 'x', golds: [] }]),
      {
        concurrency: 3,
        onOutcome: (_, { done }) => seen.push(done),
      },
    );
    expect(most).toBe(3);
    expect(seen).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
    expect(run).toMatchObject({
      ended: 'complete',
      progress: { right: 10, wrong: 10, skipped: 1, failed: 0, unreadable: 0, done: 21 },
    });
    expect(run.outcomes.map(({ id }) => id)).toEqual([...items.map(({ id }) => id), 'x']);
  });

  it('keeps what it has when cancelled', async () => {
    const controller = new AbortController();
    const { model } = scripted((messages) => lenient(messages));
    const run = await judgeAnswers(createJudge(model), items, {
      concurrency: 1,
      signal: controller.signal,
      onOutcome: (_, { done }) => done === 5 && controller.abort(new Error('enough')),
    });
    expect(run.ended).toBe('cancelled');
    expect(run.outcomes.map(({ status }) => status)).toEqual(Array(5).fill('judged'));
  });

  it('continues after single failures and gives up when the model is gone', async () => {
    let calls = 0;
    const flaky = scripted((messages) => {
      if (++calls % 3 === 0) throw new Error('busy');
      return lenient(messages);
    });
    const some = await judgeAnswers(createJudge(flaky.model), items, { concurrency: 1 });
    expect(some.ended).toBe('complete');
    expect(some.progress.failed).toBeGreaterThan(3);
    const gone = scripted(() => {
      throw new Error('connection refused');
    });
    const none = await judgeAnswers(createJudge(gone.model), items, { concurrency: 1 });
    expect(none).toMatchObject({ ended: 'gave-up', progress: { done: 5, failed: 5 } });
    expect(none.outcomes[0]).toMatchObject({ message: 'connection refused' });
  });
});

describe('agreement with exact match', () => {
  it('is counted, with κ as worked by hand', () => {
    // 20 both right, 15 both wrong, 10 judge only, 5 EM only: Cohen's own kind of table.
    const times = (n: number, judge: boolean, em: boolean) =>
      Array.from({ length: n }, () => ({ judge, em }));
    const pairs = [
      ...times(20, true, true),
      ...times(15, false, false),
      ...times(10, true, false),
      ...times(5, false, true),
    ];
    const found = agreementOf(pairs);
    expect(found).toMatchObject({ n: 50, bothRight: 20, bothWrong: 15, judgeOnly: 10, emOnly: 5 });
    // p_o = 0.7; p_e = 0.6·0.5 + 0.4·0.5 = 0.5; κ = 0.2 / 0.5.
    expect(found.agreement).toBeCloseTo(0.7, 12);
    expect(found.kappa).toBeCloseTo(0.4, 12);
  });

  it('has no κ where nothing varies, and no share of nothing', () => {
    expect(agreementOf([{ judge: true, em: true }])).toMatchObject({ agreement: 1, kappa: null });
    expect(agreementOf([])).toMatchObject({ n: 0, agreement: null, kappa: null });
  });

  const rollout = (id: string, answer: string | null): ImportedRollout => ({
    format: 'forage.rollout/1',
    id,
    runId: 'run',
    step: 0,
    groupId: 'g',
    question: { id: `q-${id}`, text: `Question ${id}?`, answers: ['Paris'], supporting: [] },
    segments: [],
    events: [],
    rewards: [],
    reward: null,
    baseline: null,
    advantage: null,
    metrics: null,
    answer,
  });

  it('leaves unreadable and failed answers out, and queues what the two see differently', async () => {
    const rollouts = [
      rollout('same', 'Paris'),
      rollout('wording', 'Paris, France'),
      rollout('other', 'Rome'),
      rollout('odd', 'Odd'),
      rollout('down', 'Down'),
      rollout('none', null),
    ];
    const { model } = scripted((messages) => {
      const text = messages[1]?.content ?? '';
      if (text.includes('Down')) throw new Error('down');
      return text.includes('Odd') ? 'Perhaps' : lenient(messages);
    });
    const items = rollouts.map((one) => ({
      id: one.id,
      question: one.question.text,
      golds: one.question.answers,
      prediction: one.answer,
    }));
    const { outcomes } = await judgeAnswers(createJudge(model), items);
    expect(judgeAgreement(items, outcomes)).toMatchObject({
      n: 4,
      bothRight: 1,
      bothWrong: 2,
      judgeOnly: 1,
      emOnly: 0,
      unreadable: 1,
      failed: 1,
    });
    const queue = new DisagreementQueue(['em']);
    for (const [i, one] of rollouts.entries()) {
      const read = withVerdict(one, outcomes[i]!);
      if (read.judge) queue.add(read);
    }
    expect(queue.result()).toMatchObject([
      { rollout: 'wording', spread: 1, kindest: { by: 'judge' }, harshest: { by: 'em' } },
    ]);
    const judged = withVerdict(rollouts[1]!, outcomes[1]!);
    expect(rowOf(judged).numbers.judge).toBe(1);
    expect(withVerdict(rollouts[3]!, outcomes[3]!)).toBe(rollouts[3]);
  });
});
