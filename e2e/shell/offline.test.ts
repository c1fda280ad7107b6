import { expect, it } from 'vitest';
import { serve } from '../../scripts/serve/server.mjs';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { DIST, finishedColumns, openPage, runStatus, useStage, visit } from '../browser.ts';

/** After one visit the page opens and answers without its server. */

const stage = useStage();

it('answers a question, and opens any of its places, after the server has gone', async () => {
  const server = await serve({ root: DIST });
  const page = await openPage(stage, { offline: true });
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads++;
  });
  await page.goto(server.url);
  await page.waitForSelector('[data-testid="offline"]:has-text("works offline")', {
    timeout: 60_000,
  });
  await server.close();

  await page.goto(`${server.url}models`);
  await page.waitForSelector('h1:has-text("Models")');
  // Its server had isolated it, and so does what answers in its place: nothing is loaded twice for that.
  expect(loads).toBe(2);
  expect(await page.getByTestId('isolation').count()).toBe(0);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  // From there as its links do: the workers that answer begin without their server in either case.
  if (ALL_TESTS) await page.goto(server.url);
  else await visit(page, server, 'ask');
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  expect(await finishedColumns(page)).toBe(1);
  await page.context().close();
});
