import type { Page } from 'playwright-core';

/**
 * All that a browser stored for the page, as JSON: databases, the origin's private files, and local
 * storage. Bytes and dates, which JSON has not, are written as `{ "$": type, "is": text }`.
 */
export interface StoredState {
  databases: StoredDatabase[];
  /** Path below the root of the private file system, and its bytes in base64. */
  files: [string, string][];
  local: [string, string][];
}

interface StoredDatabase {
  name: string;
  version: number;
  stores: {
    name: string;
    keyPath: string | string[] | null;
    autoIncrement: boolean;
    indexes: { name: string; keyPath: string | string[]; unique: boolean; multiEntry: boolean }[];
    /** Keys are beside their records where the store has no key path. */
    records: { key: unknown; value: unknown }[];
  }[];
}

/** A page of the server's origin on which nothing of ours runs, so that nothing holds a database. */
const quiet = async (page: Page, url: string): Promise<void> => {
  await page.goto(`${url}world/manifest.json`);
  // Some compilers of TypeScript name inner functions with a helper that the page does not have.
  await page.evaluate('globalThis.__name ??= (value) => value');
};

export const dumpState = async (page: Page, url: string): Promise<StoredState> => {
  await quiet(page, url);
  return page.evaluate(async () => {
    const base64 = (bytes: Uint8Array): string => {
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    };
    const plain = (value: unknown): unknown => {
      if (value instanceof Date) return { $: 'Date', is: value.toISOString() };
      if (value instanceof ArrayBuffer)
        return { $: 'ArrayBuffer', is: base64(new Uint8Array(value)) };
      if (ArrayBuffer.isView(value)) {
        const { buffer, byteOffset, byteLength } = value;
        const bytes = new Uint8Array(buffer, byteOffset, byteLength);
        return { $: value.constructor.name, is: base64(bytes) };
      }
      if (Array.isArray(value)) return value.map(plain);
      if (typeof value === 'number' && !Number.isFinite(value))
        return { $: 'Number', is: String(value) };
      if (typeof value !== 'object' || value === null) return value;
      if (Object.getPrototypeOf(value) !== Object.prototype || '$' in value)
        throw new Error(`no way to write a ${value.constructor.name}`);
      const entries = Object.entries(value).filter(([, part]) => part !== undefined);
      return Object.fromEntries(entries.map(([key, part]) => [key, plain(part)]));
    };
    const done = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('not read'));
      });
    const databases = [];
    for (const { name } of await indexedDB.databases()) {
      if (name === undefined) continue;
      const database = await done(indexedDB.open(name));
      const stores = [];
      for (const storeName of database.objectStoreNames) {
        const store = database.transaction(storeName).objectStore(storeName);
        const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
        stores.push({
          name: storeName,
          keyPath: store.keyPath,
          autoIncrement: store.autoIncrement,
          indexes: [...store.indexNames].map((index) => {
            const { keyPath, unique, multiEntry } = store.index(index);
            return { name: index, keyPath, unique, multiEntry };
          }),
          records: values.map((value: unknown, i) => ({
            key: store.keyPath === null ? plain(keys[i]) : null,
            value: plain(value),
          })),
        });
      }
      databases.push({ name, version: database.version, stores });
      database.close();
    }
    const files: [string, string][] = [];
    const walk = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
      for await (const [name, entry] of folder.entries()) {
        if (entry.kind === 'directory') await walk(entry, `${path}${name}/`);
        else {
          const bytes = await (await entry.getFile()).arrayBuffer();
          files.push([`${path}${name}`, base64(new Uint8Array(bytes))]);
        }
      }
    };
    await walk(await navigator.storage.getDirectory(), '');
    return { databases, files, local: Object.entries(localStorage) as [string, string][] };
  });
};

/** Puts a state into a context that has stored nothing yet. The page is left where nothing of ours runs. */
export const restoreState = async (page: Page, url: string, state: StoredState): Promise<void> => {
  await quiet(page, url);
  await page.evaluate(async ({ databases, files, local }) => {
    const bytesOf = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const isTagged = (value: object): value is { $: string; is: string } => '$' in value;
    const revive = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map(revive);
      if (!isTagged(value))
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
      switch (value.$) {
        case 'Date':
          return new Date(value.is);
        case 'Number':
          return Number(value.is);
        case 'ArrayBuffer':
          return bytesOf(value.is).buffer;
        case 'Uint8Array':
          return bytesOf(value.is);
        case 'Float32Array':
          return new Float32Array(bytesOf(value.is).buffer);
        default:
          throw new Error(`no way to read a ${value.$}`);
      }
    };
    for (const { name, version, stores } of databases)
      await new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, version);
        opening.onerror = () => reject(opening.error ?? new Error(name));
        opening.onupgradeneeded = () => {
          for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
            const store = opening.result.createObjectStore(storeName, { keyPath, autoIncrement });
            for (const { name: index, keyPath: path, unique, multiEntry } of indexes)
              store.createIndex(index, path, { unique, multiEntry });
          }
        };
        opening.onsuccess = () => {
          const database = opening.result;
          const writing = database.transaction(
            stores.map((store) => store.name),
            'readwrite',
          );
          for (const { name: storeName, keyPath, records } of stores)
            for (const { key, value } of records) {
              const store = writing.objectStore(storeName);
              if (keyPath === null) store.put(revive(value), revive(key) as IDBValidKey);
              else store.put(revive(value));
            }
          writing.onerror = () => reject(writing.error ?? new Error(name));
          writing.oncomplete = () => {
            database.close();
            resolve();
          };
        };
      });
    for (const [path, text] of files) {
      const parts = path.split('/');
      let folder = await navigator.storage.getDirectory();
      for (const part of parts.slice(0, -1))
        folder = await folder.getDirectoryHandle(part, { create: true });
      const file = await folder.getFileHandle(parts.at(-1) ?? '', { create: true });
      const writable = await file.createWritable();
      await writable.write(bytesOf(text));
      await writable.close();
    }
    for (const [key, value] of local) localStorage.setItem(key, value);
  }, state);
};
