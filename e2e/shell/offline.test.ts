import { expect, it } from 'vitest';
import { serve } from '../../scripts/serve/server.mjs';
import { DIST, finishedColumns, openPage, runStatus, useStage } from '../browser.ts';

/** After one visit the page opens and answers without its server. */

const stage = useStage();

it('answers a question, and opens any of its places, after the server has gone', async () => {
  const server = await serve({ root: DIST });
  const page = await openPage(stage, { offline: true });
  await page.goto(server.url);
  await page.waitForSelector('[data-testid="offline"]:has-text("works offline")', {
    timeout: 60_000,
  });
  await server.close();

  await page.goto(`${server.url}models`);
  await page.waitForSelector('h1:has-text("Models")');
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Run an example' }).click();
  await runStatus(page, 'done');
  expect(await finishedColumns(page)).toBe(1);
  await page.context().close();
});
