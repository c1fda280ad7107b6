import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What leaves the page as a file is a picture by itself: without style sheets, in the light and in the dark. */

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Contrast that large words and signs need at least (WCAG 2.2, 1.4.3). */
const LEGIBLE = 3;
/** What only the page can do. */
const DONE_ON_THE_PAGE = /\b(?:[Aa] press|[Aa] click|[Cc]lick|[Pp]oint at|opens its|arrow keys)\b/;
const SAVE = /^(.*): save as SVG$/;

const saved = async (page: Page, button: string): Promise<Buffer> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ]);
  return readFileSync(await download.path());
};

/**
 * Reads an SVG as a browser reads a file, in a document of its own.
 * @returns its size in pixels, its words, colours that only style sheets know, words that its paper hides or cuts
 */
const looked = (page: Page, svg: string) =>
  page.evaluate(
    ({ svg: text, legible }) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      const fault = parsed.querySelector('parsererror')?.textContent ?? null;
      const root = parsed.documentElement;
      const all = [...root.querySelectorAll('*')];
      const given = (element: Element | null, name: string): string =>
        element === null ? '' : (element.getAttribute(name) ?? given(element.parentElement, name));
      const canvas = new OffscreenCanvas(1, 1).getContext('2d')!;
      const light = (colour: string): number => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const linear = [...canvas.getImageData(0, 0, 1, 1).data.subarray(0, 3)]
          .map((one) => one / 255)
          .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
      };
      const contrast = (one: string, other: string): number => {
        const [low = 0, high = 0] = [light(one), light(other)].toSorted((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      };
      const paper = root.querySelector('rect')?.getAttribute('fill') ?? '';
      const words = all.filter(
        ({ localName, textContent }) => localName === 'text' && textContent.trim() !== '',
      );
      const size = ['width', 'height'].map((name) => Number(root.getAttribute(name)));
      // Its words as large as they are, to see whether any of them leaves the paper.
      document.body.append(document.adoptNode(root));
      const { left, right, top, bottom } = root.getBoundingClientRect();
      const cut = words
        .filter((one) => {
          const box = one.getBoundingClientRect();
          const [x, y] = [Math.max(left - box.left, box.right - right), bottom - box.bottom];
          return x > 1 || y < -1 || box.top < top - 1;
        })
        .map((one) => one.textContent);
      root.remove();
      return {
        fault,
        size,
        cut,
        words: words.map((one) => one.textContent),
        strange: all.flatMap((one) =>
          ['fill', 'stroke', 'style', 'class']
            .map((name) => `${name}=${one.getAttribute(name) ?? ''}`)
            .filter((it) => /var\(|color\(|color-mix|lab\(|lch\(|^style=.|^class=./.test(it)),
        ),
        hidden: words
          .filter((one) => !(contrast(given(one, 'fill') || '#000', paper) >= legible))
          .map((one) => `${one.textContent} ${given(one, 'fill')} on ${paper}`),
      };
    },
    { svg, legible: LEGIBLE },
  );

/** Whether a bitmap shows more than its paper, and its size. */
const bitmap = (page: Page, png: Buffer) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const drawn = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d')!;
    canvas.drawImage(drawn, 0, 0);
    const pixels = new Uint32Array(
      canvas.getImageData(0, 0, drawn.width, drawn.height).data.buffer,
    );
    return { size: [drawn.width, drawn.height], colours: new Set(pixels).size };
  }, png.toString('base64'));

/**
 * Saves pictures in both formats, in the dark and in the light, and expects well-formed SVG whose words
 * can be read, and a bitmap of it at twice the size.
 *
 * @param only titles of those to save; every one that the page shows where absent
 * @returns the SVG in the light by the picture's title
 */
export const savedPictures = async (
  page: Page,
  only?: readonly string[],
): Promise<Map<string, string>> => {
  const shown = await page
    .getByRole('button', { name: SAVE })
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  const pictures = new Map<string, string>();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    for (const title of only ?? shown.map((name) => name.replace(SAVE, '$1'))) {
      // Charts far from the screen are not drawn.
      const region = page.getByRole('region', { name: title, exact: true });
      if ((await region.count()) > 0) await region.scrollIntoViewIfNeeded();
      const svg = (await saved(page, `${title}: save as SVG`)).toString();
      const { size, words, ...faults } = await looked(page, svg);
      const where = `${title}, ${colorScheme}`;
      expect(faults, where).toEqual({ fault: null, strange: [], hidden: [], cut: [] });
      expect(words[0], where).toBeTruthy();
      expect(words.join(' '), where).not.toMatch(DONE_ON_THE_PAGE);
      pictures.set(title, svg);
      if (colorScheme === 'light') continue;
      const png = await saved(page, `${title}: save as PNG`);
      expect(png.subarray(0, 8), where).toEqual(PNG);
      const drawn = await bitmap(page, png);
      expect(drawn.size, where).toEqual(size.map((one) => 2 * one));
      expect(drawn.colours, where).toBeGreaterThan(2);
    }
  }
  return pictures;
};
