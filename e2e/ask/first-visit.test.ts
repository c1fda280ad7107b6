import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialKilobytes } from '../../bench/page/initial-scripts.ts';
import { EXAMPLES } from '../../src/ui/ask/store/examples.ts';
import { faultsInBoth } from '../axe.ts';
import { firstFiles } from '../../scripts/serve/first-files.mjs';
import { DIST, runStatus, useStage, visit } from '../browser.ts';

const stage = useStage();

it('shows a stranger after one click a success by both sources, as text and as a picture', async () => {
  const { page } = stage;
  const asked: string[] = [];
  page.context().on('request', (request) => asked.push(new URL(request.url()).pathname.slice(1)));
  page.on('worker', (worker) => asked.push(`worker ${new URL(worker.url()).pathname.slice(1)}`));
  // A server of this machine is not asked ahead, and by this name it is none.
  const url = stage.url.replace('//localhost', '//forage.localhost');
  await page.goto(url);
  await page.getByRole('button', { name: 'Watch it answer' }).click();
  await page.waitForSelector('.part');
  expect(await page.locator('main h1').textContent()).toBe(EXAMPLES[0]);
  expect(await page.locator('.question-gold').textContent()).toMatch(/[2-5] hops/);
  await runStatus(page, 'done');
  // The page asks for what the workers begin with while they start, and for nothing that none of them reads.
  const first = await firstFiles(DIST);
  for (const file of [...first.sources, ...first.policy].filter((name) => !name.endsWith('.js')))
    expect(asked.indexOf(file), file).toBeLessThan(asked.indexOf(`worker ${first.policy[0]}`));
  for (const file of Object.values(first).flat())
    expect(asked.filter((one) => one === file).length, file).toBeGreaterThan(1);
  const words = page.getByTestId('verdict-words');
  await words.waitFor();
  expect(await words.textContent()).toMatch(
    /^Right, after \d searches of the (local corpus and the web|web and the local corpus); both passages that state it were found/,
  );
  const hops = page.getByRole('region', { name: 'Hop map' });
  const last = hops.getByRole('button', { name: /^hop 2, .*found/ });
  await last.focus();
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Details' });
  await details.getByText(/^event \d+ of/).waitFor();
  expect(await faultsInBoth(page)).toEqual([]);
  // Letters are commands where the list of questions has the focus, too: it knows none of its own.
  const questions = page.getByRole('listbox', { name: 'Questions of the built-in world' });
  await questions.focus();
  await page.keyboard.press('s');
  await questions.waitFor({ state: 'hidden' });
  await page.keyboard.press('s');
  await questions.waitFor();

  // Every place is a link away, and says what is there.
  for (const [place, heading, text] of [
    ['Train', 'Train the model in this tab', 'Nothing has been trained here yet'],
    ['Runs', 'Runs', 'No training runs yet'],
    ['Evaluate', 'Evaluate', 'Nothing has been evaluated in this browser yet'],
    ['Models', 'Models', 'The built-in model (1.48 M parameters) is loaded and works here'],
    ['Corpus', 'Corpus', 'Searches with the model’s retriever'],
  ] as const) {
    await page.getByRole('link', { name: place, exact: true }).click();
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    expect(await page.locator('main').textContent()).toContain(text);
  }
  await visit(page, { url }, 'corpus/no-such-place');
  await page.getByRole('heading', { name: 'Page not found', exact: true }).waitFor();
});

it('needs at most 330 kB of compressed JavaScript to begin with', () => {
  const kilobytes = initialKilobytes(DIST);
  console.log(`initial JavaScript: ${kilobytes.toFixed(0)} kB compressed`);
  expect(kilobytes).toBeLessThanOrEqual(330);
  expect(readdirSync(join(DIST, 'assets')).some((file) => file.endsWith('.wasm'))).toBe(true);
});
