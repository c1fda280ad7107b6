import { z } from 'zod';
import { CheckpointFault } from './fault.ts';
import { CONFIG, INDEX, MOST_JSON_BYTES, SINGLE, chooseFiles, shardsOf } from './file-names.ts';
import {
  type CheckpointPlan,
  type PlannedFile,
  type RemoteSource,
} from '../../../contract/records/checkpoints.ts';
import { fileUrl, titleOf } from './source.ts';
import { ask, parseObject, readBody, refusal, type Web } from './web.ts';
import { issueOf } from '../../../../base/errors.ts';
import { isGgufName } from '../../../../formats/gguf.ts';
import { ggufParts } from '../../../../policy/gguf/parts.ts';
import type { RemoteGguf } from '../../../contract/checkpoints.ts';

type HubSource = Extract<RemoteSource, { kind: 'hub' }>;

const siblingSchema = z.looseObject({
  rfilename: z.string(),
  size: z.int().min(0).nullish(),
  lfs: z
    .looseObject({
      sha256: z.string().nullish(),
      oid: z.string().nullish(),
      size: z.int().nullish(),
    })
    .nullish(),
});

/** The hub's answer to `/api/models/…/revision/…?blobs=true`. */
const infoSchema = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/),
  siblings: z.array(siblingSchema).max(100_000),
});

type Sibling = z.infer<typeof siblingSchema>;

/** @throws CheckpointFault of kind `bad-answer` */
function parseHubInfo(json: Record<string, unknown>): z.infer<typeof infoSchema> {
  const parsed = infoSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new CheckpointFault(
    'bad-answer',
    `The hub's answer is not understood (${issueOf(parsed.error)}).`,
    'Check that the hub address is that of a Hugging Face hub or a mirror of its API.',
  );
}

const hashOf = ({ lfs }: Sibling): string | null => {
  const hash = lfs?.sha256 ?? lfs?.oid ?? null;
  return hash !== null && /^[0-9a-f]{64}$/.test(hash) ? hash : null;
};

const sizeOf = (sibling: Sibling | undefined): number | null =>
  sibling?.size ?? sibling?.lfs?.size ?? null;

/** Of several GGUF files, what is looked at first: four bits lose little, eight next to nothing. */
const PREFERRED = [/Q4_K_M/i, /Q8_0/i, /Q4_0/i, /Q5_K_M/i, /Q6_K/i];

/** The GGUF models of a repository; parts are counted together, projectors of images left out. */
function ggufsOf(source: HubSource, siblings: readonly Sibling[]): RemoteGguf[] {
  const byName = new Map(siblings.map((sibling) => [sibling.rfilename, sibling]));
  return siblings.flatMap(({ rfilename: path }) => {
    const parts = isGgufName(path) ? partsOf(path) : [];
    if (parts[0] !== path || /(^|\/)mmproj/i.test(path)) return [];
    const sizes = parts.map((part) => sizeOf(byName.get(part)));
    return {
      path,
      bytes: sizes.reduce<number | null>(
        (sum, size) => (sum === null || size === null ? null : sum + size),
        0,
      ),
      address: fileUrl(source, path, source.revision),
    };
  });
}

/** Paths of all parts of a model. */
function partsOf(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return ggufParts(path.slice(folder.length)).map((name) => folder + name);
}

/** What a repository would bring, and the GGUF files that could be taken instead. */
export interface HubPlan {
  plan: CheckpointPlan;
  ggufs: RemoteGguf[];
}

/**
 * Lists what a repository would bring: safetensors, or a GGUF file where it has no others or the source names one.
 * @throws CheckpointFault; CheckpointError that says what is wrong with a GGUF file
 */
export async function planHub(web: Web, source: HubSource, signal?: AbortSignal): Promise<HubPlan> {
  const { base, repository } = source;
  const read = async (url: string, what: string) => {
    const response = await ask(web, url, what, signal ? { signal } : {});
    if (!response.ok) throw refusal(response, url, { what, repository });
    return parseObject(await readBody(response, what, MOST_JSON_BYTES, signal), what);
  };
  const info = parseHubInfo(
    await read(
      `${base}/api/models/${repository}/revision/${encodeURIComponent(source.revision)}?blobs=true`,
      `${repository}@${source.revision}`,
    ),
  );
  const byName = new Map(info.siblings.map((sibling) => [sibling.rfilename, sibling]));
  const text = (name: string) => read(fileUrl(source, name, info.sha), `${name} of ${repository}`);
  const ggufs = ggufsOf(source, info.siblings);
  const isSafe = byName.has(SINGLE) || byName.has(INDEX);
  const file = source.file ?? (isSafe ? undefined : preferred(ggufs));
  if (file !== undefined) {
    const files = partsOf(file).map((path) => {
      const sibling = byName.get(path);
      if (sibling) return { path, sha256: hashOf(sibling) };
      throw new CheckpointFault(
        'not-found',
        `${repository} has no ${path}.`,
        'Check the address, or choose one of the files that its "Files" page lists.',
      );
    });
    const of = { ...source, file };
    const { planRemoteGguf } = await import('./plan-gguf.ts');
    return { plan: await planRemoteGguf(web, of, info.sha, files, signal), ggufs };
  }
  const sharded = byName.has(INDEX) && !byName.has(SINGLE);
  const shards = sharded ? shardsOf(await text(INDEX)) : null;
  const names = chooseFiles(repository, [...byName.keys()], shards);
  const files = names.map((name): PlannedFile => {
    const sibling = byName.get(name);
    const size = sizeOf(sibling);
    return {
      name,
      bytes: size,
      exact: size !== null,
      sha256: sibling ? hashOf(sibling) : null,
      url: fileUrl(source, name, info.sha),
    };
  });
  const config = await text(CONFIG);
  return {
    plan: { source, revision: info.sha, title: titleOf(source), files, config },
    ggufs,
  };
}

/** The file that is looked at first; undefined where there is none. */
const preferred = (ggufs: readonly RemoteGguf[]): string | undefined => {
  const named = PREFERRED.flatMap((type) => ggufs.find(({ path }) => type.test(path)) ?? []);
  const smallest = ggufs.toSorted((a, b) => (a.bytes ?? Infinity) - (b.bytes ?? Infinity));
  return (named[0] ?? smallest[0])?.path;
};
