import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { onTestFinished } from 'vitest';
import { CheckpointDatabase } from '../../../../src/lab/models/checkpoints/database.ts';
import { download, type DownloadOptions } from '../../../../src/lab/models/checkpoints/download.ts';
import { CheckpointFault } from '../../../../src/lab/models/checkpoints/plan/fault.ts';
import { CheckpointStore } from '../../../../src/lab/models/checkpoints/store.ts';
import { httpTransport } from '../../../../src/lab/models/checkpoints/transport.ts';
import type { Web } from '../../../../src/lab/models/checkpoints/plan/web.ts';
import { FolderFiles } from './folder-files.ts';
import { startHub, type HubServer } from './hub-server.ts';

/** A server, a disk and a database for one test, and how a download ends on them. */

export const WEB: Web = { fetch, online: () => true, origin: null };
export const CHUNK = 32 * 1024;

export interface Bench {
  hub: HubServer;
  files: FolderFiles;
  store: CheckpointStore;
  /** The same disk and database, as a page sees them that was opened afterwards. */
  reopened(): CheckpointStore;
  run(id: string, options?: Partial<DownloadOptions>): Promise<void>;
}

export async function makeBench(files?: Map<string, Uint8Array>): Promise<Bench> {
  const root = mkdtempSync(join(tmpdir(), 'forage-checkpoints-'));
  const hub = await startHub(files);
  // Not by a hook at the top: of the files that share this module only the first would have it.
  onTestFinished(async () => {
    await hub.close();
    rmSync(root, { recursive: true, force: true });
  });
  const disk = new FolderFiles(root);
  const indexedDB = new IDBFactory();
  const open = () =>
    new CheckpointStore(new CheckpointDatabase('test', { indexedDB, IDBKeyRange }), disk);
  const store = open();
  return {
    hub,
    files: disk,
    store,
    reopened: open,
    run: (id, options = {}) =>
      download(id, {
        store,
        transport: httpTransport(WEB, null),
        signal: new AbortController().signal,
        onProgress: () => undefined,
        free: () => Promise.resolve(null),
        chunkBytes: CHUNK,
        waits: [],
        ...options,
      }),
  };
}

/** The fault that something ends with. */
export async function faultOf(act: Promise<unknown>): Promise<CheckpointFault> {
  try {
    await act;
  } catch (error) {
    if (error instanceof CheckpointFault) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
