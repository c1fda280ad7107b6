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

/**
 * Lists what a repository would bring.
 * @throws CheckpointFault
 */
export async function planHub(
  web: Web,
  source: HubSource,
  signal?: AbortSignal,
): Promise<CheckpointPlan> {
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
  const sharded = byName.has(INDEX) && !byName.has(SINGLE);
  const shards = sharded ? shardsOf(await text(INDEX)) : null;
  const names = chooseFiles(repository, [...byName.keys()], shards);
  const files = names.map((name): PlannedFile => {
    const sibling = byName.get(name);
    const size = sibling?.size ?? sibling?.lfs?.size ?? null;
    return {
      name,
      bytes: size,
      exact: size !== null,
      sha256: sibling ? hashOf(sibling) : null,
      url: fileUrl(source, name, info.sha),
    };
  });
  return { source, revision: info.sha, title: titleOf(source), files, config: await text(CONFIG) };
}
