import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECURITY_HEADERS } from './headers.mjs';

/** Folders between the deepest permalink (`/rollouts/file/rollout`) and the page, and some to spare. */
const DEEPEST = 5;

const FILE_TAG = /\s*<(?:script|link)\b[^>]*(?:src|href)="\.\/[^>]*>(?:<\/script>)?/g;

/**
 * The page for a host that shows one file (`404.html`) at every address without a file, whose depth
 * nobody knows: relative links are tried from each. A script or style sheet that is not there is
 * passed over, so that only the right one counts; hints to load early are left out.
 *
 * @param {string} html a page whose links are relative to itself
 */
export const linkedFromAnyDepth = (html) =>
  html.replaceAll(FILE_TAG, (tag) =>
    tag.includes('modulepreload')
      ? ''
      : Array.from({ length: DEEPEST }, (_, up) =>
          tag.replace('="./', `="${up === 0 ? './' : '../'.repeat(up)}`),
        ).join(''),
  );

/** Response headers as Netlify and Cloudflare Pages read them from a published folder. */
const headersFile = () =>
  [
    '/*',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `  ${name}: ${value}`),
    '/assets/*',
    '  Cache-Control: public, max-age=31536000, immutable',
    '',
  ].join('\n');

/** Only a response header may say who frames the page. */
const HEADER_ONLY = /; frame-ancestors [^;]*/;

/** The content security policy for a page whose host sends none. */
export const metaPolicy = () =>
  SECURITY_HEADERS['Content-Security-Policy'].replace(HEADER_ONLY, '');

/** What hosts of files read and visitors do not ask for. */
export const HOST_FILES = ['404.html', '_headers', '.nojekyll'];

/**
 * Writes `HOST_FILES` beside a built page.
 *
 * @param {string} dir
 * @param {string} base `./` for a page that may lie anywhere, else the path that it was built for
 */
export async function writeHostFiles(dir, base) {
  const page = await readFile(join(dir, 'index.html'), 'utf8');
  const lost = base.startsWith('/') ? page : linkedFromAnyDepth(page);
  await Promise.all([
    writeFile(join(dir, '404.html'), lost),
    writeFile(join(dir, '_headers'), headersFile()),
    // GitHub Pages leaves out names with an underscore at their front, unless this is there.
    writeFile(join(dir, '.nojekyll'), ''),
  ]);
}
