import { z } from 'zod';
import type { Need } from '../../lab/contract/progress.ts';
import type { Setup } from '../../records/setup.ts';
import { fileUrl } from '../kit/page/page-root.ts';

/** Files that the workers load first; the build lists them in the page (`scripts/serve/first-files.mjs`). */

const listSchema = z.record(z.enum(['lab', 'sources', 'policy']), z.array(z.string()));

type FirstFiles = z.infer<typeof listSchema>;

/** Null without a list, as on a development server. */
const listed = (): FirstFiles | null => {
  const content = globalThis.document
    ?.querySelector('meta[name="first-files"]')
    ?.getAttribute('content');
  return content ? listSchema.parse(JSON.parse(content)) : null;
};

/** Whether it comes from the page's own server. */
const isServed = (part: 'lab' | Need, { policy, local }: Setup): boolean => {
  if (part === 'lab') return true;
  const ref = part === 'policy' ? policy : local;
  return ref.kind === 'built-in';
};

const asked = new Set<'lab' | Need>();

/** Whether the page's files are stored on this device; a service worker that only adds headers stores none. */
const isStored = (): boolean => {
  const controller = globalThis.navigator?.serviceWorker?.controller;
  return Boolean(controller) && !controller?.scriptURL.endsWith('?isolate');
};

/** A local server answers at once: preloading would only read everything twice. */
const isNear = (): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(globalThis.location?.hostname ?? '');

/** Requests the files of the workers early: otherwise, over a network, each waits for the one before. */
export const askAhead = (parts: readonly ('lab' | Need)[], setup: Setup): void => {
  if (isNear() || isStored()) return;
  const files = listed();
  for (const part of parts) {
    if (!files || asked.has(part) || !isServed(part, setup)) continue;
    asked.add(part);
    for (const file of files[part])
      // Read to the end, or it would not be cached. Errors are reported by the later reader.
      void fetch(fileUrl(file), file.endsWith('.js') ? {} : { priority: 'low' })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
  }
};
