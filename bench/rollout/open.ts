import { chromium, type Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import type { Bench } from './page.ts';

/** Serves the sources as they are, isolated so that both engines may use threads. */
async function serve(): Promise<{ server: ViteDevServer; url: string }> {
  const server = await createServer({
    configFile: false,
    logLevel: 'error',
    root: new URL('../..', import.meta.url).pathname,
    cacheDir: 'node_modules/.vite-bench',
    worker: { format: 'es' },
    optimizeDeps: {
      entries: [],
      include: ['@wllama/wllama', 'zod', '@huggingface/tokenizers'],
    },
    server: {
      port: 0,
      hmr: false,
      watch: null,
      headers: {
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      },
    },
  });
  await server.listen();
  const address = server.httpServer?.address();
  if (!address || typeof address === 'string') throw new Error('bench: no port');
  return { server, url: `http://localhost:${address.port}/bench/rollout/index.html` };
}

/** The page of the bench in a Chromium of its own. */
export interface BenchPage {
  /** Calls a function of `page.ts` there. */
  call<K extends keyof Bench>(
    name: K,
    ...args: Parameters<Bench[K]>
  ): Promise<Awaited<ReturnType<Bench[K]>>>;
  /** Chooses a file for `completeWllama`. */
  choose(path: string): Promise<void>;
  /** By which `cpuSeconds` knows this browser's processes. */
  mark: string;
}

/** Opens the page, does `work` with it and closes all. */
export async function withBenchPage<T>(work: (bench: BenchPage) => Promise<T>): Promise<T> {
  const { server, url } = await serve();
  const mark = `--bench-mark=${process.pid}`;
  const browser = await chromium.launch({
    executablePath: ensureChromium(),
    args: [...chromiumFlags({ webgpu: false }), mark],
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    page.on('console', (m) => {
      if (m.type() === 'error') console.error(`page: ${m.text().slice(0, 300)}`);
    });
    await page.goto(url);
    await page.waitForFunction(() => 'bench' in globalThis);
    return await work({
      mark,
      choose: (path) => page.setInputFiles('input', path),
      call: (name, ...args) => callBench(page, name, args),
    });
  } finally {
    await browser.close();
    await server.close();
  }
}

function callBench<K extends keyof Bench>(
  page: Page,
  name: K,
  args: Parameters<Bench[K]>,
): Promise<Awaited<ReturnType<Bench[K]>>> {
  return page.evaluate(
    ([method, given]) => {
      const { bench } = globalThis as unknown as {
        bench: Record<string, (...values: unknown[]) => unknown>;
      };
      return bench[method]?.(...given);
    },
    [name, args as unknown[]] as [string, unknown[]],
  ) as Promise<Awaited<ReturnType<Bench[K]>>>;
}
