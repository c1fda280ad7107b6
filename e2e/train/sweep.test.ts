import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { openPage, useStage } from '../browser.ts';
import { savedPictures } from '../saved-pictures.ts';
import { fillSmall } from '../training.ts';

/** A sweep of two settings, to its end. */

const stage = useStage();

slow(
  'test/lab/train/training.test.ts > a sweep trains its runs one after another; interrupted, it begins none until it is told to, and then goes on with the one that was',
  'e2e/train/finished-run.test.ts > a sweep begins from the form, is stopped and goes on by its buttons, and opens its runs by keys',
  'test/ui/train/sweep/sweep-view.test.tsx > what is planned is said before it is begun, with what is not allowed',
  'test/ui/train/sweep/sweep-view.test.tsx > a sweep that was interrupted says how far it is, and offers to go on',
  'test/ui/train/sweep/sweep-view.test.tsx > its map has a name for each row and column, and the number of each run',
)(
  'a sweep over two settings trains its runs one after another, goes on after a reload, fills a heat map, and opens them',
  async () => {
    const page = await openPage(stage);
    await fillSmall(page, stage, { steps: 1, heldOut: 2 });
    await page.getByRole('button', { name: 'Sweep …' }).click();
    const panel = page.getByRole('region', { name: 'Sweep' });
    await panel.getByLabel('Values by row').fill('1e-3');
    await panel.getByText('lr has one value; give two or more').waitFor();
    expect(await panel.getByRole('button').isDisabled()).toBe(true);
    await panel.getByLabel('Values by row').fill('1e-3, 2e-3');
    await panel.getByLabel('Columns').selectOption({ label: '(only one setting)' });
    await panel.getByText(/2 runs of 1 step,/).waitFor();
    await panel.getByLabel('Columns').selectOption({ label: 'rollouts per question' });
    await panel.getByLabel('Values by column').fill('2, 3');
    await panel.getByText(/4 runs of 1 step,.*≈ .* together/).waitFor();
    await panel.getByRole('button', { name: 'Start 4 runs' }).click();
    await page.waitForURL(/sweep=/);
    const values = page.locator('.heat-value');
    await expect.poll(() => values.count()).toBe(1);
    await page.getByText('Trains now:').waitFor();
    await page.reload();
    // The one under way was interrupted; what had ended stays.
    const goOn = page.getByRole('button', { name: /^Go on: [1-3] runs? left/ });
    await goOn.waitFor();
    await page.getByRole('button', { name: 'Drop what waits' }).click();
    await page.getByText(/(\d) of \1 runs? ended/).waitFor();
    await page
      .getByText(/^[1-3] runs? dropped\./)
      .getByRole('button', { name: 'Undo' })
      .click();
    await goOn.click();
    await expect.poll(() => values.count()).toBe(4);
    await page.getByText('4 of 4 runs ended').waitFor();
    expect(await values.allTextContents()).toEqual(Array(4).fill(expect.stringMatching(/ %$/)));
    expect(await faultsInBoth(page)).toEqual([]);
    const svg = (await savedPictures(page)).get('Held-out EM at the end');
    expect(svg).toContain('>lr 0.002<');
    expect(svg).toContain('>3<');
    await page.getByLabel('Number').selectOption({ label: 'searches per held-out question' });
    await page.getByRole('button', { name: /: table$/ }).click();
    expect(await page.locator('.picture-table tbody tr').count()).toBe(4);
    await page.getByRole('button', { name: /: picture$/ }).click();
    const map = page.getByRole('slider', { name: 'Runs of the sweep' });
    // Rows are learning rates, columns rollouts per question; the edge is the end.
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await map.press(key);
    expect(await map.getAttribute('aria-valuetext')).toMatch(
      /^lr 0\.002\W+\S+ 3 finished: held-out EM .* 95 % interval/,
    );
    await map.press('Enter');
    await page.getByRole('heading', { name: /search\/grpo, sweep: lr 0\.002\W+\S+ 3$/ }).waitFor();
    await page.getByRole('link', { name: 'Its sweep' }).click();
    await page.getByText('4 of 4 runs ended').waitFor();
  },
  300_000,
);
