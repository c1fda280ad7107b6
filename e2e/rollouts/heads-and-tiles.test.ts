import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { useStage } from '../browser.ts';

/** What is above and around the table of a file, by name, and on a phone. */

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

it('keeps right or wrong in view at the right end of the table, as its outcome says it', async () => {
  const { page } = stage;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    // The width of the first column is that of the screen it is first drawn on.
    await page.reload();
    await page.getByRole('columnheader', { name: 'outcome', exact: true }).waitFor();
    await page.locator('.outcome-mark').first().waitFor();
    const scroller = page.getByRole('group', { name: 'Rollouts, table' });
    const seen = await scroller.evaluate((table) => {
      // On a phone the page scrolls to it.
      table.scrollIntoView({ block: 'start' });
      table.scrollLeft = table.scrollWidth;
      const heads = [...table.querySelectorAll('thead th')];
      const outcome = heads.findIndex((head) => head.getAttribute('aria-label') === 'outcome');
      const box = table.getBoundingClientRect();
      const seenTo = document.querySelector('main')?.getBoundingClientRect().bottom ?? 0;
      const rows = [...table.querySelectorAll('tbody tr[data-position]')].filter(
        (row) => row.getBoundingClientRect().bottom < Math.min(box.bottom, seenTo),
      );
      return {
        scrolled: table.scrollLeft > 0,
        first: heads[0]?.getBoundingClientRect().width ?? 0,
        rows: rows.map((row) => {
          const mark = row.querySelector('th [role=img]');
          const at = mark?.getBoundingClientRect();
          return {
            sign: mark?.textContent,
            says: mark?.getAttribute('aria-label'),
            outcome: row.children[outcome]?.textContent,
            inView: at !== undefined && at.left >= box.left && at.right <= box.right,
            shown:
              at !== undefined &&
              document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2) === mark,
          };
        }),
      };
    });
    expect(seen.scrolled).toBe(true);
    expect(seen.first).toBeLessThanOrEqual(width / 2);
    expect(seen.rows.length).toBeGreaterThan(5);
    for (const { sign, says, outcome, inView, shown } of seen.rows) {
      expect({ inView, shown }).toEqual({ inView: true, shown: true });
      expect(says).toBe(outcome);
      expect(sign).toBe(says?.startsWith('right') ? '✓' : '✗');
    }
    expect(new Set(seen.rows.map(({ sign }) => sign)).size).toBe(2);
  }
});
