import { oneLine } from './errors.ts';

interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** Bypass every cache on the way, so that the call pays for the transfer. */
  fresh?: boolean | undefined;
  /** Bytes that the file has, where the caller knows it before the server says so. */
  bytes?: number | undefined;
  /** It says which files there are: how much there is to fetch is known after it. */
  index?: boolean | undefined;
}

/**
 * Reads one file of a folder (a world, an encoder) by its relative name: by HTTP in a browser, by
 * HTTP or from a disk in Node. Rejects where the file is missing, or with the signal's reason.
 */
export type FetchFile = (name: string, options?: FetchOptions) => Promise<Uint8Array>;

/** The value of a JSON text; undefined where it is none. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Decodes UTF-8 JSON; the message names the file. */
export function parseJson(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Error(`${oneLine(name, 200)}: not valid JSON`, { cause });
  }
}
