import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lab } from '../../test/cli/lab.ts';
import { DIST, openMore, runStatus, useStage } from '../browser.ts';

const stage = useStage();
const QUESTION = 'Who directed Velvet Lantern?';

interface Shown {
  segments: { text: string }[];
}

/** The rollout of `lab ask`, as its JSON says. */
const fromCommandLine = (): string[] => {
  const built = ['--policy', join(DIST, 'policy'), '--world', join(DIST, 'world')];
  const how = ['--recipe', 'kunlun-baize', '--seed', '5', ...built, '--json'];
  const { out, err } = lab('ask', QUESTION, ...how);
  if (out === '') throw new Error(err);
  const rollout: Shown = JSON.parse(out);
  return rollout.segments.map(({ text }) => text);
};

it('gives the same tokens on the page and on the command line, with one seed, on WASM', async () => {
  const { page } = stage;
  await page.goto(
    `${stage.url}ask?device=wasm&seed=5&recipe=kunlun-baize&ask=${encodeURIComponent(QUESTION)}&run=1`,
  );
  await runStatus(page, 'done');
  await openMore(page);
  // Every segment of the context, from the details of the token strip.
  const strip = page.getByRole('slider', { name: 'Tokens of this rollout' });
  await strip.focus();
  const count = Number(await strip.getAttribute('aria-valuemax')) + 1;
  const texts: string[] = [];
  let shown = 0;
  while (shown < count) {
    await page.keyboard.press(shown === 0 ? 'Home' : 'ArrowRight');
    await page.keyboard.press('Enter');
    const tokens = page.locator('.details .token');
    await page.waitForFunction(
      () =>
        ![...document.querySelectorAll('.details .token')].some((token) =>
          token.textContent?.startsWith('#'),
        ),
    );
    const pieces = await tokens.allTextContents();
    texts.push(pieces.join('').replaceAll('␣', ' ').replaceAll('⏎', '\n'));
    for (let step = 1; step < pieces.length; step++) await page.keyboard.press('ArrowRight');
    shown += pieces.length;
  }
  expect(texts).toEqual(fromCommandLine());
}, 180_000);
