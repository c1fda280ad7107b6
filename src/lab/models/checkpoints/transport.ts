import { CheckpointFault } from './plan/fault.ts';
import { isWeights } from './plan/file-names.ts';
import { localGgufs } from './plan/gguf-files.ts';
import { folderFiles, isOnlyGguf } from './plan/plan-folder.ts';
import { totalOf } from './plan/plan-url.ts';
import type { LocalFile, PlannedFile } from '../../contract/records/checkpoints.ts';
import { ask, refusal, type Web } from './plan/web.ts';

/** A file from some byte on. */
export interface FileBody {
  /** Where the body begins: where it was asked to, or 0 where the file is another one by now. */
  from: number;
  /** Bytes of the whole file, where the source tells. */
  total: number | null;
  /** What names this state of the file: another tag is another file. */
  tag: string | null;
  body: ReadableStream<Uint8Array>;
}

export interface Transport {
  /**
   * @param from bytes that are here already
   * @param tag that of the file these bytes are of
   * @throws CheckpointFault; the signal's reason where it was aborted
   */
  open(file: PlannedFile, from: number, tag: string | null, signal: AbortSignal): Promise<FileBody>;
  /** The tag that the file has now; null where the source does not tell. */
  tag(file: PlannedFile, signal: AbortSignal): Promise<string | null>;
}

const startOf = (contentRange: string | null): number | null => {
  const start = /^bytes\s+(\d+)-/.exec(contentRange ?? '')?.[1];
  return start === undefined ? null : Number(start);
};

const tagOf = ({ headers }: Response): string | null =>
  headers.get('ETag') ?? headers.get('Last-Modified');

const EMPTY = (): ReadableStream<Uint8Array> => new Blob([]).stream();

/**
 * Files by HTTP. A rest is asked for with `Range`; that it is of the same file is asked with
 * `If-Range` where that is allowed, and checked by the tag of the answer always: other servers would
 * have to allow the header, and hubs do not.
 */
export function httpTransport(web: Web, repository: string | null): Transport {
  const request = async (
    file: PlannedFile,
    from: number,
    tag: string | null,
    signal: AbortSignal,
  ) => {
    const url = file.url!;
    const headers: Record<string, string> = {};
    // Asks for the plain bytes too: browsers take no compressed ranges.
    if (from > 0 || isWeights(file.name)) headers.Range = `bytes=${from}-`;
    const own = web.origin === null || new URL(url).origin === web.origin;
    if (from > 0 && own && tag !== null && !tag.startsWith('W/')) headers['If-Range'] = tag;
    return ask(web, url, file.name, { headers, signal });
  };

  return {
    async tag(file, signal) {
      const response = await ask(web, file.url!, file.name, { method: 'HEAD', signal });
      return response.ok ? tagOf(response) : null;
    },

    async open(file, from, tag, signal) {
      // Without a tag or a hash nobody could tell whether the rest belongs to what is here.
      const begin = tag === null && file.sha256 === null ? 0 : from;
      const response = await request(file, begin, tag, signal);
      const { headers, status } = response;
      const again = async (): Promise<FileBody> => {
        await response.body?.cancel().catch(() => undefined);
        return this.open(file, 0, null, signal);
      };
      if (status === 416 && begin > 0) return again();
      // An empty file has no range.
      if (status === 416 && (totalOf(headers.get('Content-Range')) ?? file.bytes) === 0)
        return { from: 0, total: 0, tag: null, body: EMPTY() };
      if (!response.ok) throw refusal(response, file.url!, { what: file.name, repository });
      const now = tagOf(response);
      const body = response.body ?? EMPTY();
      if (status !== 206) {
        const length = isWeights(file.name) ? Number(headers.get('Content-Length') ?? 'none') : NaN;
        return { from: 0, total: Number.isFinite(length) ? length : null, tag: now, body };
      }
      const range = headers.get('Content-Range');
      if (begin > 0 && file.sha256 === null && now !== tag) return again();
      if ((startOf(range) ?? begin) !== begin)
        throw new CheckpointFault(
          'bad-answer',
          `The server sent another part of ${file.name} than was asked for (${range ?? ''}).`,
          'Use a mirror, or download the files and add the folder.',
        );
      return { from: begin, total: totalOf(range), tag: now, body };
    },
  };
}

/** Files of a folder of this machine, or GGUF files. */
export function folderTransport(files: readonly LocalFile[]): Transport {
  const byName = isOnlyGguf(files) ? localGgufs(files) : folderFiles(files).byName;
  const tagOfFile = ({ size, lastModified }: File): string => `${size}-${lastModified}`;
  return {
    tag(planned) {
      const file = byName.get(planned.name);
      return Promise.resolve(file ? tagOfFile(file) : null);
    },

    open(planned, from, tag) {
      const file = byName.get(planned.name);
      if (!file)
        throw new CheckpointFault(
          'needs-files',
          `There is no ${planned.name} among what was chosen.`,
          'Choose the same folder or file as before.',
        );
      const now = tagOfFile(file);
      const begin = tag === now && from <= file.size ? from : 0;
      return Promise.resolve({
        from: begin,
        total: file.size,
        tag: now,
        body: file.slice(begin).stream(),
      });
    },
  };
}
