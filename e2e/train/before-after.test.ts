import type { Locator, Route } from 'playwright-core';
import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { runStatus, useStage, visit } from '../browser.ts';
import { savedPictures } from '../saved-pictures.ts';
import { startSmall, status } from '../training.ts';

/** One question, the policy before and after training: of the run's own scores, and asked again. */

const stage = useStage();

slow(
  'e2e/train/finished-run.test.ts > has its held-out questions as a film and before | after, whose rollouts open and are asked with the adapter',
  'test/ui/train/beside/ask-at-step.test.tsx > names the step whose adapter is asked, or the nearest that is kept',
  'test/ui/ask/siblings/ask-with.test.ts > asks its question as the run asks its held-out ones, without and with the adapter',
  'test/ui/ask/notes/asked-with.test.tsx > says before the first click what answers, and offers to ask without it',
  'test/lab/storage/run-store.test.ts > are kept of every snapshot, with what the router had learned',
  'test/lab/storage/run-store.test.ts > can be deleted; what the run continues from stays',
)(
  'draws a held-out question before and after, and asks it without and with the adapter',
  async () => {
    const { page } = stage;
    const run = await startSmall(page, stage, {
      steps: 3,
      questions: 1,
      group: 2,
      heldOut: 2,
      learns: true,
    });
    await status(page, 'finished');
    const picture = page.getByRole('region', { name: 'Before | after' });
    const sentence = page.getByTestId('beside-sentence');
    await sentence.waitFor();
    expect(await sentence.textContent()).toMatch(/[Bb]efore|[Bb]oth/);
    await picture.getByLabel('Held-out question').selectOption({ index: 1 });
    await page.waitForURL(/question=.*from=0&to=newest/);
    const pictures = await savedPictures(page, [
      'Answers: EM and F1',
      'Training film',
      'Before | after',
    ]);
    expect(pictures.get('Answers: EM and F1')).toContain('EM held-out');
    expect(pictures.get('Before | after')).toContain('after: step 3');
    await picture.getByRole('button', { name: 'Before | after: table' }).click();
    await picture.getByRole('columnheader', { name: 'before: untrained, no step yet' }).waitFor();
    expect(await faultsInBoth(page)).toEqual([]);

    await picture.getByRole('button', { name: 'Ask it now, without and with the adapter' }).click();
    await page.waitForURL(/\/ask\?/);
    await runStatus(page, 'done');
    const asked = new URL(page.url()).searchParams;
    expect([asked.get('beside'), asked.get('policy')]).toEqual(['alone', `${run}@newest`]);
    await page
      .getByText(
        /^Answered by the adapter of .*, newest snapshot, compared with the built-in model\.$/,
      )
      .waitFor();
    await sentence.waitFor();
    // The first round of either opens its event.
    await picture
      .getByRole('button', { name: /^after, / })
      .first()
      .click();
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByText(/^event \d+ of/)
      .waitFor();
    expect(await page.locator('.column').count()).toBe(2);
    expect(await faultsInBoth(page)).toEqual([]);

    // Beside whatever step is chosen: of a film's cell, of rollouts, of the score after.
    const policy = () => new URL(page.url()).searchParams.get('policy');
    const ask = (place: Locator, step = 2) =>
      place
        .getByRole('button', { name: new RegExp(`^Ask.* with the adapter of step ${step}$`) })
        .click();
    // The picture that its address names is in view, though it is below all charts and is fetched last.
    const fetched: Route[] = [];
    await page.route('**/BesidePicture-*.js', (route) => void fetched.push(route));
    await page.goto(`${stage.url}train?run=${run}&from=0&to=2`);
    await expect.poll(() => fetched.length).toBeGreaterThan(0);
    await Promise.all(fetched.map((route) => route.continue()));
    await page.unroute('**/BesidePicture-*.js');
    const inView = () =>
      picture.evaluate((it) => {
        const { top, bottom } = it.getBoundingClientRect();
        return it.querySelector('svg') !== null && (top < innerHeight / 2 || bottom <= innerHeight);
      });
    await expect.poll(inView).toBe(true);
    await ask(picture);
    await runStatus(page, 'done');
    expect([policy(), await page.locator('.column').count()]).toEqual([`${run}@2`, 1]);

    await visit(page, stage, `train?run=${run}`);
    const film = page.getByRole('region', { name: 'Training film' });
    await film.getByRole('button', { name: 'Training film: table' }).waitFor();
    await film.getByRole('slider', { name: /^Held-out questions by step/ }).focus();
    for (const key of ['ArrowRight', 'ArrowLeft']) await page.keyboard.press(key);
    await ask(film);
    await runStatus(page, 'done');
    expect(policy()).toBe(`${run}@2`);

    await visit(page, stage, `train?run=${run}&step=2`);
    const rollouts = page.getByRole('region', { name: 'Step 2', exact: true });
    await ask(rollouts);
    await page.waitForURL(/\/ask\?/);
    expect(policy()).toBe(`${run}@2`);
    // Of every step with a snapshot, also after the two that the run could continue from.
    await visit(page, stage, `train?run=${run}&from=0&to=1`);
    await ask(picture, 1);
    await runStatus(page, 'done');
    expect([policy(), await page.locator('.column').count()]).toEqual([`${run}@1`, 1]);

    // On a phone the setup, which says so too, is put away.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${stage.url}ask?policy=${run}@2&device=wasm`);
    await page.getByText(/^Answered by the adapter of .*, step 2\./).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });

    // Those take space: deleted, the two of the snapshots are left, and the nearest is offered.
    await visit(page, stage, 'runs');
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    await page.getByRole('button', { name: 'Delete the adapters of past steps' }).click();
    await page.getByRole('button', { name: 'Delete the adapters', exact: true }).click();
    await page.getByText(/[1-9].* freed/).waitFor();
    await visit(page, stage, `train?run=${run}&step=1`);
    await page
      .getByRole('region', { name: 'Step 1', exact: true })
      .getByRole('button', { name: 'with the adapter of step 2, the nearest that is kept' })
      .waitFor();
    expect(stage.faults).toEqual([]);
  },
  240_000,
);
