import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';
import { UsageError } from '../shared/options.ts';
import { projectPath } from '../shared/paths.ts';
import { againstWords } from './bench-against.ts';
import { BENCH_DEVICES, benchDevice } from './bench-device.ts';
import type { Command } from '../shared/command.ts';

/** The measurements by script: the folders of bench/ that have a run.ts; none without the sources. */
const scripts = (): string[] =>
  existsSync(projectPath('bench'))
    ? readdirSync(projectPath('bench'))
        .filter((name) => existsSync(projectPath(`bench/${name}/run.ts`)))
        .toSorted()
    : [];

/** Names of all measurements. */
const names = (): string => [...Object.keys(BENCH_DEVICES), ...scripts()].join(', ');

/** Runs a script of the sources and takes its exit status. */
function start(path: string, words: readonly string[]): void {
  const script = projectPath(path);
  // By its own loader: this command may be the bundled one, which node runs without.
  const loader = pathToFileURL(createRequire(script).resolve('tsx'));
  const run = spawnSync(process.execPath, ['--import', loader.href, script, ...words], {
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
}

export const benchCommand: Command = {
  name: 'bench',
  summary: 'measures this device, or Forage against peers and limits',
  positional: { name: 'NAME', required: true, help: names },
  options: {
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'gpu, wasm: checkpoint folder or GGUF file (default: the built-in one)',
    },
    weights: {
      type: 'string',
      help: "gpu, wasm: precision of the model's weights (default: chosen by its files and the device); with --against, measured beside that, any number of times",
      choices: MATRIX_TYPES,
      multiple: true,
    },
    kv: {
      type: 'string',
      help: 'gpu, wasm: precision of the KV cache (default: chosen by its size and the device)',
      choices: STORE_TYPES,
    },
    against: {
      type: 'string',
      help: 'wasm: decode the same GGUF file in Chromium, with Forage and with this engine',
      choices: ['wllama'],
    },
    slots: {
      type: 'string',
      value: 'N,N',
      help: 'with --against: contexts that decode together [1,4,16]',
    },
    threads: {
      type: 'integer',
      value: 'T',
      help: 'with --against: threads of each engine [1]',
      min: 1,
      max: 64,
    },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  run(values, positionals, lists) {
    const [name = ''] = positionals;
    const weights = lists['weights'] ?? [];
    const given = (options: readonly string[]): string | undefined =>
      options.find((option) => values[option] !== undefined || lists[option] !== undefined);
    const device = BENCH_DEVICES[name];
    if (device === 'wasm' && values['against'] !== undefined) {
      start('bench/against/main.ts', againstWords(values, weights));
      return Promise.resolve();
    }
    const beside = given(['against', 'slots', 'threads']);
    if (beside === 'against') throw new UsageError('--against is for wasm only.');
    if (beside !== undefined)
      throw new UsageError(`--${beside} is for 'bench wasm --against wllama' only.`);
    if (device) {
      if (weights.length > 1)
        throw new UsageError(
          `--weights is given ${weights.length} times; without --against it may be given only once.`,
        );
      return benchDevice(device, { ...values, weights: weights[0] });
    }
    if (!scripts().includes(name))
      throw new UsageError(`There is no bench '${name}'. Choose one of: ${names()}.`);
    const unused = given(['policy', 'weights', 'kv']);
    if (unused !== undefined)
      throw new UsageError(`--${unused} is for ${Object.keys(BENCH_DEVICES).join(' and ')} only.`);
    start(`bench/${name}/run.ts`, values['json'] ? ['--json'] : []);
    return Promise.resolve();
  },
};
