import type { FetchFile } from '../../base/fetch-file.ts';
import type { WriteFile } from './write.ts';

/** A folder in memory: what is written into it can be read from it. */
export function memoryFolder(): { write: WriteFile; fetch: FetchFile } {
  const files = new Map<string, Uint8Array>();
  return {
    write: (name, bytes) => {
      files.set(name, bytes);
      return Promise.resolve();
    },
    fetch: (name) => {
      const bytes = files.get(name);
      return bytes ? Promise.resolve(bytes) : Promise.reject(new Error(`${name}: no such file`));
    },
  };
}
