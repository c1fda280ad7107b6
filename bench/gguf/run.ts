/**
 * Whether GGUF files that Forage writes do in llama.cpp what the model does here: `npx tsx bench/gguf/run.ts`.
 *
 *   --policy DIR|FILE.gguf --adapter DIR   instead of small random models of three families, each with a random adapter
 *   --llama-cpp DIR   a folder with node-llama-cpp (`npm i node-llama-cpp` there), which is asked too
 *   --prompt TEXT
 *
 * Forage decodes 64 tokens greedily with the checkpoint and the adapter in float32. Forage and wllama (llama.cpp in WASM,
 * Chromium) decode the merged files in F16 and Q8_0; native llama.cpp scores the same tokens with these, and with the base
 * in F16 under the adapter as GGUF LoRA. F16 must give the same tokens. Q8_0 may not: its rounding is what Forage's own
 * row shows, and llama.cpp rounds activations to 8 bits too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openFolder, openPolicy, readAdapterFolder } from '../../src/cli/shared/parts.ts';
import { writePieces } from '../../src/cli/shared/pieced-file.ts';
import { adapterGguf } from '../../src/policy/gguf/write/adapter.ts';
import { mergedGguf } from '../../src/policy/gguf/write/model.ts';
import type { LoraValues } from '../../src/policy/policy.ts';
import { withBenchPage, type BenchPage } from '../rollout/open.ts';
import { scoreWithLlamaCpp, type Scored } from './llama-cpp.ts';
import { RANDOM_FAMILIES, writeRandom } from './random.ts';

const TOKENS = 64;

const { values } = parseArgs({
  options: {
    policy: { type: 'string' },
    adapter: { type: 'string' },
    'llama-cpp': { type: 'string' },
    prompt: { type: 'string', default: 'The capital of France is' },
    json: { type: 'boolean', default: false },
  },
});

interface Reference {
  prompt: number[];
  ids: number[];
  logprobs: number[];
}

interface Row {
  model: string;
  engine: string;
  file: string;
  /** Equal tokens, of those that the engine decoded or scored; of decoded ones, up to the first that differs. */
  equal: number;
  tokens: number;
  /** Differences of log-probabilities, in nats: of tokens up to there, or of all that were scored. */
  largest: number;
  mean: number;
}

async function decoded(
  policy: string,
  options: { adapter?: string; weights?: 'f32' },
): Promise<Reference> {
  const loaded = await openPolicy({ policy, ...options, device: 'wasm', keys: 'f32' });
  try {
    const prompt = loaded.tokenizer.encodeText(values.prompt);
    const session = await loaded.open(1);
    session.append(prompt);
    const sampling = { temperature: 0, topP: 1, topK: 0 };
    const { ids, logprobs } = await session.generate({ maxTokens: TOKENS, stopIds: [], sampling });
    return { prompt, ids, logprobs };
  } finally {
    loaded.dispose();
  }
}

function compared(wanted: Reference, given: Scored, scored: boolean) {
  const same = given.ids.map((id, i) => id === wanted.ids[i]);
  const first = same.indexOf(false);
  const until = scored || first < 0 ? same.length : first;
  const gaps = given.logprobs
    .slice(0, until)
    .map((logprob, i) => Math.abs(logprob - (wanted.logprobs[i] ?? NaN)));
  return {
    equal: same.slice(0, until).filter(Boolean).length,
    tokens: same.length,
    largest: Math.max(0, ...gaps),
    mean: gaps.reduce((a, b) => a + b, 0) / Math.max(1, gaps.length),
  };
}

/** The model in the two types, the base alone in F16, and the adapter. */
async function writeFiles(folder: string, policy: string, adapterFolder: string) {
  const { files, config } = await openFolder(policy);
  const adapter = await readAdapterFolder(config, adapterFolder);
  const nothing: LoraValues = { spec: adapter.spec, flat: new Float32Array(adapter.flat.length) };
  const write = async (name: string, type: 'F16' | 'Q8_0', folded: LoraValues) => {
    await writePieces(join(folder, name), await mergedGguf(files, 'bench', name, type, folded));
    return join(folder, name);
  };
  const lora = adapterGguf(config, 'bench', 'adapter.gguf', adapter);
  await writePieces(join(folder, lora.name), lora);
  return {
    merged: [await write('f16.gguf', 'F16', adapter), await write('q8_0.gguf', 'Q8_0', adapter)],
    base: await write('base.gguf', 'F16', nothing),
    lora: join(folder, lora.name),
  };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function check(
  bench: BenchPage,
  scratch: string,
  model: string,
  policy: string,
  adapter: string,
): Promise<Row[]> {
  const folder = mkdtempSync(join(scratch, 'files-'));
  const files = await writeFiles(folder, policy, adapter);
  const wanted = await decoded(policy, { adapter, weights: 'f32' });
  const rows: Row[] = [];
  const add = (engine: string, file: string, given: Scored, scored = false): void => {
    const row = { model, engine, file, ...compared(wanted, given, scored) };
    rows.push(row);
    if (!values.json)
      console.log(
        `${model}, ${engine}, ${file}: ${row.equal} of ${row.tokens} tokens equal, ` +
          `log-probabilities within ${row.largest.toExponential(1)}, ${row.mean.toExponential(1)} on average`,
      );
  };
  for (const path of files.merged) {
    add('Forage', nameOf(path), await decoded(path, {}));
    await bench.choose(path);
    const given = await bench.call('completeWllama', values.prompt, TOKENS);
    add('wllama', nameOf(path), given);
  }
  const installed = values['llama-cpp'];
  if (installed === undefined) return rows;
  const score = (path: string, lora: string | null): Promise<Scored> =>
    scoreWithLlamaCpp(installed, path, lora, wanted);
  for (const path of files.merged) add('llama.cpp', nameOf(path), await score(path, null), true);
  add('llama.cpp', 'base + LoRA', await score(files.base, files.lora), true);
  return rows;
}

const scratch = mkdtempSync(join(tmpdir(), 'forage-bench-gguf-'));
try {
  const { policy, adapter } = values;
  if ((policy === undefined) !== (adapter === undefined))
    throw new Error('--policy and --adapter belong together.');
  const rows = await withBenchPage(async (bench) => {
    if (policy !== undefined && adapter !== undefined)
      return check(bench, scratch, nameOf(policy), policy, adapter);
    const all: Row[] = [];
    for (const family of RANDOM_FAMILIES) {
      const made = writeRandom(scratch, family);
      all.push(...(await check(bench, scratch, `random ${family}`, made.policy, made.adapter)));
    }
    return all;
  });
  if (values.json) console.log(JSON.stringify(rows));
  if (rows.some(({ file, equal, tokens }) => file !== 'q8_0.gguf' && equal < tokens))
    process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
