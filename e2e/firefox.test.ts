import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../scripts/serve/server.mjs';
import { DIST } from './browser.ts';
import { openFirefox, type Firefox } from './marionette.ts';

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];
const program = process.env['FORAGE_FIREFOX'] ?? PLACES.find((path) => existsSync(path));

/** A page on which nothing moves for this long is stuck, however slow the machine, ms. */
const STUCK_MS = 120_000;
const LOOK_MS = 200;
/** `STUCK_MS` ends a test that waits in vain, and says for what. */
const LONGEST_MS = 900_000;

const SHOWS = 'return document.querySelector(arguments[0]) !== null';

/** What changes as long as something is done: loading, events, tokens, steps. */
const MOVES = `return JSON.stringify([
  location.href,
  document.querySelectorAll('.card').length,
  document.querySelector('[data-testid="run-status"]')?.parentElement.innerText,
  [...document.querySelectorAll('progress')].map((bar) => bar.value),
  document.querySelector('main')?.innerText.length,
])`;

/** A click on a disabled one is lost, and no error. */
const button = (words: string): string =>
  `//button[not(@disabled)][contains(normalize-space(.), "${words}")]`;

describe.skipIf(program === undefined)('in Firefox (skipped where none is installed)', () => {
  let server: Served;
  let firefox: Firefox;

  beforeAll(async () => {
    if (program === undefined) return;
    server = await serve({ root: DIST });
    firefox = await openFirefox(program);
  });
  afterAll(async () => {
    await firefox?.close();
    await server?.close();
  });
  afterEach(async () => expect(await firefox.errors()).toEqual([]));

  /** What the page looks like, for who reads that a test failed. */
  const state = async (): Promise<string> => {
    const picture = resolve('.cache/failures/firefox.png');
    await firefox.screenshot(picture);
    const words = await firefox.run<string>('return `${location}\\n${document.body.innerText}`');
    return `${words}\n(${picture})`;
  };

  /** Waits as long as anything moves. @throws Error with what the page shows */
  const until = async (what: string, reached: () => Promise<boolean>): Promise<void> => {
    let moves = '';
    for (let since = Date.now(); !(await reached()); await sleep(LOOK_MS)) {
      const now = await firefox.run<string>(MOVES);
      if (now !== moves) since = Date.now();
      else if (Date.now() - since > STUCK_MS)
        throw new Error(`nothing moved for ${STUCK_MS / 1000} s before ${what}:\n${await state()}`);
      moves = now;
    }
  };
  const shows = (selector: string) => until(selector, () => firefox.run<boolean>(SHOWS, selector));
  const press = (words: string) =>
    until(`“${words}” could be pressed`, () =>
      firefox.click(button(words)).then(
        () => true,
        () => false,
      ),
    );

  it('a first visit runs a rollout to its answer, on WASM', { timeout: LONGEST_MS }, async () => {
    await firefox.goto(`${server.url}?device=wasm`);
    await press('Run an example');
    await shows('.column[data-finished="true"]');
    const answer = await firefox.run<string>(
      'return document.querySelector(`.card[data-kind="answer"]`).textContent',
    );
    expect(answer).toMatch(/\S/);
    expect(await firefox.run('return crossOriginIsolated')).toBe(true);
  });

  it('trains two steps', { timeout: LONGEST_MS }, async () => {
    await firefox.goto(server.url);
    // As an earlier visit left the form.
    const changes = {
      recipe: 'naive-rag',
      steps: 2,
      questions: 1,
      groupSize: 2,
      'heldOut.questions': 0,
    };
    await firefox.run(
      'localStorage.setItem("forage.train-draft", arguments[0])',
      JSON.stringify({ training: 'search/grpo', changes, name: '', device: 'wasm' }),
    );
    await firefox.goto(`${server.url}train?new=1`);
    await press('Start training');
    await until('the run ended', () =>
      firefox.run<boolean>(
        SHOWS,
        '.run-title .badge:is([data-status=finished], [data-status=failed])',
      ),
    );
    expect(
      await firefox.run<string>(
        'return document.querySelector(".run-title .badge").dataset.status',
      ),
      await state(),
    ).toBe('finished');
    const done = await firefox.run(
      'return document.querySelector(`progress[aria-label="Steps done"]`).getAttribute("value")',
    );
    expect(done).toBe('2');
  });

  it('imports a file of rollouts', { timeout: LONGEST_MS }, async () => {
    await firefox.goto(`${server.url}rollouts`);
    const field = 'input[aria-label="Rollout files"]';
    await shows(field);
    await firefox.choose(field, resolve('test/fixtures/inspect/r1-searcher-dev.jsonl'));
    await shows('tr[data-position]');
  });

  it('opens and answers after its server has gone', { timeout: LONGEST_MS }, async () => {
    const gone = await serve({ root: DIST });
    await firefox.goto(gone.url);
    await until('the page is stored', () =>
      firefox.run<boolean>(
        'return document.querySelector(`[data-testid="offline"]`)?.textContent.includes("works offline") ?? false',
      ),
    );
    await gone.close();
    await firefox.goto(gone.url);
    // At once: what the press needs may still be loading.
    await press('Run an example');
    await shows('.column[data-finished="true"]');
  });
});
