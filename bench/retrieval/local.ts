/**
 * Supporting-title recall@5 of the ways to search a corpus of your own: the share of a question's
 * supporting titles that are among the first five passages, mean over questions with the 95 % interval
 * of a bootstrap over questions. The question is the query. Files in any format that Forage imports.
 * `both` asks the built-in world's web beside the corpus, which knows nothing of it.
 *
 *   npx tsx bench/retrieval/local.ts QUESTIONS CORPUS [--encoder FOLDER] [--keep FILE]
 *
 * --keep holds the vectors that were computed, for the next time.
 */
import { existsSync, readFileSync, writeFileSync, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import {
  fetchFromDisk,
  openEncoderFromDisk,
  openOrtFromDisk,
} from '../../src/cli/shared/build-world.ts';
import { importAll } from '../../src/formats/import/collect.ts';
import type { Hit } from '../../src/records/hits.ts';
import type { Passage, Question } from '../../src/records/records.ts';
import { bootstrapMean } from '../../src/evaluate/bootstrap.ts';
import { differenceOf, endsText } from '../../src/evaluate/paired-difference.ts';
import { createRetriever } from '../../src/retrieval/create.ts';
import { ExactIndex, type VectorTable } from '../../src/retrieval/dense/dense.ts';
import { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import { withManifest } from '../../src/retrieval/encoder/sentence-transformers.ts';
import { learnFusion } from '../../src/retrieval/learn-fusion.ts';
import { LexicalIndex } from '../../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../../src/retrieval/local.ts';
import { openLocalSource } from '../../src/retrieval/open-local.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import type { Source } from '../../src/retrieval/sources.ts';
import { terms } from '../../src/retrieval/lexical/text.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { diskFolder } from '../../src/cli/shared/disk-folder.ts';

const K = 5;
const USAGE = 'npx tsx bench/retrieval/local.ts QUESTIONS CORPUS [--encoder FOLDER] [--keep FILE]';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    encoder: { type: 'string', default: 'public/encoder' },
    keep: { type: 'string', default: '' },
  },
});

/** Bytes in use after a collection; 0 where Node was not started with --expose-gc. */
function heap(): number {
  if (!globalThis.gc) return 0;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const read = async (path: string) => importAll(await openAsBlob(path), { name: basename(path) });

type Search = (query: string) => Promise<{ hits: Hit[] }>;

const of =
  (source: Source): Search =>
  (query) =>
    source.search(query, K);

/** Recall of each question, and the share of hits that came from the web. */
async function recalls(
  search: Search,
  questions: readonly Question[],
): Promise<{ each: number[]; web: number }> {
  const each: number[] = [];
  let [web, all] = [0, 0];
  for (const { text, supporting } of questions) {
    const { hits } = await search(text);
    const found = new Set(hits.map(({ passage }) => passage.title));
    const wanted = [...new Set(supporting)];
    each.push(wanted.filter((title) => found.has(title)).length / wanted.length);
    web += hits.filter(({ source }) => source === 'web').length;
    all += hits.length;
  }
  return { each, web: web / Math.max(1, all) };
}

async function vectorsOf(encoder: OnnxEncoder, passages: Passage[]): Promise<VectorTable> {
  const { dimensions } = encoder;
  if (options.keep && existsSync(options.keep)) {
    const values = new Float32Array(new Uint8Array(readFileSync(options.keep)).buffer);
    if (values.length === passages.length * dimensions) return { dimensions, values };
  }
  const start = performance.now();
  const vectors = await encoder.encodePassages(passages, (done, total) => {
    if (done === total) console.error(`encoded ${total} passages`);
  });
  const ms = (performance.now() - start) / passages.length;
  console.log(`encoding: ${ms.toFixed(1)} ms a passage on one core (WASM)`);
  if (options.keep) writeFileSync(options.keep, vectors.values);
  return vectors;
}

async function main(): Promise<void> {
  const [questionsPath, corpusPath] = positionals;
  if (!questionsPath || !corpusPath) throw new Error(USAGE);
  const { passages: imported } = await read(corpusPath);
  const passages = imported.map(({ passage }) => passage);
  const { questions } = await read(questionsPath);
  const asked = questions.filter(({ supporting }) => supporting.length > 0);
  const folder = await withManifest(diskFolder(options.encoder), 'encoder');
  const encoder = await OnnxEncoder.open(folder, openOrtFromDisk);
  console.log(`${asked.length} questions, ${passages.length} passages, encoder ${encoder.id}`);
  const vectors = await vectorsOf(encoder, passages);
  const print = async (name: string, search: Search): Promise<number[]> => {
    const { each, web } = await recalls(search, asked);
    const { mean, low, high } = bootstrapMean(each);
    const fromWeb = web > 0 ? `; ${(100 * web).toFixed(0)} % of hits from the web` : '';
    console.log(
      `| ${name} | ${mean.toFixed(4)} | ${low.toFixed(3)} to ${high.toFixed(3)}${fromWeb} |`,
    );
    return each;
  };
  console.log('| method | supporting-title recall@5 | 95 % |\n|---|---|---|');
  const before = heap();
  const lexical = new LexicalIndex(passages);
  const taken = heap();
  if (before > 0) {
    const count = passages.reduce(
      (sum, { title, text }) => sum + terms(`${title} ${text}`).length,
      0,
    );
    console.log(`lexical index: ${((taken - before) / count).toFixed(0)} bytes of heap a term`);
  }
  const dense = { index: new ExactIndex(vectors), encoder };
  const parts = [
    await print('lexical', of(new LocalSource(passages, lexical, null))),
    await print('dense, exact scan', of(new LocalSource(passages, null, dense))),
  ];
  const cluster = await openLocalSource(passages, { method: 'cluster' }, { encoder, vectors });
  await print('dense, clusters', of(cluster.source));
  await print('hybrid, equal weights, k = 60', of(new LocalSource(passages, lexical, dense)));
  const hybrid = await openLocalSource(passages, { method: 'hybrid' }, { encoder, vectors });
  const fused = await print('hybrid, learned weights', of(hybrid.source));
  for (const [i, name] of ['lexical', 'dense'].entries()) {
    const difference = differenceOf(parts[i] ?? [], fused);
    if (!difference) continue;
    const ends = endsText(difference, (value) => value.toFixed(3), '–');
    console.log(`hybrid − ${name}, paired: ${difference.mean.toFixed(4)} ${ends}`);
  }
  const { weights, questions: clozes, ...learned } = await learnFusion(passages, lexical, dense);
  console.log(
    `learned on ${clozes} sentences: lexical ${weights.lexical} : dense ${weights.dense}; recall@5 of their passages ` +
      Object.entries(learned)
        .map(([name, value]) => `${name} ${value.toFixed(3)}`)
        .join(', '),
  );
  const world = await loadWorld(fetchFromDisk('public/world'));
  const { web } = openWorldRetriever(world, fetchFromDisk('public/world'), {
    encoder: await openEncoderFromDisk('public/encoder'),
  });
  for (const [name, local] of [
    ['lexical', new LocalSource(passages, lexical, null)],
    ['hybrid', hybrid.source],
  ] as const) {
    const retriever = createRetriever({ local, web });
    await print(`both, ${name}`, (query) => retriever.search('both', query, K));
  }
}

await main();
