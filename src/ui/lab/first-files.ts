import { z } from 'zod';
import type { Need } from '../../lab/contract/progress.ts';
import type { Setup } from '../../records/setup.ts';
import { fileUrl } from '../kit/page/page-root.ts';

/** Files that the workers begin with; the build lists them in the page (`scripts/serve/first-files.mjs`). */

const listSchema = z.record(z.enum(['lab', 'sources', 'policy']), z.array(z.string()));

type FirstFiles = z.infer<typeof listSchema>;

/** Null where there is no list, as on a development server. */
const listed = (): FirstFiles | null => {
  const content = globalThis.document
    ?.querySelector('meta[name="first-files"]')
    ?.getAttribute('content');
  return content ? listSchema.parse(JSON.parse(content)) : null;
};

/** Whether the page's own server has it. */
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

/** A server on this machine answers at once: there is no wait to use, and all would be read twice. */
const isNear = (): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(globalThis.location?.hostname ?? '');

/**
 * Asks for what the workers will ask for, so that it is on its way while they start: over a network each of them
 * otherwise waits for one before it.
 */
export const askAhead = (parts: readonly ('lab' | Need)[], setup: Setup): void => {
  if (isNear() || isStored()) return;
  const files = listed();
  for (const part of parts) {
    if (!files || asked.has(part) || !isServed(part, setup)) continue;
    asked.add(part);
    for (const file of files[part])
      // Read to its end, or it would not be kept. Who needs it says what is wrong with it.
      void fetch(fileUrl(file), file.endsWith('.js') ? {} : { priority: 'low' })
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
  }
};
