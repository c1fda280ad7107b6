import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  MATRIX_TYPES,
  STORE_TYPES,
  type MatrixType,
  type StoreType,
} from '../../policy/ops/values.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { projectPath } from '../shared/paths.ts';
import { resolve } from 'node:path';
import { isGgufName } from '../../formats/gguf.ts';
import { cpus } from 'node:os';
import { deviceReport, figureWords } from '../../policy/measure/report.ts';
import type { PolicyDevice } from '../../policy/open/device.ts';
import { openPolicy } from '../shared/parts.ts';
import { type Command, endProgress, print, say, sayProgress } from '../shared/command.ts';

/** The measurements by script: the folders of bench/ that have a run.ts; none without the sources. */
const scripts = (): string[] =>
  existsSync(projectPath('bench'))
    ? readdirSync(projectPath('bench'))
        .filter((name) => existsSync(projectPath(`bench/${name}/run.ts`)))
        .toSorted()
    : [];

/** Devices that `lab bench` measures, by the names that it has for them. */
const BENCH_DEVICES: Readonly<Record<string, PolicyDevice>> = {
  gpu: 'webgpu',
  wasm: 'wasm',
};

async function adapterOf(device: PolicyDevice): Promise<string> {
  if (device === 'wasm') return `${cpus()[0]?.model ?? 'unnamed'}, one core`;
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  const { vendor = '', architecture = '', description = '' } = adapter?.info ?? {};
  return description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed';
}

/** Measures a device with a policy, as the Models page does. @throws DeviceError, UsageError */
async function benchDevice(device: PolicyDevice, values: OptionValues): Promise<void> {
  const policy = await openPolicy({
    device,
    policy: values.policy as string | undefined,
    weights: values.weights as MatrixType | undefined,
    keys: values.kv as StoreType | undefined,
    onProgress: sayProgress,
  });
  endProgress();
  try {
    const line = (name: string, value: string, share: string): string =>
      `${name.padEnd(44)}${value.padStart(16)}  ${share}`.trimEnd();
    const measure = await policy.measure({
      onFigure: (figure) => {
        const { name, value, share } = figureWords(figure);
        (values.json ? say : print)(line(name, value, share));
      },
    });
    if (!values.json) return;
    const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
      version: string;
    };
    const report = deviceReport(measure, {
      now: new Date(),
      policy: policy.info,
      adapter: await adapterOf(device),
      versions: { forage: version, platform: `Node ${process.version}` },
    });
    print(JSON.stringify(report));
  } finally {
    policy.dispose();
  }
}

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

/** More contexts than this do not decode together. */
const MOST_SLOTS = 64;

/** Numbers of slots, the smallest first. @throws UsageError */
function slotsOf(text: string): number[] {
  const counts = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (!counts.every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_SLOTS))
    throw new UsageError(
      `--slots is '${text}'; it must be whole numbers from 1 to ${MOST_SLOTS} with commas between them, such as 1,4,16.`,
    );
  return [...new Set(counts)].toSorted((a, b) => a - b);
}

/** The words that `bench/against/main.ts` is started with. @throws UsageError */
function againstWords(values: OptionValues, weights: readonly string[]): string[] {
  const { policy, slots = '1,4,16', threads = 1 } = values;
  if (values['kv'] !== undefined)
    throw new UsageError(
      '--kv does not go with --against: both engines hold keys and values in f32.',
    );
  if (typeof policy !== 'string' || !isGgufName(policy))
    throw new UsageError(
      `--against needs --policy FILE.gguf: wllama opens GGUF files only${policy === undefined ? '' : `, and ${String(policy)} is none`}.`,
    );
  if (!existsSync(policy))
    throw new UsageError(`--policy is ${policy}, which does not exist. Correct the path.`);
  if (!existsSync(projectPath('bench')))
    throw new UsageError(
      '--against needs the sources of Forage, which an installed package lacks.',
    );
  return [
    `--policy=${resolve(policy)}`,
    `--slots=${slotsOf(String(slots)).join(',')}`,
    `--threads=${threads}`,
    ...weights.map((type) => `--weights=${type}`),
    ...(values['json'] ? ['--json'] : []),
  ];
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
