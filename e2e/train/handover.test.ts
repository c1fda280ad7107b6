import { mkdtempSync, openAsBlob, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { ALL_TESTS, slow } from '../../test/slow/slow.ts';
import { openArchive, readTar } from '../../src/handover/adopt/open-archive.ts';
import { readSafetensors } from '../../src/policy/checkpoint/safetensors.ts';
import { lab } from '../../test/cli/lab.ts';
import { makePolicy } from '../../test/handover/adopt/made-policy.ts';
import { changed, returned } from '../../test/handover/adopt/returned.ts';
import { faultsInBoth } from '../axe.ts';
import { openPage, useStage, visit } from '../browser.ts';
import { drop } from '../drop.ts';
import { downloaded, status, stepsDone } from '../training.ts';

/** To a cluster and back: the folder that the page gives, and a run that TRL made. */

const stage = useStage();
const ROOT = join(import.meta.dirname, '../..');
const ARCHIVE = join(ROOT, 'test/fixtures/handover/returned-trl.tar.gz');
const folder = mkdtempSync(join(tmpdir(), 'forage-handover-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAME = 'search-r1/grpo, seed 3, on TRL';

/** A model of the shape that the adapter of the archive is for: the one that it was trained on is not shipped. */
const MODEL = join(folder, 'of-its-shape');
const REVISION = makePolicy(MODEL);

const useModel = async (page: Page): Promise<void> => {
  await page.goto(`${stage.url}models?device=wasm`);
  await page.getByLabel('Folder of a checkpoint').setInputFiles(MODEL);
  await page.getByRole('button', { name: /^Copy/ }).click();
  await page.getByText('ready', { exact: true }).waitFor();
};

/** The archive as if it was trained on that model. */
const trainedOnIt = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const files = changed(await returned(), 'experiment.json', (experiment) => {
    Object.assign(experiment.policy as object, { revision: REVISION });
  });
  return new Uint8Array(
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([path, content]) => [
          path,
          typeof content === 'string' ? new TextEncoder().encode(content) : content,
        ]),
      ),
    ),
  );
};

