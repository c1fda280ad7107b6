/**
 * Recall of the gold passage by how a query is put, by lexical, dense and fused search and by source, on the shipped
 * world and on a fresh one, and the time that calls take in Node: a query is encoded once, by the first that asks for it.
 * `lab world --report` measures the gold queries.
 *
 *   npx tsx bench/retrieval/run.ts [--steps 600] [--seed 4242] [--no-encoder]
 */
import { parseArgs } from 'node:util';
import type { FetchFile } from '../../src/base/fetch-file.ts';
import { fetchFromDisk, openEncoderFromDisk } from '../../src/cli/shared/build-world.ts';
import { makeWorld } from '../../src/cli/shared/generated-world.ts';
import { openMeasured } from '../../src/cli/parts/measured-world.ts';
import { Gold, testQuestions, type MeasuredWorld } from '../../src/evaluate/world/measured.ts';
import type { SearchTarget } from '../../src/records/hits.ts';
import type { ChainStep, Passage } from '../../src/records/records.ts';
import type { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import { goldSteps, QUERY_FORMS, rankOfGold, recallAt } from './recall.ts';

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '600' },
    seed: { type: 'string', default: '4242' },
    'no-encoder': { type: 'boolean', default: false },
  },
});

interface Searcher {
  name: string;
  search: (query: string) => Promise<readonly Passage[]>;
  /** Ids of the passages that it could find, and that state what a step asks for. */
  gold: (step: ChainStep) => ReadonlySet<string>;
}

const K = 10;

function searchers(measured: MeasuredWorld): Searcher[] {
  const gold = new Gold(measured);
  const local = (step: ChainStep) => gold.of(step).gold.local;
  const web = (step: ChainStep) => gold.of(step).gold.web;
  const through = (source: SearchTarget) => async (query: string) =>
    (await measured.retriever.search(source, query, K)).hits.map(({ passage }) => passage);
  const { lexical, dense } = measured.local;
  return [
    { name: 'local, lexical', gold: local, search: (query) => lexical(query, K) },
    ...(dense
      ? [{ name: 'local, dense', gold: local, search: (query: string) => dense(query, K) }]
      : []),
    { name: 'local, fused', gold: local, search: through('local') },
    { name: 'web, lexical', gold: web, search: through('web') },
    {
      name: 'both, fused',
      gold: (step) => new Set([...local(step), ...web(step)]),
      search: through('both'),
    },
  ];
}

async function report(name: string, fetchFile: FetchFile, encoder: OnnxEncoder | null) {
  const measured = await openMeasured(fetchFile, encoder);
  const steps = goldSteps(testQuestions(measured)).slice(0, Number(options.steps));
  console.log(
    `\n${name}: seed ${measured.world.manifest.seed}, ${steps.length} gold steps of test questions`,
  );
  const all = searchers(measured);
  for (const searcher of all) {
    const covered = steps.filter((step) => searcher.gold(step).size > 0);
    for (const [form, query] of Object.entries(QUERY_FORMS)) {
      const ranks: number[] = [];
      const times: number[] = [];
      for (const step of covered) {
        const start = performance.now();
        const hits = await searcher.search(query(step));
        times.push(performance.now() - start);
        ranks.push(rankOfGold(hits, searcher.gold(step)));
      }
      const recalls = [1, 3, 5, 10].map((k) => `@${k} ${recallAt(ranks, k).toFixed(3)}`);
      console.log(
        `${searcher.name.padEnd(16)}${form.padEnd(22)}${recalls.join('  ')}  ` +
          `${quantiles(times)}  (${ranks.length})`,
      );
    }
  }
  await reportQuestions(measured, all);
}

/** Whole questions as queries (RDRA's background, naive RAG): is any supporting passage found? */
async function reportQuestions(measured: MeasuredWorld, all: readonly Searcher[]): Promise<void> {
  const questions = testQuestions(measured).slice(0, Number(options.steps));
  for (const { name, search, gold } of all) {
    const ranks: number[] = [];
    for (const { text, chain = [] } of questions) {
      const hits = await search(text);
      ranks.push(Math.min(...chain.map((step) => rankOfGold(hits, gold(step)))));
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
const fresh = await makeWorld({ seed: Number(options.seed) });
await report('fresh world', fresh, encoder);
