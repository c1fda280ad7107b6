/**
 * Supporting-title recall@5 of the ways to search a corpus of one's own: the share of a question's
 * supporting titles that are among the first five passages, mean over questions. The question is the
 * query. Files in any format that Forage imports.
 *
 *   npx tsx bench/retrieval/local.ts QUESTIONS CORPUS [--encoder FOLDER] [--keep FILE]
 *
 * --keep holds the vectors that were computed, for the next time.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openOrtFromDisk } from '../../src/cli/build-world.ts';
import { importAll } from '../../src/data/import/index.ts';
import type { Passage, Question } from '../../src/data/records.ts';
import { ExactIndex, type VectorTable } from '../../src/retrieval/dense.ts';
import { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import { withManifest } from '../../src/retrieval/encoder/sentence-transformers.ts';
import { knownItemWeight } from '../../src/retrieval/known-item.ts';
import { LexicalIndex } from '../../src/retrieval/lexical.ts';
import { LocalSource } from '../../src/retrieval/local.ts';
import { openLocalSource } from '../../src/retrieval/open-local.ts';
import type { Source } from '../../src/retrieval/sources.ts';
import { terms } from '../../src/retrieval/text.ts';
import { diskFolder } from '../../src/cli/disk-folder.ts';

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

async function recall(source: Source, questions: readonly Question[]): Promise<number> {
  let sum = 0;
  for (const { text, supporting } of questions) {
    const { hits } = await source.search(text, K);
    const found = new Set(hits.map(({ passage }) => passage.title));
    const wanted = [...new Set(supporting)];
    sum += wanted.filter((title) => found.has(title)).length / wanted.length;
  }
  return sum / questions.length;
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
  const encoder = await OnnxEncoder.open(folder, await openOrtFromDisk());
  console.log(`${asked.length} questions, ${passages.length} passages, encoder ${encoder.id}`);
  const vectors = await vectorsOf(encoder, passages);
  const print = async (name: string, source: Source): Promise<void> =>
    console.log(`| ${name} | ${(await recall(source, asked)).toFixed(4)} |`);
  console.log('| method | supporting-title recall@5 |\n|---|---|');
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
  await print('lexical', new LocalSource(passages, lexical, null));
  await print('dense, exact scan', new LocalSource(passages, null, dense));
  const cluster = await openLocalSource(passages, { method: 'cluster' }, { encoder, vectors });
  await print('dense, clusters', cluster.source);
  await print('hybrid, equal weights', new LocalSource(passages, lexical, dense));
  const hybrid = await openLocalSource(passages, { method: 'hybrid' }, { encoder, vectors });
  await print('hybrid, weighted by known items', hybrid.source);
  const known = await knownItemWeight(passages, lexical, dense);
  console.log(
    `known items: lexical ${known.lexical.toFixed(3)}, dense ${known.dense.toFixed(3)}, weight of the dense list ${known.denseWeight.toFixed(3)}`,
  );
}

await main();
