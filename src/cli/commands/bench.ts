import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';
import { UsageError } from '../shared/options.ts';
import { projectPath } from '../shared/paths.ts';
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
      help: "gpu, wasm: precision of the model's weights (default: chosen by its files and the device)",
      choices: MATRIX_TYPES,
    },
    kv: {
      type: 'string',
      help: 'gpu, wasm: precision of the KV cache (default: chosen by its size and the device)',
      choices: STORE_TYPES,
    },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  run(values, positionals) {
    const [name = ''] = positionals;
    const device = BENCH_DEVICES[name];
    if (device) return benchDevice(device, values);
    if (!scripts().includes(name))
      throw new UsageError(`There is no bench '${name}'. Choose one of: ${names()}.`);
    const given = ['policy', 'weights', 'kv'].find((option) => values[option] !== undefined);
    if (given !== undefined)
      throw new UsageError(`--${given} is for ${Object.keys(BENCH_DEVICES).join(' and ')} only.`);
    const script = projectPath(`bench/${name}/run.ts`);
    // By its own loader: this command may be the bundled one, which node runs without.
    const loader = pathToFileURL(createRequire(script).resolve('tsx'));
    const run = spawnSync(
      process.execPath,
      ['--import', loader.href, script, ...(values.json ? ['--json'] : [])],
      { stdio: 'inherit' },
    );
    process.exitCode = run.status ?? 1;
    return Promise.resolve();
  },
};
