import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { coverageOf } from '../../agent/router/coverage.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import type { ResolvedQuestions } from '../../evaluate/systems/plan/plan.ts';
import type { QuestionsSource, RetrievalChange } from '../../evaluate/systems/spec.ts';
import { retrieverByMethod, type Retriever } from '../../retrieval/retriever.ts';
import { MANIFEST_FILE } from '../../retrieval/world/manifest.ts';
import { buildWorld, openEncoderFromDisk, writeToDisk } from '../shared/build-world.ts';
import { endProgress, say, sayProgress } from '../shared/command.ts';
import { UsageError } from '../shared/options.ts';
import { openSources, type OpenSources } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';

/** Question sets of an evaluation, with the sources searched for them. */

interface OpenSet extends ResolvedQuestions {
  sources: OpenSources;
  identity: unknown;
}

const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

const nameOf = (source: QuestionsSource): { key: string; name: string } => {
  switch (source.kind) {
    case 'built-in':
      return { key: 'built-in', name: 'built-in world' };
    case 'fresh':
      return { key: `seed${source.seed}`, name: `world of seed ${source.seed}` };
    case 'collections':
      throw new UsageError(
        'These questions are stored in a browser; name a file with --questions.',
      );
    case 'files': {
      const name = basename(source.questions ?? source.world ?? source.corpus?.[0] ?? 'files');
      return { key: name, name };
    }
  }
};

/** A generated world, stored as a folder once; in memory where nothing is kept. */
async function freshWorld(
  { seed }: Extract<QuestionsSource, { kind: 'fresh' }>,
  folder: string | null,
): Promise<string | { seed: number }> {
  if (folder === null) return { seed };
  const path = join(folder, 'worlds', `seed${seed}`);
  if (existsSync(join(path, MANIFEST_FILE))) return path;
  say(`generating the world of seed ${seed} …`);
  const encoder = await openEncoderFromDisk(builtIn('encoder'));
  const progress = (done: number, total: number): void =>
    sayProgress(`encoding passages ${done}/${total}`);
  await buildWorld({ seed }, writeToDisk(path), encoder, progress);
  return path;
}

/** Opens a set. @param folder of the evaluation. @throws UsageError that names what is missing */
export async function openSet(source: QuestionsSource, folder: string | null): Promise<OpenSet> {
  const names = nameOf(source);
  const files = source.kind === 'files' ? source : null;
  const world = source.kind === 'fresh' ? await freshWorld(source, folder) : files?.world;
  const sources = await openSources({
    world,
    questions: files?.questions,
    ...(files?.corpus && { corpus: { files: files.corpus, method: files.method ?? 'lexical' } }),
    onProgress: sayProgress,
    onNotice: say,
  });
  endProgress();
  const { questions, manifest } = sources.world;
  const chosen = questions.filter(({ split }) => source.split === 'all' || split === source.split);
  if (chosen.length === 0)
    throw new UsageError(`${names.name} has no question in the ${source.split} split.`);
  return {
    ...names,
    questions: source.limit === null ? chosen : chosen.slice(0, source.limit),
    sources,
    identity: {
      files: manifest.files,
      vectors: manifest.vectors,
      corpus: files?.corpus?.map(digestOf) ?? null,
      method: files?.method ?? null,
    },
  };
}

/** @throws UsageError for a source of a browser */
export function retrieverFor({ sources }: OpenSet, { local, web }: RetrievalChange): Retriever {
  if (local?.kind === 'collections' || (web !== undefined && web.kind !== 'built-in'))
    throw new UsageError(
      'This retrieval setting names passages stored in a browser; name files with --corpus.',
    );
  return local?.method === undefined
    ? sources.retriever
    : retrieverByMethod(sources.retriever, local.method);
}

export const routerFor = ({ sources }: OpenSet, weights: RouterWeights | undefined): Router =>
  createRouter({
    localCoverage: coverageOf(sources.world.local),
    weights,
  });

export type { OpenSet };
