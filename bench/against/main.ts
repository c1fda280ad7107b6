/**
 * Forage and wllama (llama.cpp in WASM) with one GGUF file in one Chromium, what `lab bench wasm --against wllama` starts:
 *
 *   --policy FILE.gguf  --slots 1,4,16  --threads 1  --weights f32 (any number of times)  --json
 *
 * Both take the same token ids and decode greedily. wllama runs in the setting that `bench/rollout/tune.ts` found fastest,
 * with a KV cache per slot that holds what is asked of it. Prefill is timed by itself: decoding starts from the cached prompt.
 * wllama does not train; Forage's LoRA step is in the same table.
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { requireChromium } from '../../scripts/chromium.mjs';
import { messageOf } from '../../src/base/errors.ts';
import { openCheckpointFolder } from '../../src/cli/shared/checkpoint-folder.ts';
import { loadTokenizer } from '../../src/policy/open/load.ts';
import { MATRIX_TYPES, type MatrixType } from '../../src/policy/ops/values.ts';
import { cpuSeconds } from '../rollout/cpu-time.ts';
import { withBenchPage, type BenchPage } from '../rollout/open.ts';
import { bestSettings } from '../rollout/wllama-settings.ts';
import type { AgainstBench } from './page.ts';
import { promptsOf, type Prompt } from './prompts.ts';
import { comparisonTable, type EngineResult, type Rate, type SlotRates } from './table.ts';

const PROMPT = 64;
const TOKENS = 32;
const WARM_UP = 16;
/** Tokens of a LoRA step, all of them trained. */
const STEP = 1024;
/** Tokens per slot in the KV cache: llama.cpp rounds up to a multiple of this. */
const CONTEXT = 256;
/** Prompts that the greedy tokens are compared on. */
const COMPARED = 4;

