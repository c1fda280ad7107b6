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
 * Bytes that a body will unpack to; 0 where the server does not say. With a content encoding
 * Content-Length is that of the compressed bytes, so this page's server gives the other one too.
 */
const decodedLength = (headers: Headers): number => {
  const plain = headers.get('content-encoding') === null ? headers.get('content-length') : null;
  return Number(headers.get('x-decoded-length') ?? plain ?? 0);
};

/**
 * Reads files below `base` by HTTP and reports the bytes of all of them together.
 * @param onFetched told whenever all that was asked for is here: what follows is no fetching
 * @throws MissingFile where the server has no such file
 */
export const fetchWithProgress = (
  base: string,
  onProgress: (progress: ByteProgress) => void,
  onFetched: () => void = () => undefined,
): FetchFile => {
  const progress: ByteProgress = { loaded: 0, total: 0 };
  let underWay = 0;
  const read: FetchFile = async (name, { signal, fresh = false } = {}) => {
    const response = await request(base + name, {
      cache: fresh ? 'no-store' : 'default',
      ...(signal && { signal }),
    });
    progress.total += decodedLength(response.headers);
    if (!response.body) return new Uint8Array(await response.arrayBuffer());
    return readAll(response.body, (count) => {
      progress.loaded += count;
      onProgress({ ...progress });
    });
  };
  return async (...asked) => {
    underWay++;
    try {
      return await read(...asked);
    } finally {
      underWay--;
      if (underWay === 0) onFetched();
    }
  };
};
