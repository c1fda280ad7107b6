/**
 * Takes the README's pictures from the built page: docs/inspect-{light,dark}.png, a finished
 * kunlun-baize rollout with the cards open that say what decided, and docs/train-{light,dark}.png, a
 * run of a dozen small steps.
 *
 *   npx vite build && npx tsx scripts/screenshots.ts [address query, e.g. "q=test-2&seed=1"]
 */
import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from './chromium.mjs';
import { serve } from './serve/server.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const DOCS = join(ROOT, 'docs');
const SCHEMES = ['light', 'dark'] as const;
const MOST_BYTES = 350_000;

/** Opens the first card that the first of `selectors` finds; each is a fallback of the one before. */
async function openCard(page: Page, ...selectors: string[]): Promise<void> {
  for (const selector of selectors) {
    const line = page.locator(`${selector} .card-line`);
    if ((await line.count()) === 0) continue;
    await line.first().click();
    return;
  }
  console.log(`No card like ${selectors.join(' or ')}; try another seed.`);
}

async function take(browser: Browser, url: string, scheme: (typeof SCHEMES)[number]) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: /^Run (an example|this question)$/ }).click();
  await page.waitForSelector('[data-testid="run-status"]:has-text("done")', { timeout: 180_000 });
  await openCard(page, '.card[data-kind="route"]');
  await openCard(page, '.card[data-kind="retrieve"]');
  await openCard(page, '.card[data-kind="candidate"]');
  // The last one fills the details panel.
  await openCard(
    page,
    '.card[data-kind="verdict"]:has-text("refused")',
    '.card[data-kind="verdict"]:has-text("differs")',
    '.card[data-kind="verdict"]',
  );
  await page.locator('.ask-main').evaluate((element) => element.scrollTo(0, 0));
  await page.mouse.move(700, 880);
  await shoot(page, `inspect-${scheme}`);
  await context.close();
}

async function shoot(page: Page, name: string): Promise<void> {
  const path = join(DOCS, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path}: ${(size / 1000).toFixed(0)} kB`);
  if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES / 1000} kB.`);
}

/** A run of real steps, small enough for a minute, in both schemes. */
async function takeTraining(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  await page.goto(`${url}train?new=1&device=wasm`);
  for (const [label, value] of Object.entries({ Steps: '12', 'Questions a step': '4' }))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByText('Held-out score').click();
  await page.getByLabel('Held-out questions').fill('24');
  await page.getByLabel('Scored every, steps').fill('3');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.locator('.badge[data-status=finished]').waitFor({ timeout: 600_000 });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(1000);
    await shoot(page, `train-${colorScheme}`);
  }
}

const query = process.argv[2] ?? '';
mkdirSync(DOCS, { recursive: true });
const server = await serve({ root: join(ROOT, 'dist') });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: chromiumFlags({ webgpu: false }),
});
try {
  for (const scheme of SCHEMES)
    await take(browser, `${server.url}ask?device=wasm&${query}`, scheme);
  await takeTraining(browser, server.url);
} finally {
  await browser.close();
  await server.close();
}
