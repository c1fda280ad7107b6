import { isGgufName } from '../../../../formats/gguf.ts';
import { CheckpointFault } from './fault.ts';
import {
  CONFIG,
  INDEX,
  MOST_JSON_BYTES,
  SIDE_FILES,
  SINGLE,
  chooseFiles,
  isWeights,
  shardsOf,
} from './file-names.ts';
import {
  type CheckpointPlan,
  type PlannedFile,
  type RemoteSource,
} from '../../../contract/records/checkpoints.ts';
import { fileUrl, titleOf } from './source.ts';
import { ask, parseObject, readBody, refusal, type Web } from './web.ts';

type UrlSource = Extract<RemoteSource, { kind: 'url' }>;

const count = (text: string | null | undefined): number | null =>
  text && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** Length of the whole from `bytes 0-0/1234`. */
export const totalOf = (contentRange: string | null): number | null =>
  count(/^bytes\s+(?:\d+-\d+|\*)\/(\d+)$/.exec(contentRange ?? '')?.[1]);

const MISSING = [404, 410];

/** A single-page server answers every path with its page. */
const isPage = (response: Response): boolean =>
  (response.headers.get('Content-Type') ?? '').startsWith('text/html');

/**
 * Lists what a GGUF file or a folder on a server would bring; of a folder there is no listing, so each file is asked for.
 * @throws CheckpointFault
 */
export async function planUrl(
  web: Web,
  source: UrlSource,
  signal?: AbortSignal,
): Promise<CheckpointPlan> {
  if (isGgufName(source.url)) {
    const { planUrlGguf } = await import('./plan-gguf.ts');
    return planUrlGguf(web, source, signal);
  }
  const aborting = signal ? { signal } : {};
  const place = new URL(source.url).host + new URL(source.url).pathname;
  const asked = (name: string) => ({ what: `${name} at ${place}`, repository: null });

  const readJson = async (name: string) => {
    const url = fileUrl(source, name, null);
    const response = await ask(web, url, asked(name).what, aborting);
    if (MISSING.includes(response.status)) return null;
    if (!response.ok) throw refusal(response, url, asked(name));
    const bytes = await readBody(response, asked(name).what, MOST_JSON_BYTES, signal);
    return parseObject(bytes, asked(name).what);
  };

  /** undefined where there is no such file, null where its size is not told. */
  const sizeOf = async (name: string): Promise<number | null | undefined> => {
    const url = fileUrl(source, name, null);
    const head = await ask(web, url, asked(name).what, { method: 'HEAD', ...aborting });
    if (MISSING.includes(head.status) || (head.ok && isPage(head))) return undefined;
    const length = head.ok ? count(head.headers.get('Content-Length')) : null;
    if (length !== null) return length;
    // Some servers know no HEAD, or leave the length away.
    const headers = { Range: 'bytes=0-0' };
    const first = await ask(web, url, asked(name).what, { headers, ...aborting });
    await first.body?.cancel().catch(() => undefined);
    if (MISSING.includes(first.status)) return undefined;
    if (!first.ok) throw refusal(first, url, asked(name));
    if (first.status === 206) return totalOf(first.headers.get('Content-Range'));
    return count(first.headers.get('Content-Length'));
  };

  const config = await readJson(CONFIG);
  if (config === null)
    throw new CheckpointFault(
      'not-found',
      `There is no ${CONFIG} at ${place} (HTTP 404).`,
      'Enter the address of the folder with config.json.',
    );
  const sizes = new Map<string, number | null>();
  const look = async (name: string): Promise<boolean> => {
    const size = await sizeOf(name);
    if (size !== undefined) sizes.set(name, size);
    return size !== undefined;
  };
  let shards: string[] | null = null;
  if (!(await look(SINGLE))) {
    const index = await readJson(INDEX);
    if (index) {
      shards = shardsOf(index);
      await look(INDEX);
      for (const name of shards) await look(name);
    }
  }
  for (const name of SIDE_FILES) await look(name);
  const names = chooseFiles(place, [...sizes.keys(), CONFIG], shards);
  const files = names.map((name): PlannedFile => ({
    name,
    bytes: sizes.get(name) ?? null,
    // The stated length may be that of the compressed text.
    exact: isWeights(name) && (sizes.get(name) ?? null) !== null,
    sha256: null,
    url: fileUrl(source, name, null),
  }));
  return { source, revision: null, title: titleOf(source), files, config };
}
