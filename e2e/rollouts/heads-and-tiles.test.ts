import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { useStage } from '../browser.ts';

/** What stands above and around the table of a file, by name, and on a phone. */

const stage = useStage();
const OURS = resolve(import.meta.dirname, '../../test/fixtures/inspect/kunlun-baize-dev.jsonl');

it('names a column without its mark, which is pressed over 24 pixels, and puts the tiles of a phone in columns', async () => {
  const { page } = stage;
  await page.goto(`${stage.url}rollouts`);
  await page.getByLabel('Rollout files').first().setInputFiles(OURS);
  const rollouts = page.locator('.rollouts-table');
  const head = rollouts.getByRole('columnheader', { name: 'EM', exact: true });
  await head.waitFor();
  const mark = await head.getByRole('button', { name: 'What EM means' }).evaluate((button) => {
    const { left, right, top, bottom, width, height } = button.getBoundingClientRect();
    const corners = [
      [left + 1, top + 1],
      [right - 1, top + 1],
      [left + 1, bottom - 1],
      [right - 1, bottom - 1],
    ] as const;
    const lost = corners.filter(([x, y]) => document.elementFromPoint(x, y) !== button);
    return { width, height, lost };
  });
  expect(mark).toEqual({ width: 24, height: 24, lost: [] });

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: /^All \d+ numbers$/ }).click();
  const tiles = await page.getByTestId('file-figures').evaluate((all) => {
    const each = [...all.querySelectorAll('div')];
    const places = new Set(each.map((tile) => tile.getBoundingClientRect().left));
    const cut = [all, ...each].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    return { columns: places.size, cut: cut.map(({ textContent }) => textContent) };
  });
  expect(tiles).toEqual({ columns: 3, cut: [] });
});
