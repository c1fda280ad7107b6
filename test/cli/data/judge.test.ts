import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JudgeReport } from '../../../src/evaluate/judge/report.ts';
import { r1Searcher } from '../../fixtures/inspect/records.ts';
import { judgeServer, type JudgeServer } from './judge-server.ts';
import { labHere } from '../lab.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-judge-'));
const file = join(folder, 'rollouts.jsonl');
const { gpt4o_output: _, ...bare } = r1Searcher;
/** The gold answer is Oslo. */
const PREDICTIONS = ['Oslo', 'in Oslo', 'Bergen', 'broken', 'refused', 'silent', 'vague'];
writeFileSync(
  file,
  PREDICTIONS.map((pred_ans, i) =>
    JSON.stringify({ ...bare, question: `Question ${i}?`, pred_ans }),
  ).join('\n'),
);

let server: JudgeServer;
beforeAll(async () => {
  server = await judgeServer();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const judge = (...more: string[]) =>
  labHere('evaluate', '--rollouts', file, '--judge', server.url, '--judge-timeout', '1', ...more);

test('answers are judged, those that fail are marked with the reason, and a second call asks for these alone', async () => {
  const out = join(folder, 'judged.jsonl');
  const first = await judge('--out', out, '--judge-price', '2,10', '--json');
  expect(first.status).toBe(0);
  const { judge: report } = JSON.parse(first.out) as { judge: JudgeReport };
  expect(report).toMatchObject({
    judge: `lj/1:tiny-judge at ${new URL(server.url).host}`,
    promptVersion: 1,
    answers: 7,
    judged: 3,
    known: 0,
    ended: 'complete',
    agreement: { bothRight: 1, bothWrong: 1, judgeOnly: 1, emOnly: 0 },
  });
  // p_o 2/3, p_e (2/3)(1/3) + (1/3)(2/3) = 4/9: κ = (2/3 − 4/9) / (5/9).
  expect(report.agreement.kappa).toBeCloseTo(0.4);
  const reasons = report.notJudged.map(({ reason }) => reason);
  expect(reasons).toHaveLength(4);
  expect(reasons.join('\n')).toMatch(
    /no JSON.*\n.*content refused.*\n.*no verdict within 1 s\n.*not just True or False: “It depends.”/,
  );
  // Three verdicts, and two replies that could not be read.
  expect(report.cost).toMatchObject({ calls: 5, uncounted: 0, completionTokens: 5 });
  expect(report.cost.dollars).toBeCloseTo((2 * report.cost.promptTokens + 10 * 5) / 1e6, 9);
  const verdicts = readFileSync(out, 'utf8').trim().split('\n');
  expect(
    verdicts.map((line) => (JSON.parse(line) as { judge?: { verdict: boolean } }).judge?.verdict),
  ).toEqual([true, true, false, undefined, undefined, undefined, undefined]);

  server.asked.length = 0;
  const again = await judge('--out', out, '--json');
  expect(again.err).toContain('3 verdicts are reused');
  expect(new Set(server.asked)).toEqual(new Set(['broken', 'refused', 'silent', 'vague']));
  expect((JSON.parse(again.out) as { judge: JudgeReport }).judge).toMatchObject({
    judged: 3,
    known: 3,
  });
});

test('the table says who judged, what is not judged and what it cost', async () => {
  const { out, status } = await judge();
  expect(status).toBe(0);
  expect(out).toMatch(/judged {8}3 of 7, right 66\.7 %/);
  expect(out).toMatch(/judge right {12}1 {9}1\njudge wrong {12}0 {9}1\n/);
  expect(out).toContain("agreement     66.7 %, Cohen's kappa 0.400");
  expect(out).toContain('not judged    4, left out of the numbers above');
  expect(out).not.toContain('$');
});

test.each([
  [
    ['--judge', 'built-in'],
    /The built-in model cannot judge: it can only search.*Name the folder of a chat model or the address of a server: --judge http/,
  ],
  [['--judge', 'public/policy'], /The built-in model cannot judge/],
  [['--judge', '/nowhere'], /\/nowhere is not a checkpoint folder/],
  [['--judge', 'http://127.0.0.1:9/v1'], /--judge http:\/\/127\.0\.0\.1:9\/v1: .*does not answer/],
  [['--judge-timeout', '3'], /--judge-timeout needs a judge: --judge DIR, or --judge URL\./],
  [['--judgements', 'x.jsonl'], /--judgements needs a judge/],
  [
    ['--judge', 'http://127.0.0.1:9/v1', '--judge-price', '1'],
    /--judge-price is '1'; it must be two numbers/,
  ],
  [
    ['--judge', 'built-in', '--recipe', 'search', '--rollouts', 'x.jsonl'],
    /--rollouts judges existing rollouts; --recipe applies only to new ones/,
  ],
  [
    ['--judge', 'built-in', '--rollouts', '/nowhere.jsonl'],
    /\/nowhere\.jsonl is not a readable file/,
  ],
])('evaluate %j: one line that says what to do', async (args, message) => {
  const { status, err, out } = await labHere('evaluate', ...args);
  expect(err.trim()).toMatch(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect([status, out]).toEqual([2, '']);
});

test('a server of several models wants one named', async () => {
  const two = await judgeServer(['a', 'b']);
  try {
    const { err } = await labHere('evaluate', '--rollouts', file, '--judge', two.url);
    expect(err).toMatch(/has 2 models; choose one: --judge-model a \| b\./);
  } finally {
    await two.close();
  }
  expect(existsSync(`${file}.judgements.jsonl`)).toBe(false);
});
