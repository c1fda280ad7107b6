import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrivenBrowser } from './driven.ts';

/** An installed WebKitGTK, driven over HTTP as W3C WebDriver says, in a screen of its own where there is none. */

/** The longest that the driver may take to listen, and a page to load or a script to end, ms. */
const START_MS = 60_000;
const COMMAND_MS = 100_000;

const DRIVERS = ['/usr/bin/WebKitWebDriver', '/usr/lib/webkit2gtk-4.1/WebKitWebDriver'];
/** What shows pages for the driver; Debian's is in none of the paths. */
const BROWSERS = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/libexec/webkit2gtk-4.1/MiniBrowser',
];
const SCREEN = '/usr/bin/xvfb-run';

export interface WebKitPrograms {
  driver: string;
  browser: string;
  /** Runs a program in a screen of memory; null where there is a screen already. */
  screen: string | null;
}

/** What is installed (Debian: `webkit2gtk-driver`, `xvfb`); null where a part is missing. */
export const findWebKit = (): WebKitPrograms | null => {
  const driver = process.env['FORAGE_WEBKIT_DRIVER'] ?? DRIVERS.find((path) => existsSync(path));
  const browser = process.env['FORAGE_WEBKIT'] ?? BROWSERS.find((path) => existsSync(path));
  const screen = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'];
  if (driver === undefined || browser === undefined) return null;
  if (screen !== undefined) return { driver, browser, screen: null };
  return existsSync(SCREEN) ? { driver, browser, screen: SCREEN } : null;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

interface Answer {
  value: unknown;
}

/** Sends commands to the driver. */
class Commands {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** @throws Error with the driver's message */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as Answer;
    if (response.ok) return value;
    throw new Error((value as { message?: string }).message ?? `WebDriver: ${response.status}`);
  }
}

export const openWebKit = async (programs: WebKitPrograms): Promise<DrivenBrowser> => {
  const port = await freePort();
  const args = [programs.driver, '-p', String(port)];
  const [program, ...rest] = programs.screen ? [programs.screen, '-a', ...args] : args;
  if (program === undefined) throw new Error('no driver');
  // A group of its own: the screen ends with its driver.
  const child = spawn(program, rest, { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const end = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  const driver = new Commands(`http://127.0.0.1:${port}`);
  const start = async (): Promise<string> => {
    const options = { binary: programs.browser, args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
    for (const since = Date.now(); ; await sleep(200)) {
      try {
        const session = await driver.send('POST', '/session', { capabilities });
        return (session as { sessionId: string }).sessionId;
      } catch (error) {
        if (Date.now() - since > START_MS) throw error;
      }
    }
  };
  const session = await start().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const send = (method: string, path: string, body?: object) =>
    driver.send(method, `/session/${session}${path}`, body);
  const find = async (using: string, value: string): Promise<string> => {
    const found = (await send('POST', '/element', { using, value })) as Record<string, string>;
    return Object.values(found)[0] ?? '';
  };
  await send('POST', '/timeouts', { pageLoad: COMMAND_MS, script: COMMAND_MS });
  return {
    goto: async (url) => void (await send('POST', '/url', { url })),
    run: <T>(script: string, ...given: unknown[]) =>
      send('POST', '/execute/sync', { script, args: given }) as Promise<T>,
    click: async (xpath) => {
      await send('POST', `/element/${await find('xpath', xpath)}/click`, {});
    },
    choose: async (selector, file) => {
      await send('POST', `/element/${await find('css selector', selector)}/value`, { text: file });
    },
    // Its driver tells nothing of the console.
    errors: () => Promise.resolve([]),
    screenshot: async (path) => {
      const picture = (await send('GET', '/screenshot')) as string;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, picture, 'base64');
    },
    close: async () => {
      await send('DELETE', '').catch(() => undefined);
      await end();
    },
  };
};
