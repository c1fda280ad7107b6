import { describe, expect, test } from 'vitest';
import { basisOf, basisWords, outcomeOf } from '../../../src/evaluate/rollouts/taxonomy.ts';
import { inspectFile } from './inspect-file.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { statisticsOf } from '../../../src/evaluate/rollouts/statistics.ts';
import { alignGroup } from '../../../src/evaluate/rollouts/align.ts';
import { figuresOf, reportOf } from '../../../src/evaluate/rollouts/export/report.ts';
import { rolloutMarkdown } from '../../../src/evaluate/rollouts/export/markdown.ts';
import { compareRuns } from '../../../src/evaluate/rollouts/compare-runs.ts';
import { compileFilter } from '../../../src/evaluate/rollouts/filter/match.ts';
import { parseFilter } from '../../../src/evaluate/rollouts/filter/parse.ts';
import { unknownsOf } from '../../../src/evaluate/rollouts/filter/unknown.ts';
import { rescore } from '../../../src/evaluate/rollouts/rescore/rescore.ts';
import { factsOfRow, rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { judgeAnswers } from '../../../src/evaluate/judge/run.ts';
import { judgeItemOf } from '../../../src/evaluate/judge/agreement.ts';
import { columnReader } from '../../../src/lab/rollouts/columns.ts';
import { noScoreOf } from '../../../src/lab/rollouts/browse.ts';
import { whyNothingShared } from '../../../src/ui/rollouts/nothing-shared.ts';
import { groupedOutcomeName, outcomeBars, outcomeName } from '../../../src/ui/rollouts/words.ts';
import { blobOf, importOne } from '../../formats/rollouts/helpers.ts';

/** A rollout whose answer cannot be read is not scored: it is no wrong one, and in no mean. */

const dump = (output: string) => ({
  input: 'Question: Where was Ada Berg born?\n',
  output,
  gts: 'Oslo',
  score: 1,
  step: 1,
});
const RIGHT = dump('\\boxed{Oslo}');
const WRONG = dump('\\boxed{Rome}');
const NONE = dump('');
const PROSE = dump('She was born in Oslo, as far as I know.');

describe('a rollout whose answer cannot be read', () => {
  test('leaves EM of one right and one wrong at one half', async () => {
    const { statistics, outcomes } = await inspectFile(blobOf(RIGHT, WRONG, PROSE, PROSE), 'f');
    expect(statistics).toMatchObject({
      rollouts: 4,
      scored: 2,
      unread: 2,
      em: { count: 1, share: 0.5 },
      f1: { mean: 0.5 },
      answered: { count: 2, share: 1 },
      reward: { n: 4, mean: 1 },
    });
    expect(outcomes).toMatchObject({ 'not-scored': 2, 'no-search': 1 });
  });

  test('is another thing than one that gives none', async () => {
    const { statistics, outcomes } = await inspectFile(blobOf(RIGHT, NONE), 'f');
    expect(statistics).toMatchObject({ scored: 2, unread: 0, em: { share: 0.5 } });
    expect(statistics.answered).toEqual({ count: 1, share: 0.5 });
    expect(outcomes).toMatchObject({ 'no-answer': 1 });
  });

  test('says so in its row, and a selection of rows counts the same', async () => {
    const rollout = await importOne(PROSE);
    const row = rowOf(rollout);
    expect(row.outcome).toBe('not-scored');
    expect(row.notScored).toMatch(/the protocol is unknown/);
    const { em, f1, answered, retrieved, reward } = row.numbers;
    expect({ em, f1, answered, retrieved, reward }).toEqual({
      em: null,
      f1: null,
      answered: null,
      retrieved: 0,
      reward: 1,
    });
    const rows = await Promise.all(
      [RIGHT, WRONG, PROSE].map(async (r) => rowOf(await importOne(r))),
    );
    const facts = await Promise.all(
      [RIGHT, WRONG, PROSE].map(async (r) => readFactsOf(await importOne(r))),
    );
    const again = statisticsOf(rows.map(factsOfRow));
    expect(again.unread).toBe(1);
    expect(again.em).toEqual(statisticsOf(facts).em);
    const asked = compileFilter(parseFilter('outcome = not-scored'));
    expect(rows.map((one) => asked.row(one))).toEqual([false, false, true]);
  });

  test('without gold answers has no outcome, also read back from its row', async () => {
    const rollout = await importOne({ ...PROSE, gts: null });
    expect(rollout.question.answers).toEqual([]);
    expect(rollout.notScored).toBeDefined();
    const row = rowOf(rollout);
    expect(row.outcome).toBeNull();
    for (const facts of [readFactsOf(rollout), factsOfRow(row)]) {
      expect(facts).toMatchObject({ golds: false, unread: true });
      expect(outcomeOf(facts)).toBeNull();
    }
    const filter = parseFilter('outcome = not-scored');
    expect(compileFilter(filter).row(row)).toBe(false);
    expect(unknownsOf(filter, [row])).toMatchObject([
      { field: 'outcome', why: 'the record has no gold answers to score against' },
    ]);
  });

  test('with yes or no as gold answer is read back from its row as it was', async () => {
    const rollout = await importOne({ ...PROSE, gts: 'yes' });
    const { golds, closed, scores } = factsOfRow(rowOf(rollout));
    expect({ golds, closed, scores }).toEqual({ golds: true, closed: true, scores: null });
  });

  test('stands among the outcomes, whose shares are of all that have one', async () => {
    const { outcomes } = await inspectFile(
      blobOf(...Array<object>(5).fill(RIGHT), ...Array<object>(5).fill(PROSE)),
      'f',
    );
    const { bars, total } = outcomeBars(outcomes);
    expect(bars.map(({ key, count }) => [key, count / total])).toEqual([
      ['right-without-evidence', 0.5],
      ['not-scored', 0.5],
    ]);
  });

  test('is neither right nor wrong by anything', async () => {
    const rollout = await importOne(PROSE);
    const row = rowOf(rollout);
    expect(basisOf(row.outcome, row.numbers)).toBeNull();
    expect(columnReader('outcome-by')({ row, chunk: 0, index: 0, line: 1 })).toBeNull();
    expect(outcomeName(row.outcome, basisOf(row.outcome, row.numbers))).toBe('not scored');
    expect(groupedOutcomeName('not-scored', 'by EM')).toBe('not scored');
    expect(groupedOutcomeName('no-search', 'by EM')).toBe('wrong, never searched, by EM');
    const figures = figuresOf(reportOf(rollout));
    expect(figures).toContainEqual(['outcome', 'not scored']);
    expect(basisWords(statisticsOf([readFactsOf(rollout)]))).toBeNull();
  });

  test('has no scores to compare, and the written forms say why', async () => {
    const rollout = await importOne(PROSE);
    expect(rescore(rollout)).toEqual([]);
    expect(rolloutMarkdown(rollout)).toMatch(/Not scored\\?: the protocol is unknown/);
    expect(rolloutMarkdown(rollout)).toMatch(/Answer: cannot be read/);
    expect(alignGroup([rollout])!.siblings[0]).toMatchObject({ em: null });
  });

  test('is judged all the same where it has a verdict: everywhere, and by the judge', async () => {
    const judge = { verdict: true, by: 'j' };
    const judged = { ...(await importOne(PROSE)), judge };
    const plain = await importOne(RIGHT);
    const row = rowOf(judged);
    expect(row.outcome).toBe('right-without-evidence');
    expect(basisOf(row.outcome, row.numbers)).toBe('judge');
    expect(compileFilter(parseFilter('judge = 1')).row(row)).toBe(true);
    for (const facts of [
      [readFactsOf(judged), readFactsOf(plain)],
      [factsOfRow(row), factsOfRow(rowOf(plain))],
    ]) {
      const statistics = statisticsOf(facts);
      expect(statistics).toMatchObject({
        scored: 1,
        unread: 1,
        judge: { verdicts: 1, right: { count: 1, share: 1 } },
        outcomesBy: { judge: 1, em: 1 },
        evidence: { open: 1, rightWithoutEvidence: { em: 1, judge: 1 } },
      });
      expect(statistics.judge!.agreement.em).toMatchObject({ count: 0, share: null, kappa: null });
      expect(basisWords(statistics)).toBe('by the judge in 1, by EM in 1');
    }
    const wrong = { ...judged, judge: { verdict: false, by: 'j' } };
    const by = compareRuns([readFactsOf(wrong)], [readFactsOf(judged)], 'judge');
    expect(by.gained).toHaveLength(1);
    expect(rowOf(wrong).outcome).toBe('no-search');
  });

  test('is not sent to a judge, for another reason than one without gold answers', async () => {
    const unread = await importOne(PROSE);
    const without = await importOne({ ...RIGHT, gts: null });
    const items = [unread, without].map(judgeItemOf);
    expect(items[0]).toMatchObject({ golds: ['Oslo'], notScored: unread.notScored });
    const judge = { id: 'j', judge: () => Promise.reject(new Error('asked')) };
    const { outcomes } = await judgeAnswers(judge, items);
    expect(outcomes).toEqual([
      { id: unread.id, status: 'skipped', why: 'not-scored' },
      { id: without.id, status: 'skipped', why: 'no-gold' },
    ]);
  });

  test('leaves nothing to compare, which is said of its file', async () => {
    const [prose, right] = await Promise.all(
      [PROSE, RIGHT].map(async (r) => rowOf(await importOne(r))),
    );
    const compared = compareRuns([factsOfRow(prose!)], [factsOfRow(right!)], 'em');
    expect(compared).toMatchObject({ difference: null, onlyA: [], onlyB: [right!.questionId] });
    const noScore = { a: noScoreOf([prose!], 'em'), b: noScoreOf([right!], 'em') };
    expect(noScore).toEqual({ a: 'not-scored', b: null });
    expect(whyNothingShared({ noScore })).toBe(
      'A has no readable answers, so nothing in it is scored',
    );
  });

  test('rows and statistics of an earlier version have none', async () => {
    const { notScored: _, ...row } = rowOf(await importOne(NONE));
    expect(statisticsOf([factsOfRow(row)])).toMatchObject({ unread: 0, scored: 1 });
  });
});

test('an answer beside a tag of what was read counts as retrieved', async () => {
  const rollout = await importOne(
    dump('<search>q</search><information>Oslo</information><answer>Oslo</answer>'),
  );
  expect(readFactsOf(rollout).retrieved).toBe(true);
});
