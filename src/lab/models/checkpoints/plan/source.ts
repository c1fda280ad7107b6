import type { RemoteSource, Source } from '../../../contract/records/checkpoints.ts';
import { isGgufName } from '../../../../formats/gguf.ts';
import { CheckpointFault } from './fault.ts';

export const HUB = 'https://huggingface.co';

const PART = String.raw`[A-Za-z0-9](?:[\w.-]{0,95})`;
const REPOSITORY = new RegExp(`^(${PART}/${PART})(?:@([\\w./-]{1,200}))?$`);

const bad = (message: string): CheckpointFault =>
  new CheckpointFault(
    'address',
    message,
    'Enter a repository such as Qwen/Qwen2.5-0.5B-Instruct (with @revision if you like), or the ' +
      'http(s) address of a GGUF file or of a folder with config.json.',
  );

/** The address of a hub or mirror as it is stored. @throws CheckpointFault */
export function parseHub(text: string): string {
  const trimmed = text.trim() || HUB;
  if (!URL.canParse(trimmed) || !/^https?:$/.test(new URL(trimmed).protocol))
    throw bad(`"${trimmed}" is not the address of a hub: it must start with https:// or http://`);
  const { origin, pathname } = new URL(trimmed);
  return origin + pathname.replace(/\/+$/, '');
}

/** A page or file of the hub, as it is copied from the address bar. */
function hubPage(url: URL, hub: string): RemoteSource | null {
  const base = new URL(hub);
  if (url.host !== base.host) return null;
  const prefix = base.pathname.replace(/\/+$/, '');
  if (!url.pathname.startsWith(`${prefix}/`)) return null;
  const [owner, name, kind, ...rest] = url.pathname
    .slice(prefix.length + 1)
    .split('/')
    .filter(Boolean);
  if (owner === undefined || name === undefined) return null;
  const revision = ['tree', 'blob', 'resolve'].includes(kind ?? '') ? rest[0] : undefined;
  const file = rest.slice(1).map(decodeURIComponent).join('/');
  const parsed = REPOSITORY.exec(`${owner}/${name}`);
  if (!parsed) return null;
  return {
    kind: 'hub',
    base: hub,
    repository: parsed[1]!,
    revision: decodeURIComponent(revision ?? 'main'),
    ...(isGgufName(file) && { file }),
  };
}

/** A GGUF file, or a folder by its own address or by that of a file in it. */
function serverUrl(url: URL): RemoteSource {
  const folder = new URL(url);
  folder.hash = '';
  folder.search = '';
  if (isGgufName(url.pathname)) return { kind: 'url', url: folder.href };
  folder.pathname = /\.(json|safetensors|jinja)$/.test(url.pathname)
    ? url.pathname.replace(/[^/]+$/, '')
    : `${url.pathname.replace(/\/+$/, '')}/`;
  return { kind: 'url', url: folder.href };
}

/**
 * Reads what the user typed: `owner/name[@revision]`, the address of a page of the hub, or the
 * address of a folder.
 * @param hub address as `parseHub` gives it
 * @throws CheckpointFault of kind `address`
 */
export function parseSource(text: string, hub = HUB): RemoteSource {
  const trimmed = text.trim();
  if (trimmed === '') throw bad('The field is empty');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    if (!URL.canParse(trimmed)) throw bad(`"${trimmed}" is not an address`);
    const url = new URL(trimmed);
    if (!/^https?:$/.test(url.protocol)) throw bad(`Pages cannot read ${url.protocol} addresses`);
    if (url.username || url.password)
      throw bad('Names and passwords in an address would be stored; leave them out');
    try {
      return hubPage(url, hub) ?? serverUrl(url);
    } catch {
      throw bad(`"${trimmed}" is not an address`);
    }
  }
  const parsed = REPOSITORY.exec(trimmed);
  if (!parsed)
    throw bad(
      `"${trimmed.slice(0, 120)}" is not a repository: write owner/name, such as Qwen/Qwen2.5-0.5B-Instruct, or an address`,
    );
  return { kind: 'hub', base: hub, repository: parsed[1]!, revision: parsed[2] ?? 'main' };
}

/** The last part of a path, without the ending and the count of parts of a GGUF file. */
const stemOf = (path: string): string =>
  (path.split('/').findLast(Boolean) ?? '').replace(/(-\d{5}-of-\d{5})?\.gguf$/i, '');

/** A name to begin with; the user may change it. */
export const titleOf = (source: Source): string => longTitle(source).slice(0, 200);

function longTitle(source: Source): string {
  switch (source.kind) {
    case 'hub':
      if (source.file !== undefined) return stemOf(source.file);
      return source.revision === 'main'
        ? source.repository
        : `${source.repository}@${source.revision}`;
    case 'url': {
      const { host, pathname } = new URL(source.url);
      return stemOf(pathname) || host;
    }
    case 'file':
      return stemOf(source.name);
    case 'folder':
      return source.name;
  }
}

/** Address of a file of a source. @param revision commit that the source is at, where known */
export function fileUrl(source: RemoteSource, name: string, revision: string | null): string {
  if (source.kind === 'url') return new URL(name, source.url).href;
  const { base, repository } = source;
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `${base}/${repository}/resolve/${encodeURIComponent(revision ?? source.revision)}/${path}`;
}
