import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  shardedFiles,
  startHub,
  type HubServer,
} from '../../test/lab/models/checkpoints/hub-server.ts';
import { slow } from '../../test/slow/slow.ts';
import { faultsOf } from '../axe.ts';
import { openPage, useStage } from '../browser.ts';

/** Checkpoints on the models page: a real server, the real page, the browser's own file system. */

const stage = useStage();
const LONG = 240_000;
const CHUNK = 16 * 1024 * 1024;
const FIRST = 'model-00001-of-00002.safetensors';
let hub: HubServer;

beforeAll(async () => {
  // 28 MB of the shard that is cut and held: a chunk and two thirds.
  hub = await startHub(shardedFiles(7_000_000, 50_000));
});
afterAll(() => hub.close());

const open = async (options: Parameters<typeof openPage>[1] = {}): Promise<Page> => {
  const page = await openPage(stage, options);
  await page.addInitScript((base) => localStorage.setItem('forage.hub', base), hub.url);
  await page.goto(`${stage.url}models`);
  return page;
};

const look = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Repository or address').fill(text);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
};

const state = (page: Page): Promise<string | null> =>
  page.locator('.checkpoint').getAttribute('data-state');

/** SHA-256 of a stored file, read from the browser's file system. */
const storedHash = (page: Page, name: string): Promise<string> =>
  page.evaluate(async (wanted) => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('checkpoints');
    for await (const folder of all.values()) {
      if (folder.kind !== 'directory') continue;
      const file = await folder.getFileHandle(wanted);
      const bytes = await (await file.getFile()).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }
    return 'none';
  }, name);

/** Bytes of all files of checkpoints in the browser's file system. */
const storedBytes = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('checkpoints');
    let bytes = 0;
    for await (const folder of all.values()) {
      if (folder.kind !== 'directory') continue;
      for await (const file of folder.values())
        if (file.kind === 'file') bytes += (await file.getFile()).size;
    }
    return bytes;
  });

/** Deletions seem to be six minutes old. */
const endUndo = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('forage-checkpoints');
        opening.addEventListener('success', () => {
          const database = opening.result;
          const store = database.transaction('checkpoints', 'readwrite').objectStore('checkpoints');
          const all = store.getAll();
          all.addEventListener('success', () => {
            for (const record of all.result as { deletedAt: string | null }[])
              if (record.deletedAt !== null)
                store.put({ ...record, deletedAt: new Date(Date.now() - 360_000).toISOString() });
          });
          store.transaction.addEventListener('complete', () => {
            database.close();
            resolve();
          });
        });
        opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')));
      }),
  );

const hashOf = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');

