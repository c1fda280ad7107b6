import { parquetWriteBuffer } from 'hyparquet-writer';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hostileFiles, PAYLOADS } from '../../test/fixtures/inspect/payloads.ts';
import { ALL_TESTS } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { openPage, useStage, visit } from '../browser.ts';

/**
 * Imported text is hostile: every payload, through every importer and every view of the reader, runs
 * nothing and asks nobody for anything.
 */

const stage = useStage();
const LONG = 240_000;

const VIEWS = ['Rounds', 'Text', 'Tokens', 'Group', 'Diff', 'Scores', 'What if', 'Time'];

const trl = (): Buffer => {
  const all = PAYLOADS.join('\n');
  const column = (name: string, data: unknown[], type: 'STRING' | 'DOUBLE') => ({
    name,
    data,
    type,
  });
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        column('step', [1, 1], 'DOUBLE'),
        column('prompt', [`Question: ${PAYLOADS[0]}\n`, `Question: ${PAYLOADS[0]}\n`], 'STRING'),
        column('completion', [`<think>${all}</think><answer>${all}</answer>`, all], 'STRING'),
        column('accuracy', [1, 0], 'DOUBLE'),
        column('advantage', [1, -1], 'DOUBLE'),
        column('solution', [all, all], 'STRING'),
      ],
    }),
  );
};

const files = () => {
  const { r1, verl, board, forage } = hostileFiles();
  const text = (name: string, body: string) => ({
    name,
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(body),
  });
  return [
    text('r1<img src=x onerror=window.__pwned=1>.jsonl', r1),
    text('verl.jsonl', verl),
    text('board.jsonl', board),
    text('forage.jsonl', forage),
    { name: 'trl.parquet', mimeType: 'application/octet-stream', buffer: trl() },
  ];
};

interface Watch {
  requests: string[];
  dialogs: string[];
}

/** Refuses and notes whatever does not go to the page's own server. */
const watch = async (page: Page): Promise<Watch> => {
  const seen: Watch = { requests: [], dialogs: [] };
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(stage.url) || url.startsWith('blob:') || url.startsWith('data:'))
      return route.continue();
    seen.requests.push(url);
    return route.abort();
  });
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return seen;
};

/** Ids of files and of their first rollouts, as they are stored. */
const stored = (
  page: Page,
): Promise<{ id: string; name: string; rollout: string; status: string }[]> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error!);
      });
    const database = await done(indexedDB.open('forage-inspection'));
    const read = (store: string) =>
      done<Record<string, unknown>[]>(database.transaction(store).objectStore(store).getAll());
    const [records, chunks] = [await read('files'), await read('rows')];
    database.close();
    return records.map(({ id, name, status }) => {
      const rows = chunks.find((chunk) => chunk['fileId'] === id)?.['rows'] as
        | { row: { id: string } }[]
        | undefined;
      return {
        id: String(id),
        name: String(name),
        status: String(status),
        rollout: rows?.[0]?.row.id ?? '',
      };
    });
  });

const importFiles = async (page: Page, given: ReturnType<typeof files>) => {
  await page.goto(`${stage.url}rollouts`);
  await page.getByLabel('Rollout files').first().setInputFiles(given);
  await expect
    .poll(async () => (await stored(page)).filter(({ status }) => status === 'ready').length, {
      timeout: 60_000,
    })
    .toBe(given.length);
  return stored(page);
};

/** Opens the reader at a rollout, from the list of files: nothing of another rollout is left. */
const openReader = async (
  page: Page,
  { id, rollout }: { id: string; rollout: string },
): Promise<void> => {
  await visit(page, stage, 'rollouts');
  await page.getByLabel('Rollout files').first().waitFor({ state: 'attached' });
  await visit(page, stage, `rollouts/${encodeURIComponent(id)}/${encodeURIComponent(rollout)}/`);
  await page.locator('.reader-head').waitFor();
};

const show = async (page: Page, view: string): Promise<void> => {
  const tab = page.getByRole('tab', { name: view, exact: true });
  // A view that the file cannot fill is grey; its address still opens it.
  if ((await tab.getAttribute('aria-disabled')) === 'true') {
    await page.locator('.reader').focus();
    await page.keyboard.press(String(VIEWS.indexOf(view) + 1));
    await tab.and(page.locator('[aria-selected=true]')).waitFor();
  } else await tab.click();
  await page.locator(`[role=tabpanel] :is(p, table, .raw-row, section)`).first().waitFor();
};

const elementsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const foreign =
      'script,iframe,object,embed,img,video,audio,base,form[action],a[href^="javascript"],[onerror],[onload],math,foreignObject';
    return [...document.querySelectorAll(`main :is(${foreign})`)].map((one) => one.outerHTML);
  });

it(
  'runs nothing and asks for nothing in any view, and so does its HTML file',
  async () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(200);
    const page = await openPage(stage);
    const seen = await watch(page);
    const imported = await importFiles(page, files());
    for (const [at, file] of imported.entries()) {
      await openReader(page, file);
      // Each view is of all files with `--all`, else of ours, which has the most to show, and of one more.
      const every = ALL_TESTS || file.name === 'forage.jsonl';
      for (const view of every ? VIEWS : VIEWS.filter((_, place) => place % 4 === at % 4)) {
        await show(page, view);
        if (view === 'Tokens') {
          await page.getByRole('slider').first().focus();
          for (const key of ['End', 'ArrowLeft', 'Home', 'Shift+ArrowRight'])
            await page.keyboard.press(key);
        }
        if (view === 'Diff') {
          const other = page.getByLabel('Compare with');
          const options = await other.locator('option').count();
          if (options > 1) await other.selectOption({ index: 1 });
        }
        expect(await elementsOf(page)).toEqual([]);
      }
      await page.mouse.move(500, 500);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'HTML', exact: true }).click();
      const html = readFileSync(await (await download).path(), 'utf8');
      const alone = await page.context().newPage();
      const seenAlone = await watch(alone);
      // Without the file's own policy, so that the escaping has to do it alone.
      await alone.setContent(html.replace(/<meta http-equiv[^>]*>/, ''));
      await alone.mouse.move(300, 300);
      expect(await alone.evaluate(() => '__pwned' in window)).toBe(false);
      expect(await alone.locator('h1').count()).toBe(1);
      expect(seenAlone).toEqual({ requests: [], dialogs: [] });
      await alone.close();
    }
    expect(await page.evaluate(() => '__pwned' in window)).toBe(false);
    expect(seen).toEqual({ requests: [], dialogs: [] });
    expect(stage.faults).toEqual([]);
    await page.context().close();
  },
  LONG,
);

const REAL = new URL('../../test/fixtures/inspect/kunlun-baize-dev.jsonl', import.meta.url);

const real = () => ({
  name: 'kunlun-baize-dev.jsonl',
  mimeType: 'application/x-ndjson',
  buffer: readFileSync(REAL),
});

it(
  'every view has no fault that axe finds, light and dark, wide and narrow, and is reached by keys alone',
  async () => {
    const page = await openPage(stage);
    const [file] = await importFiles(page, [real()]);
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      await openReader(page, file!);
      for (const [at, view] of VIEWS.entries()) {
        // Every view in both with `--all`, else half of them in the light and the others in the dark.
        if (!ALL_TESTS && (at % 2 === 0) !== (colorScheme === 'light')) continue;
        await page.keyboard.press(String(at + 1));
        await page.getByRole('tab', { name: view, exact: true, selected: true }).waitFor();
        await page.waitForTimeout(250);
        expect(await faultsOf(page), `${view}, ${width}`).toEqual([]);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
      }
      if (!ALL_TESTS && colorScheme === 'dark') continue;
      await page.keyboard.press('1');
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      await page.waitForURL(/event=2/);
      const before = page.url();
      await page.keyboard.press('j');
      await page.waitForFunction((old) => location.href !== old, before);
      await page.getByText(/^2 of \d+ in /).waitFor();
      // It stays so until the second look at it.
      if (colorScheme === 'light') await page.keyboard.press('b');
      await page.getByRole('button', { name: '★ bookmarked (b)' }).waitFor();
      await page.keyboard.press('/');
      await page.locator('[aria-label="Find in the text"]:focus').waitFor();
      await page.keyboard.type('think');
      await page.getByText(/^1 of \d+$/).waitFor();
    }
    await page.context().close();
  },
  LONG,
);
