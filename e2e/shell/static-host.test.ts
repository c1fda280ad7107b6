import type { Page, Worker } from 'playwright-core';
import { expect, test } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { finishedColumns, openPage, runStatus, useStage } from '../browser.ts';
import { staticHost } from '../static-host.ts';
import { startSmall, status } from '../training.ts';

/** The page on hosts that serve files and send no headers of its own: it isolates itself, by one reload. */

const BASE = '/some/path/';
const stage = useStage();

/** The page or one of its workers. */
type Place = Pick<Worker, 'evaluate'>;

/** How often the page itself was asked for. */
const loadsOf = (page: Page): { count: number } => {
  const loads = { count: 0 };
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.count++;
  });
  return loads;
};

const isolation = (page: Page) => page.getByTestId('isolation');

/** Whether its code may make more code of a text, which the content security policy of its own forbids. */
const evaluatesText = (place: Place): Promise<boolean> =>
  place.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        setTimeout(() => {
          try {
            // oxlint-disable-next-line typescript/no-implied-eval -- it must be refused
            resolve(new Function('return true')() as boolean);
          } catch {
            resolve(false);
          }
        });
      }),
  );

/** Opens the page where it has never been, and waits until it has isolated itself. */
const isolated = async (page: Page, url: string): Promise<void> => {
  const explained = page.getByText('reloads once').waitFor();
  await page.goto(url);
  await explained;
  await isolation(page).filter({ hasText: 'isolated by a reload' }).waitFor();
};

const asks = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await runStatus(page, 'done');
  expect(await finishedColumns(page)).toBe(1);
};

test('isolates itself and its workers by one reload that it explains, asks, and opens its addresses again', async () => {
  const host = await staticHost(BASE);
  const page = await openPage(stage, { offline: true });
  const loads = loadsOf(page);
  await isolated(page, host.url);
  expect(loads.count).toBe(2);

  await asks(page);
  const places: Place[] = [page, ...page.workers()];
  expect(places.length).toBeGreaterThan(3);
  expect(await Promise.all(places.map((one) => one.evaluate(() => crossOriginIsolated)))).toEqual(
    places.map(() => true),
  );
  expect(await Promise.all(places.map(evaluatesText))).toEqual(places.map(() => false));

  await page.goto(`${host.url}rollouts/nothing/here`);
  await page.getByRole('link', { name: 'Rollouts in this browser' }).waitFor();
  expect(stage.faults).toEqual([]);
  await page.context().close();
}, 300_000);

slow(
  'e2e/shell/static-host.test.ts > isolates itself and its workers by one reload that it explains, asks, and opens its addresses again',
  'test/scripts/service-worker.test.ts > gives way to the one that stores all, at once',
  'test/scripts/service-worker.test.ts > answers without its host with what it stored, at every address with the page',
  'e2e/shell/offline.test.ts > answers a question, and opens any of its places, after the server has gone',
)(
  'trains, and opens its addresses and asks when the host has gone',
  async () => {
    const host = await staticHost(BASE);
    const page = await openPage(stage, { offline: true });
    await isolated(page, host.url);
    const id = await startSmall(page, { url: host.url }, { steps: 1 });
    await status(page, 'finished');
    await page.reload();
    await status(page, 'finished');
    expect(page.url()).toBe(`${host.url}train?run=${id}`);
    await page.getByTestId('offline').filter({ hasText: 'works offline' }).waitFor();
    // All of it is stored, whoever came first.
    host.close();
    await page.goto(`${host.url}rollouts/nothing/here`);
    await page.getByRole('link', { name: 'Rollouts in this browser' }).waitFor();
    await page.goto(`${host.url}models`);
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    await page.goto(host.url);
    await asks(page);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(stage.faults).toEqual([]);
    await page.context().close();
  },
  300_000,
);

test('works without service workers, and says so; a host’s 404 page opens any address', async () => {
  const host = await staticHost(BASE, true);
  const page = await openPage(stage);
  const loads = loadsOf(page);
  await page.goto(`${host.url}rollouts/nothing/here`);
  await page.getByRole('link', { name: 'Rollouts in this browser' }).waitFor();
  const cell = isolation(page).filter({ hasText: 'not isolated: one thread per worker' });
  await cell.waitFor();
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await page.waitForURL(`${host.url}models`);
  await page.reload();
  await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
  await cell.waitFor();
  expect(loads.count).toBe(2);
  expect(stage.faults).toEqual([]);
  await page.context().close();
  host.close();
});

slow(
  'test/ui/lab/isolation.test.ts > does not load again and again where the browser takes no notice',
)('reloads once and never again where the browser takes no notice of the headers', async () => {
  const host = await staticHost(BASE);
  const page = await openPage(stage, { offline: true });
  await page.addInitScript(() =>
    Object.defineProperty(globalThis, 'crossOriginIsolated', { value: false }),
  );
  const loads = loadsOf(page);
  await page.goto(host.url);
  await isolation(page).filter({ hasText: 'not isolated: one thread per worker' }).waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.reload();
  await isolation(page).filter({ hasText: 'not isolated: one thread per worker' }).waitFor();
  expect(loads.count).toBe(3);
  await page.context().close();
  host.close();
});

slow(
  'test/ui/lab/isolation.test.ts > starts at once, and registers nothing',
  'e2e/shell/offline.test.ts > answers a question, and opens any of its places, after the server has gone',
)('does not reload where the host sends the headers', async () => {
  const page = await openPage(stage, { offline: true });
  const loads = loadsOf(page);
  await page.goto(`${stage.url}runs`);
  await page.getByTestId('offline').filter({ hasText: 'works offline' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  expect(await isolation(page).count()).toBe(0);
  expect(loads.count).toBe(2);
  await page.context().close();
});
