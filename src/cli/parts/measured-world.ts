import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredWorld } from '../../evaluate/world/measured.ts';
import type { Passage } from '../../records/records.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { parseJson } from '../../base/fetch-file.ts';
import { itemAt } from '../../base/items.ts';
import { HuggingFaceTokenizer } from '../../policy/open/tokenizer.ts';
import { ExactIndex } from '../../retrieval/dense/dense.ts';
import type { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';
import type { PassageEncoder, QueryEncoder } from '../../retrieval/sources.ts';
import { openWorldRetriever } from '../../retrieval/open.ts';
import { WebIndex } from '../../retrieval/web/client.ts';
import { passageShardFile } from '../../retrieval/web/format.ts';
import { decodePassages } from '../../retrieval/web/passages.ts';
import { loadWorld } from '../../retrieval/world/load.ts';
import { builtIn } from '../shared/paths.ts';

/** Every passage of a static web index, in order. */
export async function webPassages(fetchFile: FetchFile): Promise<Passage[]> {
  const { header } = await WebIndex.open(fetchFile);
  const shards = Math.ceil(header.documents / header.passagesPerShard);
  const files = Array.from({ length: shards }, (_, shard) => passageShardFile(shard));
  const read = files.map(async (name) => decodePassages(await fetchFile(name), name));
  return (await Promise.all(read)).flat();
}

/** The shipped policy's tokenizer. */
function shippedTokenizer(): HuggingFaceTokenizer {
  const json = (name: string): object => {
    const path = join(builtIn('policy'), name);
    const parsed = parseJson(readFileSync(path), path);
    if (typeof parsed !== 'object' || parsed === null) throw new Error(`${path} holds no object`);
    return parsed;
  };
  return new HuggingFaceTokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
}

type Encoder = QueryEncoder & PassageEncoder;

/** Caches the vectors of queries, since each goes to several sources. */
const remembering = (encoder: OnnxEncoder): Encoder => {
  const vectors = new Map<string, Promise<Float32Array>>();
  return {
    id: encoder.id,
    dimensions: encoder.dimensions,
    encodePassages: (passages) => encoder.encodePassages(passages),
    encodeQuery: (text) => {
      const vector = vectors.get(text) ?? encoder.encodeQuery(text);
      vectors.set(text, vector);
      return vector;
    },
  };
};

/** Opens a world folder for measuring. @param encoder the one that made its vectors */
export async function openMeasured(
  fetchFile: FetchFile,
  encoder: OnnxEncoder | null,
): Promise<MeasuredWorld> {
  const world = await loadWorld(fetchFile);
  const used = world.vectors && encoder ? remembering(encoder) : null;
  const retriever = openWorldRetriever(world, fetchFile, { encoder: used });
  const byWords = openWorldRetriever(world, fetchFile);
  const lexical = new LexicalIndex(world.local);
  const exact = world.vectors && new ExactIndex(world.vectors);
  const tokenizer = shippedTokenizer();
  return {
    world,
    web: await webPassages(fetchFile),
    retriever: {
      // Only the web ranks by words; encoding its queries would be wasted.
      search: (source, query, k, signal) =>
        (source === 'web' ? byWords : retriever).search(source, query, k, signal),
    },
    local: {
      lexical: (query, k) =>
        Promise.resolve(lexical.search(query, k).map(({ passage }) => passage)),
      dense:
        exact && used
          ? async (query, k) =>
              exact
                .search(await used.encodeQuery(query), k)
                .map(({ index }) => itemAt(world.local, index))
          : null,
    },
    countTokens: (text) => tokenizer.encodeText(text).length,
  };
}