slow(
  'test/lab/train/adopted-run.test.ts > has the adapter that TRL saved and the rollouts of its steps, and goes on behind them',
  'test/ui/train/store/adopt-actions.test.tsx > reads what is dropped meanwhile behind what is read',
  'test/ui/runs/runs-page.test.tsx > says what each run came to',
  'e2e/train/handover.test.ts > a long one can be cancelled, and nothing of it is left',
  'e2e/train/finished-run.test.ts > opens the rollouts of a step in Ask, coloured by advantage, and comes back',
  'e2e/train/finished-run.test.ts > goes on to more steps than it had',
)(
  'a run that TRL made is dropped on Runs, read step by step, and goes on here',
  async () => {
    const page = await openPage(stage);
    await useModel(page);
    await visit(page, stage, 'runs');
    await page.getByText('No training runs yet').waitFor();
    const back = await trainedOnIt();
    await drop(page, { 'x.zip': back });
    await page.getByText('moments are not in the folder').waitFor();
    const row = page.getByRole('row', { name: new RegExp(NAME) });
    expect(await row.textContent()).toContain('2 / 2');

    // Its adapter is the one that TRL saved.
    await page.getByRole('button', { name: /^Edit and export/ }).click();
    const zip = readFileSync(await downloaded(page, 'Adapter (PEFT, zip)'));
    const mine = Object.entries(unzipSync(zip)).find(([path]) => path.endsWith('.safetensors'));
    const saved = readSafetensors(mine![1]);
    const packed = await openArchive('x.zip', new Blob([back]));
    const theirs = packed!.find(({ path }) =>
      path.endsWith('out/adapter/adapter_model.safetensors'),
    );
    const wanted = readSafetensors(new Uint8Array(await theirs!.blob.arrayBuffer()));
    expect([...saved.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
    for (const [name, { data }] of wanted)
      expect(Array.from(saved.get(name)!.data)).toEqual(Array.from(data));

    await row.getByRole('link', { name: NAME }).click();
    await status(page, 'finished');
    await page.getByRole('button', { name: 'Rollouts of step 2' }).click();
    await page.getByRole('button', { name: 'Open these 4' }).first().click();
    await page.getByText('step 2, best reward first').waitFor();
    expect(await page.locator('.column').count()).toBe(4);
    await page.getByRole('link', { name: 'Back to the step' }).click();

    await page.getByLabel('Go on to step').fill('3');
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await expect.poll(() => stepsDone(page), { timeout: 150_000 }).toBe(3);
    await status(page, 'finished');
    expect(stage.faults).toEqual([]);
  },
  300_000,
);

test('half a folder is a clear sentence, and stores nothing', async () => {
  const page = await openPage(stage);
  await visit(page, stage, 'runs');
  await page.getByText('No training runs yet').waitFor();
  await drop(page, { 'x.tar.gz': readFileSync(ARCHIVE).subarray(0, 9000) });
  await page.getByText(/“x\.tar\.gz” could not be taken in: .*cannot be read/).waitFor();
  await page.getByText('No training runs yet').waitFor();
});

/** As many as a user would wait for; in a quick run as many as take long enough to be stopped. */
const LONG = ALL_TESTS ? 600 : 200;

/** The folder that TRL left, with the rollouts of its first step repeated for this many. */
async function longRun(steps: number): Promise<Uint8Array> {
  const files = (await openArchive('x.tar.gz', await openAsBlob(ARCHIVE))) ?? [];
  const packed: Record<string, Uint8Array> = {};
  for (const { path, blob } of files) {
    if (!/(?:experiment\.json|rollouts\.jsonl)$/.test(path)) continue;
    packed[path] = new Uint8Array(await blob.arrayBuffer());
    if (!path.endsWith('rollouts.jsonl')) continue;
    const first = (await blob.text()).split('\n').filter((line) => line.includes('"step":1,'));
    const lines = Array.from({ length: steps }, (_, i) =>
      first.map((line) => line.replace('"step":1,', `"step":${i + 1},`)).join('\n'),
    );
    packed[path] = new TextEncoder().encode(lines.join('\n'));
  }
  return zipSync(packed);
}

test('a long one can be cancelled, and nothing of it is left', async () => {
  const page = await openPage(stage);
  await visit(page, stage, 'runs');
  await page.getByText('No training runs yet').waitFor();
  await drop(page, { 'long.zip': await longRun(LONG) });
  await page.getByText(new RegExp(`step \\d+ of ${LONG} stored`)).waitFor({ timeout: 60_000 });
  await page.getByText(/left/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled: nothing of “long.zip” is kept.').waitFor();
  await page.getByText('No training runs yet').waitFor();
  const files = await page.evaluate(async () => {
    const names: string[] = [];
    const walk = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const [name, entry] of folder.entries()) {
        names.push(name);
        if (entry instanceof FileSystemDirectoryHandle) await walk(entry);
      }
    };
    await walk(await navigator.storage.getDirectory());
    return names;
  });
  expect(files.filter((name) => name.startsWith('rollouts-'))).toEqual([]);
  expect(stage.faults).toEqual([]);
}, 120_000);

test('the folder for TRL holds what “lab export” writes; what TRL lacks can be left out', async () => {
  const page = await openPage(stage);
  await page.goto(`${stage.url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('kunlun-baize/dapo');
  await page.getByRole('button', { name: 'Take it to a cluster' }).click();
  const dialog = page.getByRole('dialog', { name: 'Take it to a cluster' });
  await dialog.getByText('This trainer cannot run the experiment unchanged').waitFor();
  expect(await faultsInBoth(page)).toEqual([]);
  await dialog.getByLabel(/dynamic sampling/).check();
  await dialog.getByText('What differs from training here').waitFor();
  const path = await downloaded(page, 'Download the folder (tar)');
  const files = await readTar(await openAsBlob(path));

  const out = join(folder, 'export');
  const recipe = ['--to=trl', '--recipe=kunlun-baize/dapo', '--without=dynamic-sampling'];
  const { status: ended, err } = lab('export', ...recipe, `--out=${out}`);
  expect(ended, err).toBe(0);
  const names = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1));
  expect(files.map((file) => file.path.replace('forage-trl/', '')).toSorted()).toEqual(
    names.toSorted(),
  );
  for (const { path: name, blob } of files) {
    const theirs = readFileSync(join(out, name.replace('forage-trl/', '')), 'utf8');
    // The page knows no folder of its policy.
    const expected = theirs.replace(/"folder": "[^"]*public\/policy"/, '"folder": null');
    expect([name, await blob.text()]).toEqual([name, expected]);
  }
}, 120_000);
