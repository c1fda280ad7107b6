import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ENCODER_FORMAT,
  ENCODER_MANIFEST,
  type EncoderManifestFile,
} from '../../retrieval/encoder/manifest.ts';
import { exportOnnx } from '../../pretrain/encoder/onnx-export.ts';
import { decodeState, encodeState } from '../../pretrain/encoder/state-file.ts';
import { readTokenizer } from '../../retrieval/encoder/tokens.ts';
import { EncoderTrainer, initialState, type TrainerState } from '../../pretrain/encoder/trainer.ts';
import { ENCODER_CONFIG, initialWeights } from '../../pretrain/encoder/initial-weights.ts';
import type { EncoderConfig } from '../../retrieval/encoder/built-in/weights.ts';
import { prepareNode } from '../../policy/node/prepare.ts';
import { parseJson } from '../../base/fetch-file.ts';
import { sha256 } from '../../base/hash.ts';
import { KeyedRandom } from '../../base/random.ts';
import { drawExamples, toBatch } from '../../pretrain/encoder/examples.ts';
import { messageOf } from '../../base/errors.ts';
import { appendLines } from '../shared/append.ts';
import { writeSafely } from '../shared/write-safely.ts';

/** Trains the built-in encoder on fresh worlds and writes its folder; continues where it stopped. */

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'public/encoder' },
    tokenizer: { type: 'string', default: 'public/encoder/tokenizer.json' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1400' },
    log: { type: 'string', default: 'training/encoder-log.jsonl' },
    state: { type: 'string', default: 'node_modules/.cache/forage/encoder.state' },
  },
});

const PEAK_RATE = 2e-3;
const WARM_UP_STEPS = 60;
const LOG_EVERY = 20;
const SAVE_EVERY = 100;
const MODEL_FILE = 'model.onnx';
const TOKENIZER_FILE = 'tokenizer.json';

/** Linear warm-up, then half a cosine down to a hundredth of the peak. */
function learningRate(step: number, steps: number): number {
  if (step < WARM_UP_STEPS) return (PEAK_RATE * (step + 1)) / WARM_UP_STEPS;
  const done = (step - WARM_UP_STEPS) / Math.max(1, steps - WARM_UP_STEPS);
  return PEAK_RATE * (0.01 + 0.99 * 0.5 * (1 + Math.cos(Math.PI * Math.min(1, done))));
}

/** Standard normal numbers (Box and Muller). */
function normals(seed: number): () => number {
  const rng = new KeyedRandom(seed, 78);
  return () => Math.sqrt(-2 * Math.log(1 - rng.uniform())) * Math.cos(2 * Math.PI * rng.uniform());
}

async function readState(config: EncoderConfig, path: string): Promise<TrainerState | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes && decodeState(config, bytes, path);
}

async function saveState(trainer: EncoderTrainer, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  writeSafely(path, encodeState(trainer.config, trainer.state()));
}

async function writeEncoder(trainer: EncoderTrainer, folder: string): Promise<EncoderManifestFile> {
  const { config } = trainer;
  const model = exportOnnx(config, trainer.state().weights);
  const manifest: EncoderManifestFile = {
    format: ENCODER_FORMAT,
    id: `forage-mini@${(await sha256(model)).slice(0, 12)}`,
    model: MODEL_FILE,
    tokenizer: TOKENIZER_FILE,
    dimensions: config.out,
    maxTokens: config.maxTokens,
    pooling: 'none',
    normalize: false,
    queryPrefix: '',
    passagePrefix: '',
  };
  await mkdir(folder, { recursive: true });
  writeSafely(join(folder, MODEL_FILE), model);
  await copyFile(options.tokenizer, join(folder, TOKENIZER_FILE));
  writeSafely(join(folder, ENCODER_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function main(): Promise<void> {
  const [seed, steps] = [Number(options.seed), Number(options.steps)];
  const tokenizerBytes = await readFile(options.tokenizer);
  const tokenize = readTokenizer(parseJson(tokenizerBytes, options.tokenizer), options.tokenizer);
  // Before the first kernel is compiled.
  prepareNode();
  const config: EncoderConfig = { ...ENCODER_CONFIG, vocabSize: 2048 };
  const statePath = `${options.state}-${seed}`;
  const resumed = await readState(config, statePath);
  const state = resumed ?? initialState(initialWeights(config, normals(seed)));
  const trainer = await EncoderTrainer.create(config, state);
  console.error(resumed ? `continuing after step ${state.step}` : 'starting from scratch');
  const [start, first] = [performance.now(), trainer.step];
  let sum = 0;
  while (trainer.step < steps) {
    const batch = toBatch(drawExamples(seed, trainer.step), tokenize);
    sum += trainer.train(batch, learningRate(trainer.step, steps));
    const seconds = (performance.now() - start) / 1000;
    if (trainer.step % LOG_EVERY === 0) {
      const eta = (seconds / (trainer.step - first)) * (steps - trainer.step);
      const line = {
        seed,
        step: trainer.step,
        loss: sum / LOG_EVERY,
        seconds: Math.round(seconds),
      };
      console.error(`${JSON.stringify(line)}  ${Math.round(eta)} s left`);
      await mkdir(dirname(options.log), { recursive: true });
      appendLines(options.log, [JSON.stringify(line)]);
      sum = 0;
    }
    if (trainer.step % SAVE_EVERY === 0) await saveState(trainer, statePath);
  }
  const { id } = await writeEncoder(trainer, options.out);
  console.error(`${options.out}: ${id}`);
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 2;
});
