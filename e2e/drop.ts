import { Buffer } from 'node:buffer';
import type { Page } from 'playwright-core';

/** Drops files on the page as a file manager does: their names and what they hold. */
export const drop = async (
  page: Page,
  files: Readonly<Record<string, string | Uint8Array>>,
  at = 'main',
): Promise<void> => {
  const entries = Object.entries(files).map(
    ([name, content]) => [name, Buffer.from(content).toString('base64')] as const,
  );
  const dataTransfer = await page.evaluateHandle((packed) => {
    const transfer = new DataTransfer();
    for (const [name, base64] of packed) {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  }, entries);
  // What is there while a page loads takes no files.
  await page.locator('main', { hasNotText: 'Loading the page' }).waitFor();
  await page.dispatchEvent(at, 'drop', { dataTransfer });
};
