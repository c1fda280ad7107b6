import type { Page } from 'playwright-core';
import { termsIn } from '../src/ui/kit/words/explain/terms.ts';

/**
 * Acronyms that are shown and open nothing, each with its text. A text whose press does something else,
 * a link, a button or the head of a fold, is left out, and so are pictures and questions; of a list the option that is
 * chosen counts, which has its acronyms below the field.
 */
export const unexplained = async (page: Page): Promise<string[]> => {
  const texts = await page.evaluate(() => {
    const shown: { text: string; opened: string[] }[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const element = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (!element || text === '') continue;
      if (
        element.closest(
          'button, a, summary, code, svg, script, style, [role=option], [role=dialog]',
        )
      )
        continue;
      const select = element.closest('select');
      if (!(select ?? element).checkVisibility()) continue;
      if (select && element !== select.selectedOptions[0]) continue;
      const field = select?.closest('.mantine-InputWrapper-root');
      const opened = [...(field?.querySelectorAll('.explained') ?? [])];
      shown.push({ text, opened: opened.map((term) => term.textContent ?? '') });
    }
    return shown;
  });
  return texts.flatMap(({ text, opened }) =>
    termsIn(text)
      .filter(({ text: piece, id }) => id !== null && !opened.includes(piece))
      .map(({ text: piece }) => `${piece}: ${text}`),
  );
};

/** Opens all that is folded. */
export const unfold = (page: Page): Promise<void> =>
  page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
