import { keepsPromises } from './promises.ts';
import { findWebKit, openWebKit } from './webkit-driver.ts';

const programs = findWebKit();

/**
 * WebKitGTK ships without `navigator.storage` (its features StorageAPI and FileSystem are off), and with both
 * on a driven session, which forgets everything, refuses files: `getDirectory` fails with UnknownError.
 */
keepsPromises('WebKitGTK', programs && (() => openWebKit(programs)), {
  trains: false,
  asksInQuickRuns: false,
});
