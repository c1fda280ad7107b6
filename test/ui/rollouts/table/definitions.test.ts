import { expect, test } from 'vitest';
import { readFactsOf } from '../../../../src/evaluate/rollouts/lint/facts.ts';
import { statisticsOf } from '../../../../src/evaluate/rollouts/statistics.ts';
import { factsOfRow, rowOf, type RolloutRow } from '../../../../src/evaluate/rollouts/row.ts';
import { basisWords } from '../../../../src/evaluate/rollouts/taxonomy.ts';
import { figuresOf, firstFigures } from '../../../../src/ui/rollouts/table/definitions.ts';
import { outcomeName } from '../../../../src/ui/rollouts/words.ts';
import { r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne } from '../../../formats/rollouts/helpers.ts';

test('every score names its normaliser, and what is wrong says by what', async () => {
  const facts = (await Promise.all([r1Searcher, verl].map(importOne))).map(readFactsOf);
  const names = figuresOf(statisticsOf(facts)).map(({ name }) => name);
  expect(names).toContain('EM (SQuAD)');
  expect(names).toContain('cover-EM (R1-Searcher)');
  expect(names).toContain('retrieved but wrong (EM)');
  for (const name of names.filter((one) => /EM|F1/.test(one)))
    expect(name).toMatch(/SQuAD|R1-Searcher|\(EM\)/);
});

test('five figures come first, the judge’s beside EM where there is one', async () => {
  const facts = (await Promise.all([r1Searcher, verl].map(importOne))).map(readFactsOf);
  const [judged, plain] = facts.map((one) =>
    firstFigures(figuresOf(statisticsOf([one]))).map(({ id }) => id),
  );
  expect(judged).toEqual(['em', 'judge', 'retrieved', 'wrong-though-retrieved', 'searches']);
  expect(plain).toEqual(['em', 'retrieved', 'wrong-though-retrieved', 'searches', 'reward']);
});

test('what outcomes are judged by, where all, some or none of the rollouts have a verdict', async () => {
  const [judged, plain] = (await Promise.all([r1Searcher, verl].map(importOne))).map(readFactsOf);
  expect(basisWords(statisticsOf([judged!]))).toBe('by the judge');
  expect(basisWords(statisticsOf([plain!]))).toBe('by EM');
  expect(basisWords(statisticsOf([judged!, plain!, plain!]))).toBe('by the judge in 1, by EM in 2');
  expect(outcomeName('retrieved-not-used', 'judge')).toBe('retrieved but wrong (judge)');
  expect(outcomeName('retrieved-not-used', 'em')).toBe('retrieved but wrong (EM)');
});

test('rows that were stored before R1-Searcher’s scores were counted still open, without them', async () => {
  const row = rowOf(await importOne(r1Searcher));
  const stored = JSON.parse(JSON.stringify(row)) as RolloutRow;
  for (const name of Object.keys(stored.numbers).filter((one) => one.endsWith('.r1-searcher')))
    delete stored.numbers[name as 'em.r1-searcher'];
  const statistics = statisticsOf([factsOfRow(stored)]);
  expect(statistics.em).toEqual(statisticsOf([factsOfRow(row)]).em);
  expect(statistics.byR1Searcher).toBeUndefined();
  expect(figuresOf(statistics).map(({ id }) => id)).not.toContain('em-r1-searcher');
  expect(statisticsOf([factsOfRow(row)]).byR1Searcher).toBeDefined();
});
