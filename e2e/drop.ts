import type { Page } from 'playwright-core';

/** Drops files on the page as a file manager does: their names and what they hold. */
export const drop = async (page: Page, files: Readonly<Record<string, string>>): Promise<void> => {
  const dataTransfer = await page.evaluateHandle((entries) => {
    const transfer = new DataTransfer();
    for (const [name, text] of entries) transfer.items.add(new File([text], name));
    return transfer;
  }, Object.entries(files));
  await page.dispatchEvent('main', 'drop', { dataTransfer });
};
