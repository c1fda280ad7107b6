import { MATRIX_TYPES, type MatrixType } from '../../../../policy/ops/values.ts';
import type { PackedSource } from '../../../../policy/checkpoint/tensor-source.ts';
import { openCheckpoint } from '../../../../policy/checkpoint/checkpoint.ts';
import type { GgufBytes } from '../../../../policy/gguf/header.ts';
import { workingTemplate } from '../../../../policy/open/reader.ts';
import { openGguf } from '../../../../policy/gguf/open.ts';
import { ggufParts } from '../../../../policy/gguf/parts.ts';
import type {
  CheckpointPlan,
  GgufTypes,
  LocalFile,
  RemoteSource,
} from '../../../contract/records/checkpoints.ts';
import { CheckpointFault } from './fault.ts';
import { localGgufs, storedName } from './gguf-files.ts';
import { totalOf } from './plan-url.ts';
import { fileUrl, titleOf } from './source.ts';
import { type Web, ask, interrupted, refusal, type WebRequest } from './web.ts';

/** What is stored of a model in GGUF files, and what it is: only headers are read. */

/** The widest of the types that matrices are held in. */
const widest = (types: readonly MatrixType[]): MatrixType =>
  MATRIX_TYPES.find((type) => types.includes(type)) ?? 'f32';

function typesOf(packing: PackedSource): GgufTypes {
  const { held } = packing;
  const stored: Record<string, number> = {};
  for (const name of Object.keys(held)) {
    const type = packing.storedAs(name);
    stored[type] = (stored[type] ?? 0) + 1;
  }
  return { stored, held: widest(Object.values(held)) };
}

/** What a model is, by the headers of its files in their order. @throws CheckpointError that names the file at fault */
async function readGguf(
  files: readonly GgufBytes[],
): Promise<Pick<CheckpointPlan, 'config'> & { gguf: GgufTypes }> {
  const model = await openGguf(files);
  const { packing } = await openCheckpoint(model.files);
  if (!packing) throw new Error('gguf: its weights have no types');
  // A tokenizer or a template that cannot be used is refused before anything is stored.
  await workingTemplate(model.files);
  return { config: { ...model.config }, gguf: typesOf(packing) };
}

/** A model in a GGUF file of this machine, or in all parts of a split one. @throws CheckpointFault or CheckpointError */
export async function planLocalGguf(files: readonly LocalFile[]): Promise<CheckpointPlan> {
  const byName = localGgufs(files);
  const names = [...byName.keys()].toSorted();
  const first = names[0] ?? '';
  const parts = ggufParts(first);
  if (names.some((name) => !parts.includes(name)))
    throw new CheckpointFault(
      'unsupported',
      `These are ${names.length} GGUF models: ${names.slice(0, 4).join(', ')}${names.length > 4 ? ' …' : ''}.`,
      'Open one of them, or all parts of one.',
    );
  const missing = parts.filter((name) => !byName.has(name));
  if (missing.length > 0)
    throw new CheckpointFault(
      'unsupported',
      `${missing.slice(0, 4).join(', ')}${missing.length > 4 ? ' …' : ''} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      `Choose all ${parts.length} parts of the model together.`,
    );
  const present = names.map((name): GgufBytes => {
    const file = byName.get(name)!;
    return {
      name,
      size: file.size,
      read: async (start, end) => new Uint8Array(await file.slice(start, end).arrayBuffer()),
    };
  });
  const read = await readGguf(present);
  const source = { kind: 'file', name: first } as const;
  return {
    source,
    revision: null,
    title: titleOf(source),
    files: present.map(({ name, size }) => ({
      name,
      bytes: size,
      exact: true,
      sha256: null,
      url: null,
    })),
    ...read,
  };
}

/** A file of a remote model, as its source lists it. */
export interface ListedFile {
  /** Path in the repository, or name on the server. */
  readonly path: string;
  readonly sha256: string | null;
}

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
async function remoteBytes(
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

/**
 * A model in a GGUF file on a server, or in all parts of a split one.
 * @param revision commit of the hub
 * @param files its parts in their order
 * @throws CheckpointFault, CheckpointError that says what is wrong with a file; the signal's reason
 */
export async function planRemoteGguf(
  web: Web,
  source: RemoteSource,
  revision: string | null,
  files: readonly ListedFile[],
  signal?: AbortSignal,
): Promise<CheckpointPlan> {
  const repository = source.kind === 'hub' ? source.repository : null;
  const parts = await Promise.all(
    files.map(async ({ path, sha256 }) => {
      const url = fileUrl(source, path, revision);
      const name = storedName(path);
      const what = repository === null ? url : `${path} of ${repository}`;
      const bytes = await remoteBytes(web, url, name, { what, repository }, signal);
      return { bytes, sha256, url };
    }),
  );
  const read = await readGguf(parts.map(({ bytes }) => bytes));
  return {
    source,
    revision,
    title: titleOf(source),
    files: parts.map(({ bytes: { name, size }, sha256, url }) => ({
      name,
      bytes: size,
      exact: true,
      sha256,
      url,
    })),
    ...read,
  };
}

/** A GGUF file of a server. */
export function planUrlGguf(
  web: Web,
  source: Extract<RemoteSource, { kind: 'url' }>,
  signal?: AbortSignal,
): Promise<CheckpointPlan> {
  const parts = ggufParts(new URL(source.url).pathname.split('/').at(-1) ?? '');
  const files = parts.map((path) => ({ path, sha256: null }));
  return planRemoteGguf(web, source, null, files, signal);
}
