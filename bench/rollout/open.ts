import { chromium, type Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { chromiumFlags, ensureChromium } from '../../scripts/chromium.mjs';
import type { Bench } from './page.ts';

/** Serves the sources as they are, isolated so that both engines may use threads. */
async function serve(path: string): Promise<{ server: ViteDevServer; url: string }> {
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
  return { server, url: `http://localhost:${address.port}/${path}` };
}

type Functions = Record<string, (...args: never[]) => unknown>;

/** A page in a Chromium of its own; `B`: the functions that it offers as the global `bench`. */
export interface BenchPage<B extends Functions = Bench> {
  call<K extends keyof B & string>(
    name: K,
    ...args: Parameters<B[K]>
  ): Promise<Awaited<ReturnType<B[K]>>>;
  /** Gives files to the page's input. */
  choose(...paths: string[]): Promise<void>;
  /** By which `cpuSeconds` knows this browser's processes. */
  mark: string;
  /** Name and version of the browser. */
  browser: string;
}

/** Opens a page, does `work` with it and closes all. @param path of the page, from the project's root */
export async function withBenchPage<T, B extends Functions = Bench>(
  work: (bench: BenchPage<B>) => Promise<T>,
  path = 'bench/rollout/index.html',
): Promise<T> {
  const { server, url } = await serve(path);
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
      browser: `Chromium ${browser.version()}`,
      choose: (...paths) => page.setInputFiles('input', paths),
      call: (name, ...args) => callBench<B, typeof name>(page, name, args),
    });
  } finally {
    await browser.close();
    await server.close();
  }
}

function callBench<B extends Functions, K extends keyof B & string>(
  page: Page,
  name: K,
  args: Parameters<B[K]>,
): Promise<Awaited<ReturnType<B[K]>>> {
  return page.evaluate(
    ([method, given]) => {
      const { bench } = globalThis as unknown as {
        bench: Record<string, (...values: unknown[]) => unknown>;
      };
      return bench[method]?.(...given);
    },
    [name, args as unknown[]] as [string, unknown[]],
  ) as Promise<Awaited<ReturnType<B[K]>>>;
}
