import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../../scripts/serve/server.mjs';
import { slow } from '../../test/slow/slow.ts';
import { DIST } from '../browser.ts';
import type { DrivenBrowser } from './driven.ts';

/** What holds in browsers of other engines: asked through their own drivers, on the built page. */

/** A page on which nothing moves for this long is stuck, however slow the machine, ms. */
const STUCK_MS = 120_000;
const LOOK_MS = 200;
/** `STUCK_MS` ends a test that waits in vain, and says for what. */
const LONGEST_MS = 900_000;

const SHOWS = 'return document.querySelector(arguments[0]) !== null';

/** What changes as long as something is done: loading, events, tokens, steps. */
const MOVES = `return JSON.stringify([
  location.href,
  document.querySelectorAll('.part').length,
  document.querySelector('[data-testid="run-status"]')?.parentElement.innerText,
  [...document.querySelectorAll('progress')].map((bar) => bar.value),
  document.querySelector('main')?.innerText.length,
])`;

/** A click on a disabled one is lost, and no error. */
const button = (words: string): string =>
  `//button[not(@disabled)][contains(normalize-space(.), "${words}")]`;

interface Options {
  /** False: the browser keeps no files for pages, and the page says so. */
  trains?: boolean;
  /** False: it asks in a run of all tests alone, for which it takes twice as long as others. */
  asksInQuickRuns?: boolean;
}

const ASKS =
  'e2e/ask/ask-wasm.test.ts > asks, streams, answers and plays back on WASM, after one click';
const DROPS =
  'e2e/shell/stray-drop.test.ts > a file dropped where none is accepted does not replace the page, and a message says where to drop it';
const OFFLINE =
  'e2e/shell/offline.test.ts > answers a question, and opens any of its places, after the server has gone';
const RESUMES =
  'e2e/train/training-safety.test.ts > goes on from the last snapshot when a worker is lost; pauses when storage is full, says what it needs and what can be deleted, and goes on when there is room';

/**
 * @param name of the browser, in test names and the file of a failure's picture
 * @param open null where it is not installed: then its tests are skipped, by name
 */
export const keepsPromises = (
  name: string,
  open: (() => Promise<DrivenBrowser>) | null,
  { trains = true, asksInQuickRuns = true }: Options = {},
): void => {
  describe.skipIf(open === null)(`in ${name} (skipped where none is installed)`, () => {
    let server: Served;
    let browser: DrivenBrowser;

    beforeAll(async () => {
      if (open === null) return;
      server = await serve({ root: DIST });
      browser = await open();
    });
    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });
    afterEach(async () => expect(await browser.errors()).toEqual([]));

    /** What the page looks like, for who reads that a test failed. */
    const state = async (): Promise<string> => {
      const picture = resolve(`.cache/failures/${name}.png`);
      await browser.screenshot(picture);
      const words = await browser.run<string>('return `${location}\\n${document.body.innerText}`');
      return `${words}\n(${picture})`;
    };

    /** Waits as long as anything moves. @throws Error with what the page shows */
    const until = async (what: string, reached: () => Promise<boolean>): Promise<void> => {
      let moves = '';
      for (let since = Date.now(); !(await reached()); await sleep(LOOK_MS)) {
        const now = await browser.run<string>(MOVES);
        if (now !== moves) since = Date.now();
        else if (Date.now() - since > STUCK_MS)
          throw new Error(
            `nothing moved for ${STUCK_MS / 1000} s before ${what}:\n${await state()}`,
          );
        moves = now;
      }
    };
    const shows = (selector: string) =>
      until(selector, () => browser.run<boolean>(SHOWS, selector));
    const press = (words: string) =>
      until(`“${words}” could be pressed`, () =>
        browser.click(button(words)).then(
          () => true,
          () => false,
        ),
      );

    const first = asksInQuickRuns ? it : slow(ASKS, OFFLINE);
    first(
      'a first visit runs a rollout to its answer, on WASM',
      { timeout: LONGEST_MS },
      async () => {
        await browser.goto(`${server.url}?device=wasm`);
        await press('Watch it answer');
        await shows('.column[data-finished="true"]');
        // The rounds are replayed; the answer comes last.
        await shows('.part[data-kind="answer"]');
        const answer = await browser.run<string>(
          'return document.querySelector(`.part[data-kind="answer"]`).textContent',
        );
        expect(answer).toMatch(/\S/);
        expect(await browser.run('return crossOriginIsolated')).toBe(true);
      },
    );

    it.skipIf(trains)('says at once why it cannot train', { timeout: LONGEST_MS }, async () => {
      await browser.goto(`${server.url}train?new=1`);
      await shows('[data-testid="cannot-train"]');
      const form = await browser.run<string>('return document.querySelector("main").innerText');
      expect(form).toMatch(/Training cannot start: this browser keeps no files/);
      expect(form).toMatch(/Open this page in Firefox, Chrome, Edge or Safari/);
      // Neither an estimate that never comes, nor a failure that trying again could mend.
      expect(form).not.toMatch(/in a moment|Try again/);
      const canStart = await browser.run<boolean>(
        'return [...document.querySelectorAll("button")].some((one) => one.innerText === "Start training" && !one.disabled)',
      );
      expect(canStart).toBe(false);
    });

    slow(ASKS, RESUMES).skipIf(!trains)('trains two steps', { timeout: LONGEST_MS }, async () => {
      await browser.goto(server.url);
      // As an earlier visit left the form.
      const changes = {
        recipe: 'naive-rag',
        steps: 2,
        questions: 1,
        groupSize: 2,
        'heldOut.questions': 0,
      };
      await browser.run(
        'localStorage.setItem("forage.train-draft", arguments[0])',
        JSON.stringify({ training: 'search/grpo', changes, name: '', device: 'wasm' }),
      );
      await browser.goto(`${server.url}train?new=1`);
      await press('Start training');
      await until('the run ended', () =>
        browser.run<boolean>(
          SHOWS,
          '.run-title .badge:is([data-status=finished], [data-status=failed])',
        ),
      );
      expect(
        await browser.run<string>(
          'return document.querySelector(".run-title .badge").dataset.status',
        ),
        await state(),
      ).toBe('finished');
      const done = await browser.run(
        'return document.querySelector(`progress[aria-label="Steps done"]`).getAttribute("value")',
      );
      expect(done).toBe('2');
    });

    // Of a browser that asks in a quick run too, that says enough of its files and workers.
    const imports = asksInQuickRuns ? slow(DROPS) : it;
    imports('imports a file of rollouts', { timeout: LONGEST_MS }, async () => {
      await browser.goto(`${server.url}rollouts`);
      const field = 'input[aria-label="Rollout files"]';
      await shows(field);
      await browser.choose(field, resolve('test/fixtures/inspect/r1-searcher-dev.jsonl'));
      await shows('tr[data-position]');
    });

    slow(ASKS, OFFLINE)(
      'opens and answers after its server has gone',
      { timeout: LONGEST_MS },
      async () => {
        const gone = await serve({ root: DIST });
        await browser.goto(gone.url);
        await until('the page is stored', () =>
          browser.run<boolean>(
            'return document.querySelector(`[data-testid="offline"]`)?.textContent.includes("works offline") ?? false',
          ),
        );
        await gone.close();
        await browser.goto(gone.url);
        // At once: what the click needs may still be loading.
        await press('Watch it answer');
        await shows('.column[data-finished="true"]');
      },
    );
  });
};
