import type { ByteProgress } from '../contract/progress.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { MissingFile } from '../contract/failures.ts';

/** A page in place of a file is what servers of single-page applications answer for "not found". */
const isPage = (response: Response): boolean =>
  (response.headers.get('content-type') ?? '').includes('text/html');

/** The file's path as the user knows it, without the origin. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/^\//, '');

const request = async (url: string, init: RequestInit): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new MissingFile(pathOf(url), error instanceof Error ? error.message : 'no answer');
  }
  if (!response.ok) throw new MissingFile(pathOf(url), `HTTP ${response.status}`);
  if (isPage(response)) throw new MissingFile(pathOf(url), 'the server has no such file');
  return response;
};

const readAll = async (
  body: ReadableStream<Uint8Array>,
  onBytes: (count: number) => void,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    onBytes(part.value.length);
  }
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

/**
 * Bytes that a body will unpack to; null where the server does not say. With a content encoding
 * Content-Length is that of the compressed bytes, so this page's server gives the other one too.
 */
const decodedLength = (headers: Headers): number | null => {
  const plain = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  const said = headers.get('x-decoded-length') ?? plain;
  return said === null ? null : Number(said);
};

/** A file that was asked for. `size` is in bytes; null while neither its caller nor the server said it. */
interface RequestedFile {
  size: number | null;
  loaded: number;
}

/** All of them together; how much that will be is not known before every size is. */
const together = (asked: readonly RequestedFile[]): ByteProgress => ({
  loaded: asked.reduce((sum, { loaded }) => sum + loaded, 0),
  total: asked.some(({ size }) => size === null)
    ? 0
    : asked.reduce((sum, { size }) => sum + (size ?? 0), 0),
});

/**
 * Reads files below `base` by HTTP and reports the bytes of all of them together, from when they are asked for:
 * of files that are asked for at once, the whole is counted before the first of them is here.
 * @param onFetched told whenever all that was asked for is here: what follows is not a fetching
 * @throws MissingFile where the server has no such file
 */
export const fetchWithProgress = (
  base: string,
  onProgress: (progress: ByteProgress) => void,
  onFetched: () => void = () => undefined,
): FetchFile => {
  let all: readonly RequestedFile[] = [];
  let underWay = 0;
  const read = async (
    name: string,
    { signal, fresh = false }: NonNullable<Parameters<FetchFile>[1]>,
    file: RequestedFile,
  ): Promise<Uint8Array> => {
    const response = await request(base + name, {
      cache: fresh ? 'no-store' : 'default',
      signal,
    });
    file.size ??= decodedLength(response.headers);
    if (!response.body) return new Uint8Array(await response.arrayBuffer());
    return readAll(response.body, (count) => {
      file.loaded += count;
      onProgress(together(all));
    });
  };
  return async (name, options = {}) => {
    const file: RequestedFile = { size: options.bytes ?? null, loaded: 0 };
    // What others are known by is done before they begin: its bytes would fill a bar that then starts again.
    if (options.index !== true) all = [...all, file];
    underWay++;
    try {
      return await read(name, options, file);
    } finally {
      // Here, or not to be had: as much of it as came is all of it.
      file.size = file.loaded;
      underWay--;
      if (underWay === 0) onFetched();
    }
  };
};