const { values } = parseArgs({
  options: {
    policy: { type: 'string', default: '' },
    slots: { type: 'string', default: '1,4,16' },
    threads: { type: 'string', default: '1' },
    weights: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
const slotCounts = values.slots.split(',').map(Number);
const threads = Number(values.threads);
const types = MATRIX_TYPES.filter((type) => values.weights.includes(type));
const most = Math.max(...slotCounts);

/** Measured prompts, and short ones that come before. */
interface Prompts {
  prompts: Prompt[];
  warmUp: Prompt[];
}

/** The greedy tokens of wllama, and the ids that end a text. */
interface Greedy {
  ids: number[][];
  ends: readonly number[];
}

type Page = BenchPage<AgainstBench>;

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

async function rateOf(page: Page, tokens: number, work: () => Promise<number>): Promise<Rate> {
  const before = cpuSeconds(page.mark);
  const seconds = await work();
  const cpu = tokens / (cpuSeconds(page.mark) - before);
  return { clock: tokens / seconds, cpu: Number.isFinite(cpu) ? cpu : null };
}

async function rates(page: Page, prompts: Prompt[], warmUp: Prompt[]): Promise<SlotRates> {
  const slots = prompts.length;
  // Engines compile their kernels while they run: a short prompt per thread first.
  await page.call('prefill', warmUp.slice(0, Math.min(slots, threads)));
  await page.call('decode', 4);
  const prefill = await rateOf(page, slots * PROMPT, () => page.call('prefill', prompts));
  const decode = await rateOf(page, slots * TOKENS, () => page.call('decode', TOKENS));
  return { slots, prefill, decode };
}

const slotWords = (slots: number): string => `${slots} ${slots === 1 ? 'slot' : 'slots'}`;

/** wllama is loaded for each number of slots: its threads and KV cache are divided by them. */
async function measureWllama(page: Page, { prompts, warmUp }: Prompts, context: number) {
  const all: SlotRates[] = [];
  let held = '';
  let greedy: number[][] = [];
  for (const slots of slotCounts) {
    progress(`wllama, ${slotWords(slots)} …`);
    held = await page.call('startWllama', slots, bestSettings(slots, threads), context);
    all.push(await rates(page, prompts.slice(0, slots), warmUp));
    if (slots === most)
      greedy = await page.call('greedyWllama', prompts.slice(0, COMPARED), TOKENS);
    await page.call('stop');
  }
  return { result: { engine: 'wllama', held, rates: all, step: null, agreement: null }, greedy };
}

async function measureForage(
  page: Page,
  { prompts, warmUp }: Prompts,
  context: number,
  type: MatrixType | null,
  peer: Greedy,
): Promise<EngineResult> {
  const engine = `Forage, ${type ?? 'as stored'}`;
  progress(`${engine}: loading …`);
  const held = await page.call('startForage', type, most, threads, context);
  const all: SlotRates[] = [];
  for (const slots of slotCounts) {
    progress(`${engine}, ${slotWords(slots)} …`);
    all.push(await rates(page, prompts.slice(0, slots), warmUp));
  }
  const compared = prompts.slice(0, COMPARED);
  const agreement = await page.call('agreement', compared, peer.ids, peer.ends);
  await page.call('stop');
  progress(`${engine}, LoRA step …`);
  await page.call('startStep', type, STEP);
  const step = await rateOf(page, STEP, () => page.call('step'));
  await page.call('stop');
  return { engine, held, rates: all, step, agreement };
}

const versionOf = (path: string): string =>
  (
    JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as {
      version: string;
    }
  ).version;

async function main(): Promise<void> {
  const { id, files, config, weights } = await openCheckpointFolder(values.policy);
  if (config.maxPositions < PROMPT + TOKENS)
    throw new Error(
      `${id} holds ${config.maxPositions} tokens per context; this bench needs ${PROMPT + TOKENS}. Use another model.`,
    );
  requireChromium();
  const tokenizer = await loadTokenizer(files);
  const given: Prompts = {
    prompts: promptsOf(tokenizer, most, PROMPT),
    warmUp: promptsOf(tokenizer, Math.min(most, threads), WARM_UP),
  };
  const context = Math.min(CONTEXT, config.maxPositions);

  const path = 'bench/against/index.html';
  await withBenchPage<void, AgainstBench>(async (page) => {
    await page.choose(...weights.map((file) => file.path));
    const { result: peer, greedy } = await measureWllama(page, given, context);
    const ours: EngineResult[] = [];
    for (const type of [null, ...types])
      ours.push(
        await measureForage(page, given, context, type, { ids: greedy, ends: tokenizer.endIds }),
      );
    const versions = {
      forage: versionOf('package.json'),
      wllama: versionOf('node_modules/@wllama/wllama/package.json'),
      browser: page.browser,
    };
    const cpu = cpus()[0]?.model ?? 'unnamed';
    const settings = slotCounts.map((slots) => ({ slots, ...bestSettings(slots, threads) }));
    const shape = { prompt: PROMPT, tokens: TOKENS, context, threads, step: STEP };
    if (values.json) {
      console.log(
        JSON.stringify({
          model: id,
          cpu,
          versions,
          ...shape,
          wllama: settings,
          engines: [peer, ...ours],
        }),
      );
      return;
    }
    const threadsOf = ({ instances, threads: each }: (typeof settings)[number]): string =>
      `${instances} × ${each}`;
    console.log(
      [
        `${id}, ${cpu}, threads: ${threads} each; ${versions.browser}, Forage ${versions.forage}, wllama ${versions.wllama}`,
        `Prompts of ${PROMPT} tokens, ${TOKENS} tokens decoded greedily; per slot a KV cache of ${context} tokens. A LoRA step of ${STEP} tokens, rank 16 on all matrices, on one thread.`,
        `wllama: ${peer.held}, not shared by slots, no flash attention, batches of ${settings[0]?.batch}; instances × threads: ${settings.map(threadsOf).join(', ')}.`,
        ...ours.map(({ engine, held }) => `${engine}: ${held}.`),
        '',
        ...comparisonTable(peer, ours),
        ...(Number.isFinite(cpuSeconds(page.mark))
          ? ['', ...comparisonTable(peer, ours, 'cpu')]
          : []),
      ].join('\n'),
    );
  }, path);
}

try {
  await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}
