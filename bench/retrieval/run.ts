/**
 * Recall of the gold passage by lexical, dense and fused search and by source, on the shipped world
 * and on a fresh one, and the time that calls take in Node.
 *
 *   npx tsx bench/retrieval/run.ts [--steps 600] [--seed 4242] [--no-encoder]
 */
import { parseArgs } from 'node:util';
import {
  buildWorld,
  fetchFromDisk,
  openEncoderFromDisk,
} from '../../src/cli/shared/build-world.ts';
import type { ChainStep } from '../../src/records/records.ts';
import { ExactIndex } from '../../src/retrieval/dense/dense.ts';
import type { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import type { FetchFile } from '../../src/base/fetch-file.ts';
import { LexicalIndex } from '../../src/retrieval/lexical/lexical.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import { WebIndex } from '../../src/retrieval/web/client.ts';
import { loadWorld, type World } from '../../src/retrieval/world/load.ts';
import { generateWorld } from '../../src/world/world.ts';
import { cleanTitles, goldSteps, QUERY_FORMS, rankOfGold, recallAt } from './recall.ts';

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '600' },
    seed: { type: 'string', default: '4242' },
    'no-encoder': { type: 'boolean', default: false },
  },
});

type Search = (query: string) => Promise<Parameters<typeof rankOfGold>[0]>;

interface Searcher {
  name: string;
  search: Search;
  /** Steps whose gold passage this searcher could find. */
  covers: (step: ChainStep) => boolean;
}

const K = 10;

async function searchers(
  world: World,
  fetchFile: FetchFile,
  encoder: OnnxEncoder | null,
): Promise<Searcher[]> {
  const { web } = generateWorld({ seed: world.manifest.seed });
  const [inLocal, inWeb] = [cleanTitles(world.local), cleanTitles(web)];
  const local = (step: ChainStep): boolean => inLocal.has(step.title);
  const lexical = new LexicalIndex(world.local);
  const webIndex = await WebIndex.open(fetchFile);
  const retriever = openWorldRetriever(world, fetchFile, { encoder });
  const all: Searcher[] = [
    {
      name: 'local, lexical',
      covers: local,
      search: (query) => Promise.resolve(lexical.search(query, K)),
    },
    {
      name: 'local, fused',
      covers: local,
      search: async (query) => (await retriever.search('local', query, K)).hits,
    },
    {
      name: 'web, lexical',
      covers: (step) => inWeb.has(step.title),
      search: async (query) => (await webIndex.search(query, K)).ranked,
    },
    {
      name: 'both, fused',
      covers: () => true,
      search: async (query) => (await retriever.search('both', query, K)).hits,
    },
  ];
  if (encoder && world.vectors) {
    const exact = new ExactIndex(world.vectors);
    all.splice(1, 0, {
      name: 'local, dense',
      covers: local,
      search: async (query) =>
        exact.search(await encoder.encodeQuery(query), K).flatMap(({ index }) => {
          const passage = world.local[index];
          return passage ? [{ passage }] : [];
        }),
    });
  }
  return all;
}

async function report(name: string, fetchFile: FetchFile, encoder: OnnxEncoder | null) {
  const world = await loadWorld(fetchFile);
  const steps = goldSteps(world.questions.filter(({ split }) => split === 'test')).slice(
    0,
    Number(options.steps),
  );
  console.log(
    `\n${name}: seed ${world.manifest.seed}, ${steps.length} gold steps of test questions`,
  );
  const all = await searchers(world, fetchFile, encoder);
  for (const searcher of all) {
    const covered = steps.filter(searcher.covers);
    for (const [form, query] of Object.entries(QUERY_FORMS)) {
      const ranks: number[] = [];
      const times: number[] = [];
      for (const step of covered) {
        const start = performance.now();
        ranks.push(rankOfGold(await searcher.search(query(step)), step));
        times.push(performance.now() - start);
      }
      const recalls = [1, 3, 5, 10].map((k) => `@${k} ${recallAt(ranks, k).toFixed(3)}`);
      console.log(
        `${searcher.name.padEnd(16)}${form.padEnd(22)}${recalls.join('  ')}  ` +
          `${quantiles(times)}  (${ranks.length})`,
      );
    }
  }
  await reportQuestions(world, all);
}

/** Whole questions as queries (RDRA's background, naive RAG): is any supporting passage found? */
async function reportQuestions(world: World, all: readonly Searcher[]): Promise<void> {
  const questions = world.questions
    .filter(({ split }) => split === 'test')
    .slice(0, Number(options.steps));
  for (const { name, search } of all) {
    const ranks: number[] = [];
    for (const { text, chain = [] } of questions) {
      const hits = await search(text);
      ranks.push(Math.min(...chain.map((step) => rankOfGold(hits, step))));
    }
    const recalls = [1, 3, 5].map((k) => `@${k} ${recallAt(ranks, k).toFixed(3)}`);
    console.log(`${name.padEnd(16)}${'any, whole question'.padEnd(22)}${recalls.join('  ')}`);
  }
}

function quantiles(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const mean = times.reduce((sum, t) => sum + t, 0) / Math.max(1, times.length);
  const p95 = sorted[Math.floor(0.95 * sorted.length)] ?? 0;
  return `${mean.toFixed(2)} ms mean, ${p95.toFixed(2)} ms p95`;
}

const encoder = options['no-encoder'] ? null : await openEncoderFromDisk('public/encoder');
await report('shipped world', fetchFromDisk('public/world'), encoder);
const fresh = new Map<string, Uint8Array>();
await buildWorld(
  Number(options.seed),
  (name, bytes) => Promise.resolve(void fresh.set(name, bytes)),
  encoder,
);
const fetchFresh: FetchFile = (name) => {
  const file = fresh.get(name);
  return file ? Promise.resolve(file) : Promise.reject(new Error(`${name}: not found`));
};
await report('fresh world', fetchFresh, encoder);
