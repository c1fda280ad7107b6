import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import type { JudgeOutcome } from '../../../src/evaluate/judge/run.ts';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../../../src/lab/rollouts/host.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { r1Searcher } from '../../fixtures/inspect/records.ts';
import { blobOf } from '../../formats/rollouts/helpers.ts';

let host: RolloutsHost;
let store: RolloutsStore;
beforeEach(() => {
  const database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  store = new RolloutsStore(database, () => '2026-01-01T00:00:00Z');
  host = new RolloutsHost(store);
});

/** Answers of a file that its own judge judged, or nobody did: EM 1 on each even one. */
const answers = (count: number, verdict?: (i: number) => boolean): Blob => {
  const { gpt4o_output: _, ...bare } = r1Searcher;
  return blobOf(
    ...Array.from({ length: count }, (__, i) => ({
      ...bare,
      question: `Question ${i}?`,
      pred_ans: i % 2 === 0 ? 'Oslo' : 'the city of Bergen',
      ...(verdict && { gpt4o_output: verdict(i) ? 'True' : 'False' }),
    })),
  );
};

const spent = { calls: 1, uncounted: 0, prompt: 50, completion: 1, seconds: 0.5 };

test('a file that is judged here has the rows and counts of one that came judged', async () => {
  const right = (i: number): boolean => i % 3 !== 0;
  const here = await store.importFile(answers(40), 'here.jsonl');
  const came = await store.importFile(answers(40, right), 'came.jsonl');
  const items = await host.toJudge(here.id, false);
  expect(items).toHaveLength(40);
  expect(items[1]).toMatchObject({
    question: 'Question 1?',
    golds: ['Oslo'],
    prediction: 'the city of Bergen',
  });
  const outcomes = items.map(({ id }, i): JudgeOutcome => ({
    id,
    status: 'judged',
    judgement: {
      verdict: right(i) ? 'right' : 'wrong',
      by: 'lj/1:m',
      said: '',
      cached: false,
      spent,
    },
  }));
  // In two goes, as a page that was closed meanwhile and opened again.
  await host.keepVerdicts(here.id, 'lj/1:m', outcomes.slice(0, 17));
  expect(await host.toJudge(here.id, false)).toHaveLength(23);
  await host.keepVerdicts(here.id, 'lj/1:m', outcomes.slice(17));
  const [mine, theirs] = [(await store.file(here.id))!, (await store.file(came.id))!];
  expect(mine.statistics).toEqual(theirs.statistics);
  expect(mine.lint).toEqual(theirs.lint);
  const view = async (id: string) =>
    (await store.rows(id)).map(({ row }) => [row.question, row.outcome, row.lint, row.numbers]);
  expect(await view(here.id)).toEqual(await view(came.id));
  const standing = await host.judgeStanding(here.id);
  expect(standing).toMatchObject({ judgeable: 40, without: 0 });
  expect(standing.judging).toMatchObject({
    by: 'lj/1:m',
    promptVersion: 1,
    cost: { calls: 40, promptTokens: 2000, completionTokens: 40, seconds: 20 },
    notJudged: [],
  });
  const row = (await store.rows(here.id))[1]!;
  expect((await store.rollout(here.id, row)).judge).toEqual({ verdict: true, by: 'lj/1:m' });
});

test('what the judge fails at is kept with its reason, asked again, and then forgotten', async () => {
  const file = await store.importFile(answers(3), 'f.jsonl');
  const [first] = await host.toJudge(file.id, false);
  await host.keepVerdicts(file.id, 'lj/1:m', [
    { id: first!.id, status: 'failed', message: 'HTTP 400' },
  ]);
  expect((await host.judgeStanding(file.id)).judging?.notJudged).toEqual([
    { rollout: first!.id, reason: 'HTTP 400' },
  ]);
  expect(await host.toJudge(file.id, false)).toHaveLength(3);
  await host.keepVerdicts(file.id, 'lj/1:m', [
    {
      id: first!.id,
      status: 'judged',
      judgement: { verdict: 'wrong', by: 'lj/1:m', said: 'False', cached: false },
    },
  ]);
  const standing = await host.judgeStanding(file.id);
  expect(standing.judging?.notJudged).toEqual([]);
  expect(standing.agreement).toMatchObject({ n: 1, emOnly: 1 });
  await expect(host.judgeStanding('nowhere')).rejects.toThrow('not here any more');
});
