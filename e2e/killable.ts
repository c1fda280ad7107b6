import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { chromiumFlags, ensureChromium } from '../scripts/chromium.mjs';

/** A browser that can be killed as the system kills it, and opened again over the same profile. */
export class KillableBrowser {
  readonly #folder = mkdtempSync(join(tmpdir(), 'forage-kill-'));
  #process: ChildProcess | null = null;

  async open(url: string): Promise<Page> {
    this.#process = spawn(
      ensureChromium(),
      [
        ...chromiumFlags({ webgpu: false }),
        '--disable-gpu',
        `--user-data-dir=${join(this.#folder, 'profile')}`,
        '--remote-debugging-port=0',
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const driven = await chromium.connectOverCDP(await addressOf(this.#process));
    const page = driven.contexts()[0]!.pages()[0]!;
    // As pages of `e2e/browser.ts`.
    page.setDefaultTimeout(60_000);
    await page.goto(url);
    return page;
  }

  /** Nobody is asked. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGKILL');
    await gone;
  }

  async end(): Promise<void> {
    await this.kill();
    // Helpers of a browser that was killed may write for a moment more.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

/** Where a Chromium that was just started says that it can be driven. */
const addressOf = (browser: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    browser.stderr?.on('data', (data: Buffer) => {
      text += data.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(text);
      if (found) resolve(found[1]!);
    });
    browser.once('exit', () => reject(new Error(`Chromium ended: ${text}`)));
  });