it(
  'downloads, survives a cut and a killed page, is whole, renamed, chosen, deleted and brought back',
  async () => {
    const page = await open();
    await look(page, 'forage/tiny');
    await page.getByText(/^Fits: .* left for this site/).waitFor();
    expect(await page.getByTestId('fit').textContent()).toMatch(/parameters · on/);
    hub.asked.length = 0;
    hub.rate = 10e6;
    hub.cutAt.set(FIRST, [5_000_000]);
    // Past the first chunk after the cut, before the end of the shard.
    hub.holdAt.set(FIRST, 5_000_000 + CHUNK + 4_500_000);
    await page.getByRole('button', { name: /^Download 28\.2 MB/ }).click();
    // The cut is mended without a click; then the page dies in the second chunk.
    const firsts = () => hub.asked.filter(({ name }) => name === FIRST);
    await expect
      .poll(() => firsts().length, { timeout: 60_000 })
      .toBe(2)
      .catch(async (e: unknown) => {
        console.log(await page.locator('.checkpoints-section').innerText(), hub.asked);
        throw e;
      });
    const [cut, mended] = firsts();
    expect(cut!.sent - mended!.from).toBeLessThanOrEqual(CHUNK);
    expect(mended!.from).toBeGreaterThan(0);
    await page.getByText(/MB\/s · .* left/).waitFor();
    const share = () => page.getByRole('progressbar').last().getAttribute('aria-valuenow');
    await expect.poll(async () => Number(await share()), { timeout: 60_000 }).toBeGreaterThan(80);
    await page.reload();
    await page.getByText('interrupted').waitFor();
    hub.rate = null;
    hub.holdAt.clear();
    await page.getByRole('button', { name: 'Resume forage/tiny' }).click();
    await page.getByText('ready', { exact: true }).waitFor({ timeout: 60_000 });
    // What was written before the page died is not fetched again.
    expect(firsts().length).toBe(3);
    expect(firsts()[2]!.from).toBeGreaterThanOrEqual(mended!.from + CHUNK);
    expect(await storedHash(page, FIRST)).toBe(await hashOf(hub.files.get(FIRST)!));
    await page.getByText('6 files', { exact: true }).click();
    expect(await page.getByText('as listed by the hub').count()).toBe(2);

    await page.getByRole('button', { name: 'Rename forage/tiny' }).click();
    await page.getByLabel('Name of the checkpoint').fill('Tiny one');
    await page.keyboard.press('Enter');
    const rename = page.getByRole('button', { name: 'Rename Tiny one' });
    await rename.waitFor();
    expect(await rename.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Use Tiny one' }).click();
    await page.getByText('in use', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('in use', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete Tiny one' }).click();
    await page.locator('.checkpoint').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Tiny one' }).waitFor();
    expect(await state(page)).toBe('ready');

    // Its disk is freed at a click, and without one after a reload when the undo is over.
    await page.getByRole('button', { name: 'Delete Tiny one' }).click();
    await page.getByText('Undo is possible for 5 minutes; then the space is freed.').waitFor();
    expect(await storedBytes(page)).toBeGreaterThan(28e6);
    await endUndo(page);
    await page.reload();
    await expect.poll(() => storedBytes(page), { timeout: 40_000 }).toBe(0);
    await look(page, 'forage/tiny');
    await page.getByRole('button', { name: /^Download 28\.2 MB/ }).click();
    await page.getByText('ready', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Delete forage/tiny' }).click();
    await page.getByRole('button', { name: 'Free the space now' }).click();
    await expect.poll(() => storedBytes(page)).toBe(0);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(stage.faults).toEqual([]);
    await page.context().close();
  },
  LONG,
);

slow(
  'e2e/models/checkpoint-policy.test.ts > takes a Qwen2 folder, is the policy of the next visit, and is asked',
  'test/lab/models/checkpoints/host.test.ts > is copied, and wants to be chosen again to go on',
)(
  'takes a folder of this machine',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forage-folder-'));
    for (const [name, bytes] of shardedFiles(1000)) writeFileSync(join(folder, name), bytes);
    const page = await open();
    await page.getByLabel('Folder of a checkpoint').setInputFiles(folder);
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await storedHash(page, FIRST)).toBe(await hashOf(shardedFiles(1000).get(FIRST)!));
    await page.context().close();
    rmSync(folder, { recursive: true });
  },
  LONG,
);

it(
  'says what is wrong with a server, in words, and axe finds no fault at 390 pixels',
  async () => {
    const page = await open({ width: 390, colorScheme: 'dark' });
    const told = async (text: RegExp) => {
      await look(page, 'forage/tiny');
      await page.getByRole('alert').filter({ hasText: text }).waitFor();
    };
    hub.refuse = { status: 403, code: 'GatedRepo' };
    await told(/is gated.*Accept/);
    hub.refuse = null;
    hub.cors = false;
    await told(/sent no answer that this page may read.*Access-Control-Allow-Origin/);
    hub.cors = true;
    await look(page, 'forage/tiny');
    await page.getByText('6 files').click();
    // A card asks the same of a published one, and shows what it brings in its place.
    hub.also = 'HuggingFaceTB/SmolLM2-135M-Instruct';
    const card = page.locator(`[data-published="${hub.also}"]`);
    await card.getByText('fits', { exact: true }).waitFor();
    await card.getByRole('button', { name: `Download ${hub.also}` }).click();
    await card.getByText(/^Fits: .* left for this site/).waitFor();
    expect(await page.getByText(/^Fits: .* left for this site/).count()).toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await page.context().close();
  },
  LONG,
);
