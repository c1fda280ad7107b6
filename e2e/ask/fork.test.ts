import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { faultsInBoth } from '../axe.ts';
import { slow } from '../../test/slow/slow.ts';
import { eventNames, openMore, openPage, runStatus, useStage } from '../browser.ts';
import { downloaded } from '../training.ts';

/** A group as a tree, and a rollout that continues from one of its events with another source. */

const stage = useStage();

slow(
  'e2e/ask/fork-changes.test.ts > inserts gold, allows a refused query, continues at another temperature and from another source, on the page and from a file',
  'test/ui/ask/siblings/replay-forks.test.ts > are made one after another, each once the rollout that it leaves is there; the address stays as it was',
  'test/ui/ask/siblings/replay-forks.test.ts > that cannot be made (%s) are named and left out, with those behind them',
  'test/agent/fork/fork.test.ts > of %s %j is the same rollout from any event, bit for bit',
  'e2e/ask/permalink.test.ts > restores question, recipe, settings, rollout and step from the address; plays by keys, and exports the rollouts',
)(
  'draws a group as a tree, and forks one of its rollouts beside the original',
  async () => {
    const { page } = stage;
    await page.goto(
      `${stage.url}ask?device=wasm&q=test-2&recipe=search&nlr=always-local&seed=3&n=2&run=1`,
    );
    await runStatus(page, 'done');
    const tree = page.getByRole('region', { name: 'Rollout tree' });
    const results = tree.getByRole('button', { name: /Result, local/ });
    await results.first().waitFor();
    const svg = readFileSync(await downloaded(page, 'Rollout tree: save as SVG')).toString();
    const answer = (await page.locator('.answer-text').first().textContent()) ?? '';
    expect(svg).toContain(answer.slice(0, 12));

    // By keys: the first node, the one after it, and its event.
    await tree.locator('.tree-button').first().focus();
    await page.keyboard.press('ArrowRight');
    const name = (await page.locator('.tree-button:focus').getAttribute('aria-label')) ?? '';
    const event = Number(/^Event (\d+)/.exec(name)?.[1]);
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText(`event ${event} of `).waitFor();

    // The result of the first search: another source brings another one.
    await results.first().click();
    await details.getByRole('button', { name: 'Fork here' }).click();
    await details.getByRole('button', { name: 'Ask the other source' }).click();
    // Beside the original, which is the first rollout.
    const fork = page.getByRole('region', { name: 'Rollout 2', exact: true });
    const note = fork.getByTestId('fork-note');
    await note.filter({ hasText: 'the search goes to the web' }).waitFor();
    await page.locator('.column[data-finished=true]').nth(2).waitFor();
    await runStatus(page, 'done');

    // The fork's head has a line more, and verdicts differ in length; glyphs and events stand side by side.
    await openMore(page);
    for (const width of [1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      for (const part of ['.column-head', '.glyph-rail', '.rounds-of']) {
        const tops = await page
          .locator(`.column ${part}`)
          .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
        expect(tops, part).toEqual([tops[0], tops[0], tops[0]]);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    const routes = (column: string) =>
      eventNames(
        page.getByRole('region', { name: column, exact: true }).locator('.part[data-kind=route]'),
      );
    const [original, forked] = [await routes('Rollout 1'), await routes('Rollout 2')];
    expect(original[0]).toContain('Route: local');
    expect(forked[0]).toContain('Route: web');
    await tree.getByRole('button', { name: 'Rollout tree: table' }).click();
    await tree
      .getByRole('row', { name: /^Rollout 2 forked at event \d+: the search goes to/ })
      .waitFor();
    expect(await faultsInBoth(page)).toEqual([]);

    // Its address makes the same again elsewhere: the group by its seed, and then the fork.
    const answers = (on: Page) =>
      on.locator('.column .part[data-kind=answer] .part-text').allTextContents();
    const texts = await answers(page);
    const address = page.url();
    expect(new URL(address).searchParams.get('fork')).toMatch(/^1-\d+-source-web$/);
    const other = await openPage(stage);
    await other.goto(address);
    await other
      .getByRole('region', { name: 'Rollout 2', exact: true })
      .getByTestId('fork-note')
      .filter({ hasText: 'the search goes to the web' })
      .waitFor();
    await other.locator('.column[data-finished=true]').nth(2).waitFor();
    await runStatus(other, 'done');
    expect(await answers(other)).toEqual(texts);
    expect(other.url()).toBe(address);
    await other.goto(address.replace(/fork=[^&]*/, 'fork=1-400-draw&fork=1-1-gold'));
    await other.getByText('the link forks rollout 1 at event 400').waitFor();
    expect(new URL(other.url()).searchParams.has('fork')).toBe(false);
    expect(await other.locator('.column').count()).toBe(2);
    expect(stage.faults).toEqual([]);
  },
  180_000,
);
