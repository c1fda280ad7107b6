import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What is said of the two papers is what the tables of their studies say. */

const PAGES = ['RESULTS', 'studies/kunlun-baize', 'studies/ur2', 'studies/learning'];

const plain = (path: string): string => readFileSync(path, 'utf8').replaceAll('−', '-');

interface Interval {
  mean: string;
  low: string;
  high: string;
}

/** "+3.4 [1.1, 5.8]", also with a unit or a word between. */
const INTERVAL =
  /(?<mean>[+-]?\d+(?:\.\d+)?)[^[\]\d]{0,40}\[(?<low>-?[\d.]+), (?<high>-?[\d.]+)\]/gu;

const intervalsOf = (text: string): Interval[] =>
  [...text.matchAll(INTERVAL)].map(({ groups = {} }) => ({
    mean: groups['mean'] ?? '',
    low: groups['low'] ?? '',
    high: groups['high'] ?? '',
  }));

const decimals = (number: string): number => number.split('.')[1]?.length ?? 0;

/** Rounded on the page to fewer decimals than in the table, or told the other way round ("4.0 below"). */
function tells(page: Interval, table: Interval): boolean {
  const near = (told: string, found: number): boolean =>
    Math.abs(Number(told) - found) <= 0.5 * 10 ** -decimals(told) + 1e-9;
  const [mean, low, high] = [table.mean, table.low, table.high].map(Number) as [
    number,
    number,
    number,
  ];
  const meant = near(page.mean, mean) || near(page.mean, -mean);
  return (
    meant &&
    ((near(page.low, low) && near(page.high, high)) ||
      (near(page.low, -high) && near(page.high, -low)))
  );
}

/** `studies/learning.md` says under "Limits" of each why it is in no table. */
const IN_NO_TABLE = [
  '8.8 6.8 11.0',
  '-2.0 -4.7 0.3',
  '-4.0 -7.0 -1.3',
  '2.4 0.3 4.3',
  '2.9 0.0 5.9',
  '+2.2 -1.7 5.8',
];

it('every interval on the pages of the two papers is in a table of their studies', () => {
  const folder = 'training/studies/results/studies';
  const tables = readdirSync(folder)
    .filter((name) => /^(?:[0-6]|fair)-/u.test(name))
    .flatMap((name) => intervalsOf(plain(join(folder, name, 'table.md'))));
  const told = PAGES.flatMap((name) => intervalsOf(plain(`training/${name}.md`)));
  expect(told.length).toBeGreaterThan(100);
  const missing = told.filter((one) => !tables.some((table) => tells(one, table)));
  expect(missing.map(({ mean, low, high }) => `${mean} ${low} ${high}`)).toEqual(IN_NO_TABLE);
});
