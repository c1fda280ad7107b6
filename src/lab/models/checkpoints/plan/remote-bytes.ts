import type { GgufBytes } from '../../../../policy/gguf/header.ts';
import { CheckpointFault } from './fault.ts';
import { totalOf } from './plan-url.ts';
import { ask, interrupted, refusal, type Web, type WebRequest } from './web.ts';

/** Bytes that are read at a time: a header of 150,000 tokens has some 6 MB. */
const WINDOW = 2 * 2 ** 20;

interface Window {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * A file on a server, read by range: only what is asked for travels.
 * @param file name in errors
 * @throws CheckpointFault where it is not there, or the server sends whole files only
 */
export async function remoteBytes(
  web: Web,
  url: string,
  file: string,
  asked: WebRequest,
  signal?: AbortSignal,
): Promise<GgufBytes> {
  const read = async (start: number, end: number): Promise<{ window: Window; total: number }> => {
    const headers = { Range: `bytes=${start}-${end - 1}` };
    const response = await ask(web, url, asked.what, { headers, ...(signal && { signal }) });
    if (!response.ok) {
      await response.body?.cancel().catch(() => undefined);
      throw refusal(response, url, asked);
    }
    const total = totalOf(response.headers.get('Content-Range'));
    if (response.status !== 206 || total === null) {
      await response.body?.cancel().catch(() => undefined);
      throw new CheckpointFault(
        'bad-answer',
        `The server of ${asked.what} sends whole files only, or does not let pages read Content-Range.`,
        'Download the file, then open it from this machine.',
      );
    }
    try {
      return { window: { start, bytes: new Uint8Array(await response.arrayBuffer()) }, total };
    } catch (error) {
      signal?.throwIfAborted();
      throw interrupted(asked.what, error);
    }
  };
  const first = await read(0, WINDOW);
  let { window } = first;
  const size = first.total;
  return {
    name: file,
    size,
    read: async (start, end) => {
      const has = start >= window.start && end <= window.start + window.bytes.length;
      if (!has) window = (await read(start, Math.min(size, Math.max(end, start + WINDOW)))).window;
      return window.bytes.subarray(start - window.start, end - window.start);
    },
  };
}
