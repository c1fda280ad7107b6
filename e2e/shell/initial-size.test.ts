import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { initialKilobytes } from '../../bench/page/initial-scripts.ts';
import { DIST } from '../browser.ts';

test('the page begins with as much JavaScript as the README says, to 3 %', () => {
  const said = Number(
    /JavaScript; time to the first model step *\| *(\d+) kB/.exec(
      readFileSync('README.md', 'utf8'),
    )?.[1],
  );
  expect(Math.abs(initialKilobytes(DIST) / said - 1)).toBeLessThan(0.03);
});
