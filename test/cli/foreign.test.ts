import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  folderFiles,
  folderRevision,
  openCheckpointFolder,
} from '../../src/cli/shared/checkpoint-folder.ts';
import { mergeCommand } from '../../src/cli/commands/merge.ts';
import { openPolicy } from '../../src/cli/shared/parts.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import type { MadeStep } from '../../src/records/training.ts';
import { mergeAdapter } from '../policy/lora/merge-adapter.ts';
import { readPeft } from '../../src/policy/lora/peft.ts';
import { loadWeights } from '../../src/policy/open/load.ts';
import { readSafetensors, writeSafetensors } from '../../src/policy/checkpoint/safetensors.ts';
import { writeRandomCheckpoint } from '../policy/checkpoint/random-checkpoint.ts';
import { labHere, type LabRun } from './lab.ts';

// Each call opens a policy: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-foreign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const qwen = join(folder, 'my-qwen2');
const sharded = join(folder, 'sharded');
writeRandomCheckpoint(qwen, 'qwen');
writeRandomCheckpoint(sharded, 'qwen');
intoShards(sharded);

/** Each tensor in a file of its own, as a large checkpoint has several. */
function intoShards(path: string): void {
  const single = join(path, 'model.safetensors');
  const tensors = [...readSafetensors(new Uint8Array(readFileSync(single)))];
  const shard = (i: number): string =>
    `model-${String(i + 1).padStart(5, '0')}-of-${String(tensors.length).padStart(5, '0')}.safetensors`;
  for (const [i, tensor] of tensors.entries())
    writeFileSync(join(path, shard(i)), writeSafetensors(new Map([tensor]), 'F16'));
  const map = Object.fromEntries(tensors.map(([name], i) => [name, shard(i)]));
  writeFileSync(`${single}.index.json`, JSON.stringify({ metadata: {}, weight_map: map }));
  rmSync(single);
}

const read = (...path: string[]): object =>
  JSON.parse(readFileSync(join(...path), 'utf8')) as object;

