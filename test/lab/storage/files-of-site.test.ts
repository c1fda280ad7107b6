import { afterEach, expect, it, vi } from 'vitest';
import { folderOfSite } from '../../../src/lab/storage/files-of-site.ts';

afterEach(() => vi.unstubAllGlobals());

it('says what to do where the browser has no files for pages', async () => {
  vi.stubGlobal('navigator', {});
  await expect(folderOfSite()).rejects.toThrow(/has no navigator\.storage.*Open this page in/);
});

it('says what to do where it refuses them, as in a private window', async () => {
  const refused = new DOMException('Security error when calling GetDirectory', 'SecurityError');
  vi.stubGlobal('navigator', { storage: { getDirectory: () => Promise.reject(refused) } });
  await expect(folderOfSite()).rejects.toThrow(
    /opens no files for this page \(SecurityError: Security error.*ordinary window/,
  );
});
