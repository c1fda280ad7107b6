/**
 * Takes the pictures of docs/: every page of the built one, with work of its own on it, as
 * docs/PAGE-{light,dark,phone}.png. A kunlun-baize rollout with the cards open that say what decided, a run of a dozen small
 * steps, a file of 160 rollouts, the map of passages, and three systems on 20 questions: about three minutes on two cores.
 *
 *   npx vite build && npx tsx scripts/screenshots.ts [pages, e.g. corpus rollouts; all by default]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Locator, type Page } from 'playwright-core';
import { EXAMPLES } from '../src/ui/ask/store/examples.ts';
import { chromiumFlags, ensureChromium } from './chromium.mjs';
import { serve } from './serve/server.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
const WIDE = { width: 1440, height: 900 };
const LOOKS = [
  { name: 'light', scheme: 'light', size: WIDE },
  { name: 'dark', scheme: 'dark', size: WIDE },
  { name: 'phone', scheme: 'light', size: { width: 390, height: 844 } },
] as const;
const MOST_BYTES = 350_000;
/** Charts and panels settle, and nothing moves (`reducedMotion`). */
const SETTLE_MS = 1000;

/** The page as it stands, in every look. @param at what is to be seen of it */
async function shoot(page: Page, place: string, at?: Locator): Promise<void> {
  for (const { name, scheme, size } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(SETTLE_MS);
    await at?.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    const path = join(DOCS, `${place}-${name}.png`);
    await page.screenshot({ path });
    const bytes = statSync(path).size;
    console.log(`${path}: ${(bytes / 1000).toFixed(0)} kB`);
    if (bytes > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES / 1000} kB.`);
  }
  await page.setViewportSize(WIDE);
}

/** Shows the first event that one of `selectors` finds in the details; each is a fallback of the one before. */
async function openEvent(page: Page, ...selectors: string[]): Promise<void> {
  for (const selector of selectors) {
    const event = page.locator(selector);
    if ((await event.count()) === 0) continue;
    await event.first().click();
    return;
  }
  console.log(`No event like ${selectors.join(' or ')}; try another seed.`);
}

async function ask(page: Page, url: string): Promise<void> {
  await page.goto(`${url}ask?device=wasm`);
  await page.getByRole('button', { name: /^(Watch it answer|Run this question)$/ }).click();
  await page.waitForSelector('[data-testid="run-status"]:has-text("done")', { timeout: 180_000 });
  await openEvent(
    page,
    '.part[data-kind="verdict"]:has-text("refused")',
    '.part[data-kind="verdict"]',
    '.part[data-kind="retrieve"]',
  );
  await page.locator('.ask-main').evaluate((element) => element.scrollTo(0, 0));
  await page.mouse.move(700, 880);
  await shoot(page, 'ask');
}

/** A run of real steps, small enough for some minutes; then the list of runs. */
async function train(page: Page, url: string): Promise<void> {
  await page.goto(`${url}train?new=1&device=wasm`);
  await page.getByLabel('Recipe', { exact: true }).selectOption('search/grpo');
  // What a short run learns from this start can be seen.
  await page.getByRole('button', { name: 'Start from that' }).click();
  await page.locator('summary', { hasText: 'Held-out score, snapshots' }).first().click();
  const small = { Steps: '10', 'Questions per step': '4', 'Scored every, steps': '1' };
  for (const [label, value] of Object.entries(small))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.locator('.badge[data-status=finished]').waitFor({ timeout: 1_200_000 });
  await shoot(page, 'train');
  await page.goto(`${url}runs`);
  await page.locator('[data-run]').first().waitFor();
  await shoot(page, 'runs');
}

/** A file of 160 rollouts, as the command line writes it. */
async function rollouts(page: Page, url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'forage-pictures-'));
  const file = join(folder, 'kunlun-baize.jsonl');
  const asked = '--recipe kunlun-baize --limit 40 --group 4 --temperature 1 --out'.split(' ');
  const command = ['run', '-s', 'lab', '--', 'rollout', ...asked, file];
  execFileSync('npm', command, { cwd: ROOT, stdio: 'ignore' });
  await page.goto(`${url}rollouts`);
  await page.locator('main input[type=file]').first().setInputFiles(file);
  await page.waitForSelector('[data-testid="file-figures"]');
  rmSync(folder, { recursive: true });
  await shoot(page, 'rollouts');
}

async function corpus(page: Page, url: string): Promise<void> {
  const [question = ''] = EXAMPLES;
  await page.goto(`${url}corpus?${new URLSearchParams({ find: question }).toString()}`);
  await page.getByText('On the map of passages').click();
  await page.locator('.map-gold').first().waitFor();
  const map = page.locator('.picture-box', { has: page.locator('.map-gold') });
  await shoot(page, 'corpus', map);
}

async function evaluate(page: Page, url: string): Promise<void> {
  await page.goto(`${url}evaluate`);
  await page.getByRole('button', { name: 'Three systems on 20 questions' }).click();
  await page.locator('.evaluation-head .badge[data-status=finished]').waitFor({ timeout: 180_000 });
  // The table is computed again once the last rollout is in.
  await page.getByText('20 questions, 20 rollouts').nth(2).waitFor();
  await shoot(page, 'evaluate');
}

async function models(page: Page, url: string): Promise<void> {
  await page.goto(`${url}models`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  // What fits is counted for each model, what is stored is read, and what is loaded stands ready.
  await page.waitForFunction(
    () =>
      !/(?:Checking this device|Estimating the memory|Reading (?:its|the)|indexing the|loading (?:world|retrieval|model))/.test(
        document.body.innerText,
      ),
  );
  await shoot(page, 'models');
}

const PAGES = { ask, corpus, evaluate, models, rollouts, train };
const wanted = process.argv.slice(2);
mkdirSync(DOCS, { recursive: true });
const server = await serve({ root: join(ROOT, 'dist') });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' });
  const page = await context.newPage();
  for (const [name, take] of Object.entries(PAGES))
    if (wanted.length === 0 || wanted.includes(name)) await take(page, server.url);
} finally {
  await browser.close();
  await server.close();
}