describe('a folder that is none', () => {
  const broken = (name: string, change: (path: string) => void): string => {
    const path = join(folder, name);
    cpSync(qwen, path, { recursive: true });
    change(path);
    return path;
  };
  const cases: [string, (path: string) => void, RegExp][] = [
    [
      'pickled',
      (path) => renameSync(join(path, 'model.safetensors'), join(path, 'pytorch_model.bin')),
      /has pickled weights \(pytorch_model\.bin\) only.*Convert them with transformers/,
    ],
    [
      'no tokenizer',
      (path) => rmSync(join(path, 'tokenizer.json')),
      /has no tokenizer\.json\. Make it with transformers/,
    ],
    [
      'another kind',
      (path) => writeFileSync(join(path, 'config.json'), '{"model_type":"gpt2"}'),
      /^config\.json: /,
    ],
    [
      'a damaged template',
      (path) =>
        writeFileSync(
          join(path, 'tokenizer_config.json'),
          JSON.stringify({ ...read(path, 'tokenizer_config.json'), chat_template: '{% if %}' }),
        ),
      /^tokenizer_config\.json: its chat template does not render \(.+\)\. Use another file of/,
    ],
    [
      'a lost shard',
      (path) => {
        rmSync(path, { recursive: true });
        cpSync(sharded, path, { recursive: true });
        rmSync(
          join(
            path,
            readdirSync(path).find((name) => name.startsWith('model-00002'))!,
          ),
        );
      },
      /lacks 1 of the \d+ shards that its index names/,
    ],
  ];
  test.each(cases)('%s: one line that says what to do', async (name, change, message) => {
    const path = broken(name, change);
    const failed = await openPolicy({ policy: path, device: 'wasm' }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(Error);
    expect((failed as Error).message).toMatch(message);
    expect((failed as Error).message).not.toContain('\n');
  });
});

test('shards are the same checkpoint, with a revision of their own', async () => {
  const [one, many] = await Promise.all([qwen, sharded].map(openCheckpointFolder));
  expect((await loadWeights(many!.files)).flat).toEqual((await loadWeights(one!.files)).flat);
  expect([one!.id, many!.id]).toEqual(['my-qwen2', 'sharded']);
  expect(await folderRevision(many!)).toMatch(/^[0-9a-f]{12}$/);
  expect(await folderRevision(many!)).not.toBe(await folderRevision(one!));
  // Of 32,768 positions this many are held.
  expect(one!.limits).toEqual({ maxContext: 4096, maxSlots: 16 });
  await expect(folderFiles(qwen).readRange('config.json', 0, 1e6)).rejects.toThrow('ends at byte');
});

test('a question in the checkpoint’s own template, from shards', async () => {
  const { status, out, err } = await labHere(
    'ask',
    'Who directed Frozen Compass?',
    '--policy',
    sharded,
    '--recipe',
    'search',
    '--json',
  );
  expect(err).toBe('');
  expect(status).toBe(0);
  const { segments, events, policy } = JSON.parse(out) as Rollout;
  expect(segments[0]!.text).toMatch(/^<\|im_start\|>system\nYou answer a question by searching/);
  const question = segments.findIndex(({ text }) => text.includes('Frozen Compass'));
  expect(segments[question + 1]!.text).toBe('<|im_end|>\n<|im_start|>assistant\n');
  expect(segments.some(({ source }) => source === 'policy')).toBe(true);
  expect(events.at(-1)!.kind).toBe('stop');
  expect(JSON.stringify(policy)).toContain('sharded');
});

describe('trained', () => {
  const run = join(folder, 'run');
  const merged = join(folder, 'merged');
  let trained: LabRun;
  beforeAll(async () => {
    const small = ['questions=1', 'groupSize=2', 'heldOut.questions=0', 'dynamicSampling=null'];
    const set = [...small, 'optimizer.learningRate=1e-2'].flatMap((change) => ['--set', change]);
    const args = [
      '--recipe',
      // It learns from every rollout; a random model's rewards are often equal.
      'ex-search/uniform',
      '--steps',
      '1',
      '--threads',
      '1',
      '--json',
      ...set,
    ];
    trained = await labHere('train', '--policy', qwen, '--out', run, ...args);
  });

  test('takes a step on WASM whose log-probabilities are the sampler’s', () => {
    expect(trained.err).not.toMatch(/error/i);
    expect(trained.status).toBe(0);
    const step = JSON.parse(trained.out) as MadeStep;
    expect(step.samplerGap.max).toBeLessThan(1e-3);
    expect(step.gradientNorm).toBeGreaterThan(0);
  });

  test('leaves as PEFT files and as a whole merged folder, and both are opened again', async () => {
    await mergeCommand.run({ run, out: merged }, [], {});
    await expect(mergeCommand.run({ run, out: merged }, [], {})).rejects.toThrow(
      'is not empty; name an empty folder.',
    );
    expect(readdirSync(merged).toSorted()).toEqual(readdirSync(qwen).toSorted());
    expect(read(merged, 'config.json')).toEqual(read(qwen, 'config.json'));
    expect(read(merged, 'tokenizer_config.json')).toEqual(read(qwen, 'tokenizer_config.json'));
    const { files, config } = await openCheckpointFolder(qwen);
    const step = join(run, 'step-000001');
    const peft = readdirSync(step).map((name) => ({
      name,
      bytes: new Uint8Array(readFileSync(join(step, name))),
    }));
    const { spec, flat, baseName } = readPeft(config, peft);
    expect(baseName).toBe('my-qwen2');
    const wanted = mergeAdapter(await loadWeights(files), spec, flat);
    const { files: written } = await openCheckpointFolder(merged);
    expect((await loadWeights(written)).flat).toEqual(wanted.flat);
  });

  test('samples the same tokens merged on the disk and folded in when it is loaded', async () => {
    const sampled = async (options: { policy: string; adapter?: string }) => {
      const policy = await openPolicy({ ...options, device: 'wasm' });
      const session = await policy.open(1);
      session.append(policy.tokenizer.encodeTemplate!('<|im_start|>user\nWho?<|im_end|>\n'));
      const sampling = { temperature: 1, topK: 0, topP: 1 };
      const { ids, logprobs } = await session.generate({ maxTokens: 24, stopIds: [], sampling });
      policy.dispose();
      return { ids, logprobs, revision: policy.info.revision };
    };
    const folded = await sampled({ policy: qwen, adapter: join(run, 'step-000001') });
    const whole = await sampled({ policy: merged });
    const before = await sampled({ policy: qwen });
    expect(folded.ids).toEqual(whole.ids);
    // Equal except for the rounding of merged matrices.
    folded.logprobs.forEach((value, i) => expect(value).toBeCloseTo(whole.logprobs[i] ?? 0, 4));
    expect(folded.logprobs).not.toEqual(before.logprobs);
    expect(new Set([folded, whole, before].map(({ revision }) => revision)).size).toBe(3);
  });
});
