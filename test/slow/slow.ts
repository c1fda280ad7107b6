import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';

/** Whether slow tests and long series of random cases run too, as CI does: `npm test -- --all`. */
export const ALL_TESTS = process.env['FORAGE_TESTS'] === 'all';

/** A file of tests from the root, and the title of one of them as its source has it (of `each`, with its `$name`). */
export type TestName = `${'test' | 'e2e'}/${string}.test.${'ts' | 'tsx'} > ${string}`;

const root = join(import.meta.dirname, '../..');

/** What a test is declared by. */
const DECLARES = /\b(slow|(?:test|it)(?:\.\w+)*)\(/g;

/** @throws where no test has that name, or where it is left out itself */
const requireQuick = (name: TestName): void => {
  const [file = '', ...rest] = name.split(' > ');
  const title = rest.join(' > ');
  const path = join(root, file);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const place = ["'", '"', '`']
    .map((mark) => source.indexOf(mark + title + mark))
    .find((at) => at >= 0);
  if (place === undefined) throw new Error(`no test is named “${name}”`);
  const declared = [...source.slice(0, place).matchAll(DECLARES)].at(-1)?.[1];
  if (declared === 'slow') throw new Error(`“${name}” is itself left out of a quick run`);
};

/**
 * Declares a test, as `test` does, that runs with `npm test -- --all` only.
 * @param quicker tests that always run and together hold what this one promises: each part of it breaks one of them
 */
export const slow = (...quicker: readonly [TestName, ...TestName[]]): typeof test => {
  quicker.forEach(requireQuick);
  return ALL_TESTS ? test : (test.skip as typeof test);
};
