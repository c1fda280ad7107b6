import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { initialKilobytes } from '../../bench/page/initial-scripts.ts';
import { DIST } from '../browser.ts';

test('the page begins with as much JavaScript as the README says, to 3 %', () => {
  const said = Number(
    /(\d+) kB of JavaScript to begin with/.exec(readFileSync('README.md', 'utf8'))?.[1],
  );
  expect(Math.abs(initialKilobytes(DIST) / said - 1)).toBeLessThan(0.03);
});
