import { createRetriever } from './create.ts';
import { ExactIndex, type DenseIndex, type VectorTable } from './dense/dense.ts';
import type { FetchFile } from '../base/fetch-file.ts';
import { LexicalIndex } from './lexical/lexical.ts';
import { LocalSource } from './local.ts';
import { openLocalSource } from './open-local.ts';
import { openByMethod, type Retriever } from './retriever.ts';
import { encodedSimilarities } from './sources/similarities.ts';
import type { PassageEncoder, QueryEncoder, Source } from './sources/sources.ts';
import { WebIndex } from './web/client.ts';
import { WebSource } from './web/web-source.ts';
import type { World } from './world/load.ts';

export interface WorldRetrieverOptions {
  /** Encodes queries and web passages; null for lexical search only. Its id must be the one of the world's vectors. */
  encoder?: (QueryEncoder & PassageEncoder) | null;
  /** Builds the dense index; the exact scan by default. */
  dense?: (vectors: VectorTable) => DenseIndex;
  /** Milliseconds added to each call to the web, read at each call. */
  webDelayMs?: () => number;
  /** `off`: every web call pays for all of its shards. */
  webCache?: 'memory' | 'off';
}

/** A retriever with its parts, for those who want to change a setting or ask one source. */
export interface WorldRetriever extends Retriever {
  readonly local: LocalSource;
  readonly web: WebSource;
}

/** Indexes a loaded world: local passages in memory, the web by `fetchFile`. */
export function openWorldRetriever(
  world: World,
  fetchFile: FetchFile,
  options: WorldRetrieverOptions = {},
): WorldRetriever {
  const { encoder = null, dense = (vectors) => new ExactIndex(vectors), webDelayMs } = options;
  const local = new LocalSource(
    world.local,
    new LexicalIndex(world.local),
    encoder && { index: dense(vectorsFor(world, encoder.id)), encoder },
  );
  const web = new WebSource(
    () => WebIndex.open(fetchFile),
    encoder && encodedSimilarities(encoder),
    options.webCache,
  );
  // Where there is an encoder, it made the similarities of both.
  const compareBy = encoder ? 'similarity' : 'words';
  const over = (source: Source): Retriever =>
    createRetriever({ local: source, web, compareBy, ...(webDelayMs && { webDelayMs }) });
  const by = openByMethod(async (method) => {
    const { vectors } = world;
    return over((await openLocalSource(world.local, { method }, { encoder, vectors })).source);
  });
  return { local, web, by, ...over(local) };
}

function vectorsFor(world: World, encoderId: string): VectorTable {
  if (!world.vectors) throw new Error('this world has no vectors; build it with an encoder');
  const made = world.manifest.vectors?.encoder;
  if (made !== encoderId) {
    throw new Error(
      `the world's vectors come from encoder ${made}, the loaded one is ${encoderId}`,
    );
  }
  return world.vectors;
}
