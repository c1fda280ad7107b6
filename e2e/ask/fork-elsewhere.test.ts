import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { faultsInBoth } from '../axe.ts';
import { slow } from '../../test/slow/slow.ts';
import { eventNames, openPage, runStatus, useStage, visit } from '../browser.ts';
import { downloaded, startSmall, status } from '../training.ts';

/** Rollouts that are read in Rollouts and in Evaluate are continued in Ask. */

const stage = useStage();
const LONG = 240_000;

const openFile = async (text: string): Promise<Page> => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}rollouts`);
  await page
    .getByLabel('Rollout files')
    .first()
    .setInputFiles({
      name: 'asked.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(text),
    });
  await page.locator('tr[data-position] a').first().click();
  await page.locator('.reader').waitFor();
  return page;
};

/** Opens the first card of a kind in the reader. */
const openFirst = async (page: Page, kind: string): Promise<Locator> => {
  const card = page.locator(`.reader .card[data-kind=${kind}]`).first();
  await card.locator('.card-line').click();
  return card;
};

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Route lines of a column of Ask. */
const routes = (page: Page, name: string): Promise<string[]> =>
  eventNames(column(page, name).locator('.part[data-kind=route]'));

/** Waits until the second rollout is a fork that ended. */
const forked = async (page: Page, how: string): Promise<void> => {
  await column(page, 'Rollout 2').getByTestId('fork-note').filter({ hasText: how }).waitFor();
  await page.locator('.column[data-finished=true]').nth(1).waitFor();
  await runStatus(page, 'done');
};

const narrowFits = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
};

slow(
  'e2e/ask/fork-changes.test.ts > inserts gold, allows a refused query, continues at another temperature and from another source, on the page and from a file',
  'test/ui/ask/siblings/basis.test.ts > is continued by the loaded policy if that wrote it and finds the same passages',
  'test/ui/ask/siblings/basis.test.ts > of %s is not, and it is said why',
  'test/ui/ask/siblings/replay-forks.test.ts > are made of a rollout that was read in a file, too',
)(
  'forks a rollout of a file that Ask wrote, shows it again after a reload, and names another policy',
  async () => {
    const { page: asked } = stage;
    await asked.goto(
      `${stage.url}ask?device=wasm&q=test-2&recipe=search&nlr=always-local&seed=3&run=1`,
    );
    await runStatus(asked, 'done');
    const text = readFileSync(await downloaded(asked, 'Download JSONL'), 'utf8');

    const page = await openFile(text);
    const reader = page.locator('.reader');
    const route = await openFirst(page, 'route');
    await route.getByRole('button', { name: 'Fork here' }).click();
    const other = route.getByRole('button', { name: 'Ask the other source' });
    await other.waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    await narrowFits(page);
    await other.click();
    await forked(page, 'the search goes to the web');
    expect((await routes(page, 'Rollout 1'))[0]).toContain('Route: local');
    expect((await routes(page, 'Rollout 2'))[0]).toContain('Route: web');

    const { searchParams } = new URL(page.url());
    expect(searchParams.get('file')).not.toBeNull();
    await page.reload();
    await page.getByText('Rollout of “asked.jsonl”.').waitFor();
    await forked(page, 'the search goes to the web');
    await page.getByRole('link', { name: 'Back to the rollout' }).click();
    await reader.waitFor();
    await page.context().close();

    // The same record, as if other weights had written it.
    const record = JSON.parse(text) as { policy: { revision: string } };
    record.policy.revision = '0123456789ab';
    const foreign = await openFile(`${JSON.stringify(record)}\n`);
    await (await openFirst(foreign, 'route')).getByRole('button', { name: 'Fork here' }).click();
    await foreign.getByText(/Cannot be forked here: \S+ 0123456789ab wrote it, but Ask/).waitFor();
    await foreign.context().close();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

slow(
  'e2e/ask/fork-changes.test.ts > inserts gold, allows a refused query, continues at another temperature and from another source, on the page and from a file',
  'test/ui/evaluate/beside-forks.test.tsx > is to go on from an event in Ask, by the place of the rollout in its evaluation',
  'test/ui/ask/siblings/basis.test.ts > is continued as the evaluation says',
  'test/ui/ask/siblings/basis.test.ts > of an evaluation is continued by the adapter that it names, or explicitly without one',
  'test/evaluate/systems/own-adapter.test.ts > a rollout of an evaluation says itself which adapter wrote it: %s',
  'test/ui/ask/siblings/replay-forks.test.ts > of an address whose rollout is not in this browser are not, and it says so',
)(
  'forks a rollout of an evaluation where it is read beside others',
  async () => {
    const { page } = stage;
    await visit(page, stage, 'evaluate?new=1');
    await page.getByRole('button', { name: 'clear', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Naive RAG, one retrieval', exact: true }).check();
    await page.getByLabel('Questions, at most').fill('1');
    await page.getByLabel('Device').selectOption('wasm');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.evaluation-head .badge[data-status=finished]').waitFor();
    await page.getByRole('tab', { name: 'Questions' }).click();
    await page.getByRole('grid', { name: 'Systems by question' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const rag = page.getByRole('region', { name: 'Naive RAG, one retrieval' });
    await rag.locator('.part[data-kind=retrieve]').click();
    await rag.getByRole('button', { name: 'Fork here' }).click();
    const again = rag.getByRole('button', { name: 'Sample again' });
    await again.waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    await again.click();
    await forked(page, 'sampled again');
    const file = new URL(page.url()).searchParams.get('file') ?? '';
    expect(file).toMatch(/^evaluation-/);
    await page.reload();
    await page.getByText('Rollout of “').waitFor();
    await forked(page, 'sampled again');

    // Saved to a file and imported again, it says itself that no adapter wrote it.
    await visit(page, stage, `evaluate/${file.replace('evaluation-', '')}`);
    await page.getByRole('button', { name: 'all rollouts in a table' }).click();
    await page.locator('tr[data-position]').first().waitFor();
    await page.getByText('Export', { exact: true }).click();
    const saved = readFileSync(await downloaded(page, 'JSONL, Forage'), 'utf8');
    const imported = await openFile(saved);
    const result = await openFirst(imported, 'retrieve');
    await result.getByRole('button', { name: 'Fork here' }).click();
    await result.getByRole('button', { name: 'Sample again' }).click();
    await forked(imported, 'sampled again');
    await imported.context().close();
    expect(stage.faults).toEqual([]);
  },
  LONG,
);

slow(
  'e2e/ask/fork-changes.test.ts > inserts gold, allows a refused query, continues at another temperature and from another source, on the page and from a file',
  'test/ui/ask/siblings/fork-actions.test.ts > lets only the policy that wrote a rollout of a file continue it, unless another one is chosen',
  'test/ui/kit/fork/fork-menu.test.tsx > offers every adapter that is kept, and the policy without one on the page',
  'test/lab/ask/run-fork.test.ts > a fork with an adapter is asked of it, and its record names it',
  'test/lab/ask/run-policies.test.ts > asks the page’s engine without and with an adapter, and leaves it without one',
  'test/ui/ask/siblings/basis.test.ts > is continued by the adapter that it names, if that is stored',
)(
  'forks with an adapter of a training run, whose file is then gone on with by that adapter',
  async () => {
    const { page } = stage;
    const run = await startSmall(page, stage, { steps: 1, learns: true });
    await status(page, 'finished');
    await page.goto(
      `${stage.url}ask?device=wasm&q=test-2&recipe=search&nlr=always-local&seed=3&run=1`,
    );
    await runStatus(page, 'done');
    await column(page, 'Rollout 1').locator('.part[data-kind=route]').first().click();
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('button', { name: 'Fork here' }).click();
    await details.getByLabel('Adapter from here on').waitFor();
    await details.getByRole('button', { name: 'With another adapter' }).click();
    await forked(page, ', step 1');

    const lines = readFileSync(await downloaded(page, 'Download JSONL'), 'utf8')
      .trim()
      .split('\n');
    const records = lines.map((line) => JSON.parse(line) as { policy: { adapter?: string } });
    expect(records.map(({ policy }) => policy.adapter)).toEqual([undefined, `${run}-step-1`]);

    // In the same browser, where the adapter is kept.
    await visit(page, stage, 'rollouts');
    await page
      .getByLabel('Rollout files')
      .first()
      .setInputFiles({
        name: 'forked.jsonl',
        mimeType: 'application/x-ndjson',
        buffer: Buffer.from(`${lines[1]}\n`),
      });
    await page.locator('tr[data-position] a').first().click();
    await page.locator('.reader').waitFor();
    const route = await openFirst(page, 'route');
    await route.getByRole('button', { name: 'Fork here' }).click();
    await route.getByRole('button', { name: 'Sample again' }).click();
    await forked(page, 'sampled again');
    const again = readFileSync(await downloaded(page, 'Download JSONL'), 'utf8')
      .trim()
      .split('\n');
    expect((JSON.parse(again[1] ?? '') as { policy: { adapter?: string } }).policy.adapter).toBe(
      `${run}-step-1`,
    );
    expect(stage.faults).toEqual([]);
  },
  LONG,
);
