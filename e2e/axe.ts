import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { ALL_TESTS } from '../test/slow/slow.ts';

/**
 * What axe finds on the page as it is, in the whole of it or in the part that a selector names. The
 * page has no frames, so axe may run in one piece: else it opens a second page to put parts together.
 * @param rules those that are looked at; all, if none is named
 */
export const faultsOf = async (
  page: Page,
  part?: string,
  rules?: readonly string[],
): Promise<string[]> => {
  // A document that was looked at before has axe: given again, it would be compiled again, half of the work.
  const given = await page.evaluate(() => 'axe' in globalThis);
  const axe = new AxeBuilder({ page, ...(given && { axeSource: ';' }) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], ...(rules && { runOnly: [...rules] }) });
  if (part !== undefined) axe.include(part);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
  );
};

/** What is another one in the dark: a quick run looks at no more of it there. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds in the light and in the dark; the page is left in the dark. */
export const faultsInBoth = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    // Colours on their way from one to the other have a contrast that nobody sees.
    await page.evaluate(async () => {
      const ends = document
        .getAnimations()
        .filter((one) => one.playState === 'running')
        .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(ends.map((one) => one.finished));
    });
    const rules = colorScheme === 'light' || ALL_TESTS ? undefined : OF_COLOURS;
    for (const fault of await faultsOf(page, undefined, rules))
      found.push(`${colorScheme}: ${fault}`);
  }
  return found;
};
