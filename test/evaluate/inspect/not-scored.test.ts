import { describe, expect, test } from 'vitest';
import { inspectFile, readFactsOf, statisticsOf } from '../../../src/evaluate/inspect/index.ts';
import { alignGroup } from '../../../src/evaluate/inspect/align.ts';
import { rolloutMarkdown } from '../../../src/evaluate/inspect/export/index.ts';
import { compileFilter, parseFilter } from '../../../src/evaluate/inspect/filter/index.ts';
import { rescore } from '../../../src/evaluate/inspect/rescore/index.ts';
import { factsOfRow, rowOf } from '../../../src/evaluate/inspect/row.ts';
import { blobOf, importOne } from '../../data/rollouts/helpers.ts';

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
    expect(row.notScored).toMatch(/no protocol is known/);
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

  test('has no scores to compare, and the written forms say why', async () => {
    const rollout = await importOne(PROSE);
    expect(rescore(rollout)).toEqual([]);
    expect(rolloutMarkdown(rollout)).toMatch(/Not scored\\?: no protocol is known/);
    expect(rolloutMarkdown(rollout)).toMatch(/Answer: cannot be read/);
    expect(alignGroup([rollout])!.siblings[0]).toMatchObject({ em: null });
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
