import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { faultsInBoth } from '../axe.ts';
import { runStatus, useStage } from '../browser.ts';
import { downloaded, startSmall, status } from '../training.ts';

/** One question, the policy before and after training: of the run's own scores, and asked anew. */

const stage = useStage();

it('draws a held-out question before and after, and asks it without and with the adapter', async () => {
  const { page } = stage;
  const run = await startSmall(page, stage, { steps: 1, questions: 1, group: 2, heldOut: 2 });
  await status(page, 'finished');
  const picture = page.getByRole('region', { name: 'Before | after' });
  const sentence = page.getByTestId('beside-sentence');
  await sentence.waitFor();
  expect(await sentence.textContent()).toMatch(/[Bb]efore|[Bb]oth/);
  await picture.getByLabel('Held-out question').selectOption({ index: 1 });
  await page.waitForURL(/question=.*from=0&to=newest/);
  const svg = readFileSync(await downloaded(page, 'Before | after: save as SVG')).toString();
  expect(svg).toContain('after: step 1');
  await picture.getByRole('button', { name: 'Before | after: table' }).click();
  await picture.getByRole('columnheader', { name: 'before: untrained, no step yet' }).waitFor();
  expect(await faultsInBoth(page)).toEqual([]);

  await picture.getByRole('button', { name: 'Ask it now, without and with the adapter' }).click();
  await page.waitForURL(/\/ask\?/);
  await runStatus(page, 'done');
  const asked = new URL(page.url()).searchParams;
  expect([asked.get('beside'), asked.get('policy')]).toEqual(['alone', `${run}@newest`]);
  await sentence.waitFor();
  // The first round of either opens its event.
  await picture
    .getByRole('button', { name: /^after, / })
    .first()
    .click();
  await page
    .getByRole('complementary', { name: 'Details' })
    .getByText(/^event \d+ of/)
    .waitFor();
  expect(await page.locator('.column').count()).toBe(2);
  expect(await faultsInBoth(page)).toEqual([]);
  expect(stage.faults).toEqual([]);
}, 240_000);
