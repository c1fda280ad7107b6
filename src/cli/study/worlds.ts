import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { coverageOf } from '../../agent/router/coverage.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import { createRouter, type Router } from '../../agent/router/router.ts';
import { canonical, sha256 } from '../../base/hash.ts';
import { median } from '../../base/statistics.ts';
import type { NamedWorld } from '../../evaluate/study/file/worlds.ts';
import { withWebDelay } from '../../retrieval/delayed.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { World } from '../../retrieval/world/load.ts';
import { LOCAL_FILE, MANIFEST_FILE, QUESTIONS_FILE } from '../../retrieval/world/manifest.ts';
import { buildWorld, openEncoderFromDisk, writeToDisk } from '../shared/build-world.ts';
import { endProgress, say, sayProgress } from '../shared/command.ts';
import { openSources } from '../shared/parts.ts';
import { builtIn } from '../shared/paths.ts';
import type { StudyFolder } from './folder.ts';

/** A world of a study, open. */
export interface StudySources {
  world: World;
  retriever: Retriever;
  /** The prior set by hand, or weights of a training. */
  router(weights?: RouterWeights): Router;
}

const digestOfFile = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

/** Questions whose search times the web. */
const WEB_PROBES = 20;

/** Worlds of a study: generated where missing, each opened once at first use. */
export class StudyWorlds {
  readonly #base: string;
  readonly #webDelayMs: number;
  readonly #open = new Map<string, Promise<StudySources>>();

  /** @param base folder that the study's paths are relative to */
  constructor(base: string, webDelayMs: number) {
    this.#base = base;
    this.#webDelayMs = webDelayMs;
  }

  #path = (path: string): string => resolve(this.#base, path);

  digestOf = (path: string): Promise<string> => Promise.resolve(digestOfFile(this.#path(path)));

  /** Identity of a world's content, computed without opening it. */
  identityOf = async ({ source }: NamedWorld): Promise<unknown> => {
    switch (source.kind) {
      case 'generated':
        return { seed: source.seed, ...(source.web && { web: source.web }) };
      case 'folder':
        return { manifest: await this.digestOf(join(source.folder, MANIFEST_FILE)) };
      case 'corpus':
        return {
          corpus: await Promise.all(source.corpus.map(this.digestOf)),
          questions: await this.digestOf(source.questions),
          method: source.method,
        };
    }
  };

  /** Name of its record, the same in every study. */
  async recordName(world: NamedWorld): Promise<string> {
    const { source } = world;
    if (source.kind === 'generated')
      return source.web ? `seed${source.seed}-${source.web}` : `seed${source.seed}`;
    const digest = await sha256(canonical(await this.identityOf(world)));
    return `${source.kind}-${digest.slice(0, 12)}`;
  }

  /** @throws UsageError where files are missing, or the folder knows another world of that name */
  open(world: NamedWorld, folder: StudyFolder): Promise<StudySources> {
    const key = canonical(world.source);
    const known = this.#open.get(key);
    if (known) return known;
    const opened = this.#openNew(world, folder);
    this.#open.set(key, opened);
    return opened;
  }

  async #openNew(named: NamedWorld, folder: StudyFolder): Promise<StudySources> {
    const { source } = named;
    const name = await this.recordName(named);
    const { world, retriever } = await openSources(
      source.kind === 'corpus'
        ? {
            corpus: { files: source.corpus.map(this.#path), method: source.method },
            questions: this.#path(source.questions),
            onProgress: sayProgress,
            onNotice: say,
          }
        : {
            world:
              source.kind === 'folder'
                ? this.#path(source.folder)
                : await this.#generated(source, folder.worldFolder(name)),
          },
    );
    endProgress();
    const { files } = world.manifest;
    // Vectors are left out: another build of the encoder may round them otherwise.
    const digest =
      source.kind === 'corpus'
        ? null
        : await sha256(
            canonical(
              Object.entries(files)
                .filter(
                  ([file]) =>
                    [LOCAL_FILE, QUESTIONS_FILE].includes(file) || file.startsWith('web/'),
                )
                .map(([file, entry]) => [file, entry.sha256]),
            ),
          );
    const record = folder.world(name) ?? { of: await this.identityOf(named), webLatencyMs: {} };
    folder.recordWorld(name, { ...record, digest });
    const localCoverage = coverageOf(world.local);
    return {
      world,
      retriever: withWebDelay(retriever, this.#webDelayMs),
      router: (weights) => createRouter({ localCoverage, weights }),
    };
  }

  async #generated(made: { seed: number; web?: 'superset' }, path: string): Promise<string> {
    if (existsSync(join(path, MANIFEST_FILE))) return path;
    say(`generating the world of seed ${made.seed} …`);
    const encoder = await openEncoderFromDisk(builtIn('encoder'));
    await buildWorld(made, writeToDisk(path), encoder, (done, total) =>
      sayProgress(`encoding passages ${done}/${total}`),
    );
    endProgress();
    return path;
  }

  /**
   * Median latency of the world's web in milliseconds, one call at a time, the added delay included. It is
   * measured once for a folder, so that every arm's calls are compared with the same.
   */
  async webLatencyMs(named: NamedWorld, folder: StudyFolder): Promise<number> {
    const name = await this.recordName(named);
    const { world, retriever } = await this.open(named, folder);
    const record = folder.world(name);
    const delay = String(this.#webDelayMs);
    const known = record?.webLatencyMs[delay];
    if (known !== undefined) return known;
    const queries = world.questions
      .slice(0, WEB_PROBES)
      .map(({ chain = [], text }) => chain[0]?.query ?? text);
    const latencies: number[] = [];
    for (const query of queries)
      latencies.push((await retriever.search('web', query, 2)).latencyMs);
    const latency = median(latencies) ?? 0;
    if (record)
      folder.recordWorld(name, {
        ...record,
        webLatencyMs: { ...record.webLatencyMs, [delay]: latency },
      });
    return latency;
  }
}
