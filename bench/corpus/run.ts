/**
 * What an import of 100,000 passages costs, in headless Chromium against the built page (`npx vite
 * build` first): seconds, the page's main-thread tasks meanwhile, memory of page and workers, and what
 * browsing, filtering, indexing for search and searching take afterwards.
 *
 *   npm run -s lab -- bench corpus [--json]      FORAGE_PASSAGES=100000
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import { serve } from '../../scripts/serve/server.mjs';
import { LIMIT_MS, traceMainThread, type MainThread } from '../page/main-thread.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const PASSAGES = Number(process.env.FORAGE_PASSAGES ?? 100_000);
/** Words of a passage: the custom of open-domain question answering. */
const WORDS = 100;

/** Text with the repetitiveness of a language: words drawn by Zipf's law from 20,000. */
function createPassages(): string {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const word = (): string => `w${Math.floor(20_000 ** random()).toString(36)}`;
  const line = (i: number): string => {
    const words = Array.from({ length: WORDS }, word);
    words[0] = `Passage ${i}`;
    for (let at = 12; at < WORDS; at += 14) words[at] += '. The';
    return `${JSON.stringify({ id: String(i), title: `Title ${i}`, text: `${words.join(' ')}.` })}\n`;
  };
  return Array.from({ length: PASSAGES }, (_, i) => line(i)).join('');
}

interface Memory {
  /** Bytes of page and workers as the browser measures them, at most and at the end. */
  highest: number;
  last: number;
}

/** Measures again and again until told to stop. */
function watchMemory(page: Page): () => Promise<Memory> {
  const seen: number[] = [];
  const stop = new AbortController();
  const measure = (): Promise<number> =>
    page.evaluate(async () => {
      const { measureUserAgentSpecificMemory } = performance as unknown as {
        measureUserAgentSpecificMemory: () => Promise<{ bytes: number }>;
      };
      return (await measureUserAgentSpecificMemory.call(performance)).bytes;
    });
  const watching = (async () => {
    while (!stop.signal.aborted) {
      seen.push(await measure());
      await page.waitForTimeout(500);
    }
  })();
  return async () => {
    stop.abort();
    await watching;
    const last = await measure();
    return { highest: Math.max(last, ...seen), last };
  };
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'forage-bench-'));
const file = join(folder, 'passages.jsonl');
writeFileSync(file, createPassages());
const server = await serve({ root: DIST });
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: [
    ...chromiumFlags({ webgpu: false }),
    // Else the browser waits for the next collection of garbage.
    '--enable-blink-features=ForceEagerMeasureMemory',
  ],
});

/** Without and with the measurements of memory, which stop the page while they last. */
async function importOnce(measured: boolean) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${server.url}corpus`);
  await page.getByText('Until then the built-in world is used').waitFor();
  // Until the engines are loaded, so that only the import is counted.
  await page.locator('.cell', { hasText: 'local passages' }).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1000);
  const stop = measured ? watchMemory(page) : null;
  await page.getByLabel('Files to import').setInputFiles(file);
  await page.getByTestId('found').waitFor();
  let took = 0;
  const work = async (): Promise<void> => {
    took = await seconds(async () => {
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('“passages” holds').waitFor({ timeout: 600_000 });
    });
  };
  let main: MainThread | null = null;
  if (measured) await work();
  else main = await traceMainThread(browser, page, work);
  const memory = stop ? await stop() : null;
  return { page, took, main, memory };
}

try {
  const { page, took, main } = await importOnce(false);
  let opened = 0;
  let filtered = 0;
  const reading = await traceMainThread(browser, page, async () => {
    opened = await seconds(async () => {
      await page.getByRole('link', { name: 'passages', exact: true }).click();
      await page.getByText('Passage 0 ').waitFor();
    });
    const list = page.getByRole('group', { name: 'passages, list' });
    for (const share of [0.25, 0.5, 0.75, 0.999]) {
      await list.evaluate((element, at) => element.scrollTo(0, element.scrollHeight * at), share);
      await page.waitForTimeout(300);
    }
    filtered = await seconds(async () => {
      await page.getByLabel('Filter passages').fill(`title ${PASSAGES - 1}`);
      await page.getByText('1 found').waitFor({ timeout: 60_000 });
    });
  });
  let indexed = 0;
  let found = 0;
  const indexing = await traceMainThread(browser, page, async () => {
    await page.getByLabel('Choose passages').check();
    indexed = await seconds(async () => {
      await page.getByRole('button', { name: 'Use for search' }).click();
      const ready = `${PASSAGES.toLocaleString('en')} local passages`;
      await page.locator('.cell', { hasText: ready }).waitFor({ timeout: 600_000 });
    });
    found = await seconds(async () => {
      await page.getByLabel('Query', { exact: true }).fill(`title ${PASSAGES - 1}`);
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText(/passages for “title/u).waitFor({ timeout: 60_000 });
    });
  });
  const memoryLine = await page
    .getByText(/^memory/u)
    .first()
    .innerText();
  await page.context().close();
  const { memory } = await importOnce(true);
  const result = {
    passages: PASSAGES,
    fileBytes: statSync(file).size,
    importSeconds: took,
    importing: main,
    memory,
    openSeconds: opened,
    filterSeconds: filtered,
    reading,
    indexSeconds: indexed,
    searchSeconds: found,
    indexing,
    memoryLine,
  };
  if (values.json) console.log(JSON.stringify(result));
  else {
    const tasks = (label: string, thread: MainThread | null): void => {
      if (thread)
        console.log(
          `${label}  longest main-thread task ${thread.longestOwnMs.toFixed(1)} ms of its own (${thread.overLimitOwn} over ${LIMIT_MS}), ${thread.longestWallMs.toFixed(1)} ms by the clock (${thread.overLimitWall} over ${LIMIT_MS})`,
        );
    };
    console.log(
      `import    ${PASSAGES} passages, ${(result.fileBytes / 1e6).toFixed(1)} MB, in ${took.toFixed(1)} s (${Math.round(PASSAGES / took)} a second)`,
    );
    tasks('        ', main);
    console.log(
      `memory    page and workers at most ${((memory?.highest ?? 0) / 1e6).toFixed(0)} MB while importing, ${((memory?.last ?? 0) / 1e6).toFixed(0)} MB afterwards`,
    );
    console.log(
      `reading   opened in ${(opened * 1000).toFixed(0)} ms, a filter over all texts in ${filtered.toFixed(2)} s`,
    );
    tasks('        ', reading);
    console.log(
      `indexing  words (BM25+) in ${indexed.toFixed(1)} s, then a search in ${(found * 1000).toFixed(0)} ms; the page says: ${memoryLine}`,
    );
    tasks('        ', indexing);
  }
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
