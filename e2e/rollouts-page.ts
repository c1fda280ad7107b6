import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Inspection } from '../src/evaluate/rollouts/inspect.ts';
import { inspectFile } from '../test/evaluate/rollouts/inspect-file.ts';

/** What the end-to-end tests read off the page of a rollout file. */

/** Five are shown at first. */
export const allFigures = async (page: Page): Promise<void> => {
  const all = page.getByRole('button', { name: /^All \d+ numbers$/ });
  if ((await all.count()) > 0) await all.click();
};

export const figure = (page: Page, id: string): Promise<string> =>
  page.locator(`[data-figure="${id}"] dd:not(.figure-all)`).innerText();

/** Waits until the filter says so. */
export const matched = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => document.querySelector('.filter-said')?.textContent === wanted,
    text,
    { timeout: 60_000 },
  );

/** What `lab rollouts FILE --json` prints. */
export const labRollouts = async (path: string): Promise<Inspection> =>
  inspectFile(await openAsBlob(path), basename(path));

/** The figures on the page are those that `lab rollouts` counts. */
export const expectSame = async (page: Page, { statistics }: Inspection): Promise<void> => {
  const { em, subEm, coverEm, evidence, judge } = statistics;
  await allFigures(page);
  expect(await figure(page, 'em')).toContain(` ${em.count}`);
  expect(await figure(page, 'sub-em')).toContain(` ${subEm.count}`);
  expect(await figure(page, 'cover-em')).toContain(` ${coverEm.count}`);
  expect(await figure(page, 'retrieved')).toContain(` ${evidence.retrieved.count}`);
  const { wrongThoughRetrieved: wrong, rightWithoutEvidence: right } = evidence;
  expect(await figure(page, 'wrong-though-retrieved')).toMatch(
    new RegExp(`^${wrong.em} ${wrong.coverEm} by cover-EM`),
  );
  expect(await figure(page, 'right-without')).toMatch(
    new RegExp(`^${right.em} ${right.coverEm} by cover-EM`),
  );
  if (!judge) return;
  expect(await figure(page, 'judge')).toContain(` ${judge.right.count}`);
  expect(await figure(page, 'judge-em')).toContain(` ${judge.agreement.em.count}`);
};
