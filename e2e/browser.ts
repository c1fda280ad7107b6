import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { chromiumFlags, ensureChromium } from '../scripts/chromium.mjs';
import { serve, type Served } from '../scripts/serve/server.mjs';

/** What every end-to-end test is on: the built page, its real server, a real browser. */

export const DIST = resolve(import.meta.dirname, '../dist');

export interface Stage {
  readonly page: Page;
  readonly browser: Browser;
  /** Address of the page, with a slash at its end. */
  url: string;
  /** Uncaught errors of the page and refusals of the content security policy. */
  faults: string[];
}

interface StageOptions {
  webgpu?: boolean;
  /** For a test that harms its browser: one of its own, ended after the file. */
  ownBrowser?: boolean;
  root?: () => string;
  base?: string;
}

const checkBuilt = (): void => {
  for (const file of ['index.html', 'policy/model.safetensors', 'world/manifest.json']) {
    if (!existsSync(join(DIST, file))) {
      throw new Error(`dist/${file} is missing. Run: npx vite build`);
    }
  }
};

const launch = (webgpu: boolean): Promise<Browser> =>
  chromium.launch({
    executablePath: ensureChromium(),
    args: [
      ...chromiumFlags({ webgpu }),
      webgpu
        ? // SwiftShader unrolls the zeros that WebGPU fills workgroup memory with, which makes it compile
          // five times longer. No kernel counts on them: so does `test/policy/ops/support/swiftshader.ts`.
          '--enable-dawn-features=disable_workgroup_init'
        : // Painting by a GPU that is software takes a core from what is tested.
          '--disable-gpu',
    ],
  });

/**
 * Browsers that the files of this process share, with and without WebGPU; contexts keep their tests
 * apart. They end with the process that drives them.
 */
const shared = new Map<boolean, Promise<Browser>>();

const sharedBrowser = async (webgpu: boolean): Promise<Browser> => {
  const running = await shared.get(webgpu);
  if (running?.isConnected()) return running;
  const started = launch(webgpu);
  shared.set(webgpu, started);
  return started;
};

/**
 * Serves `root` (the built page by default) below `base` (`/` by default) and opens a page in a
 * browser for the tests of one file. Contexts that they open are closed after the last of them.
 */
export const useStage = (options: StageOptions = {}): Stage => {
  let server: Served;
  let open: { page: Page; browser: Browser } | null = null;
  const opened = () => {
    if (!open) throw new Error('the browser is not open yet');
    return open;
  };
  const stage: Stage = {
    faults: [],
    url: '',
    get page() {
      return opened().page;
    },
    get browser() {
      return opened().browser;
    },
  };
  beforeAll(async () => {
    checkBuilt();
    server = await serve({ root: options.root?.() ?? DIST, base: options.base ?? '/' });
    stage.url = server.url;
    const webgpu = options.webgpu ?? false;
    const browser = await (options.ownBrowser ? launch(webgpu) : sharedBrowser(webgpu));
    open = { browser, page: await openPage({ browser, faults: stage.faults }) };
  });
  // What the first test of a file had stored before it failed is not there when it runs again.
  let ran = 0;
  beforeEach(async ({ task }) => {
    const again = (task.result?.retryCount ?? 0) > 0;
    if (!again) ran++;
    if (!again || ran > 1 || !open) return;
    const { browser, page } = open;
    await page.context().close();
    open = { browser, page: await openPage({ browser, faults: stage.faults }) };
  });
  afterAll(async () => {
    if (options.ownBrowser) await open?.browser.close();
    // One file at a time uses a browser, so none of these is another's.
    else await Promise.all(open?.browser.contexts().map((one) => one.close()) ?? []);
    await server?.close();
  });
  return stage;
};

/** A page in a context of its own: no storage, no cache. */
export const openPage = async (
  stage: Pick<Stage, 'browser' | 'faults'>,
  options: {
    colorScheme?: 'light' | 'dark';
    width?: number;
    offline?: boolean;
    /** Nothing is stored; by default the setup of Ask was opened before, so that its fields are there. */
    stranger?: boolean;
    /** Pictures move; by default they show their end. */
    motion?: boolean;
  } = {},
): Promise<Page> => {
  const context = await stage.browser.newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: options.motion ? 'no-preference' : 'reduce',
    // A page that stores itself would answer for servers that a test changes.
    serviceWorkers: options.offline ? 'allow' : 'block',
  });
  // Half a minute is too short where others use the machine; what is promised to be quick says so.
  context.setDefaultTimeout(60_000);
  if (!options.stranger)
    await context.addInitScript(() => {
      // A page without an origin has no storage.
      try {
        localStorage.setItem('forage.ask.setup', 'open');
      } catch {}
    });
  const page = await context.newPage();
  page.on('pageerror', (error) => stage.faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) stage.faults.push(message.text());
  });
  return page;
};

/**
 * Goes to a path of the page as its links do: an open page stays loaded, and so do its workers. Where
 * loading is what a test is about, or the path has settings that are read then, use `page.goto`.
 */
export const visit = async (page: Page, stage: Pick<Stage, 'url'>, path: string): Promise<void> => {
  const address = `${stage.url}${path}`;
  if (!page.url().startsWith(stage.url)) await page.goto(address);
  else await page.evaluate((to) => history.pushState(null, '', to), address);
};

/** A folder like `dist` with some of its files left out, made of links. Remove it with `drop`. */
export const distWithout = (...missing: string[]): { root: string; drop: () => void } => {
  const root = mkdtempSync(join(tmpdir(), 'forage-e2e-'));
  const link = (folder: string): void => {
    mkdirSync(join(root, folder), { recursive: true });
    for (const entry of readdirSync(join(DIST, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      // Nor their compressed copies, which the server would send instead.
      if (missing.includes(path.replace(/\.(br|gz)$/, ''))) continue;
      if (missing.some((file) => file.startsWith(`${path}/`))) link(path);
      else symlinkSync(join(DIST, path), join(root, path));
    }
  };
  link('.');
  return { root, drop: () => rmSync(root, { recursive: true, force: true }) };
};

/** Waits until the status bar says so. */
export const runStatus = (page: Page, status: string, timeout = 80_000): Promise<unknown> =>
  page.waitForSelector(`[data-testid="run-status"]:has-text("${status}")`, { timeout });

/** Shows all scores, tokens, events and times of the rollouts on Ask. */
export const openMore = async (page: Page): Promise<void> => {
  const more = page.getByRole('button', { name: 'more', exact: true }).first();
  if ((await more.count()) > 0) await more.click();
};

/** What events of Ask are called: their kind, and a line of what they say. */
export const eventNames = (events: Locator): Promise<string[]> =>
  events.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));

export const finishedColumns = (page: Page): Promise<number> =>
  page.locator('.column[data-finished="true"]').count();

/** Kinds of the events on the screen, in order, of the rollout with this index. */
export const eventKinds = (page: Page, rollout = 0): Promise<(string | null)[]> =>
  page
    .locator('.column')
    .nth(rollout)
    .locator('.part')
    .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-kind')));
