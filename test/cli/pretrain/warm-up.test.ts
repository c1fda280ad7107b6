import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'warm-up-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TINY = [
  '--hidden=16 --layers=1 --heads=2 --kv-heads=1 --intermediate=24 --tokens-per-step=1200',
  '--micro-tokens=512 --decay-share=0 --warm-up-steps=2 --copy-share=0.3 --env-weight=0.1',
  '--eval-count=4 --log-every=1 --checkpoint-every=1',
].flatMap((line) => line.split(' '));

const warmUp = (...options: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'src/cli/pretrain/policy.ts', ...options]);

const state = (out: string, step: number): Buffer =>
  readFileSync(join(out, `step-00000${step}`, 'state.safetensors'));

describe('lab warm-up', () => {
  it('resumes bit for bit, keeps two checkpoints and exports a Hugging Face folder', async () => {
    const [whole, parts, exported] = ['whole', 'parts', 'policy'].map((name) => join(root, name));
    await warmUp('--out', whole!, '--steps=4', ...TINY);
    await warmUp('--out', parts!, '--steps=2', ...TINY);
    const { stdout } = await warmUp('--resume', parts!, '--steps=4', '--export', exported!);
    expect(stdout).toContain('from step 2 to 4');
    expect(stdout).toMatch(/step 4\/4 .* tok\/s .* ETA 0:00:00/);
    expect(state(parts!, 4).equals(state(whole!, 4))).toBe(true);
    expect(readdirSync(whole!).sort()).toEqual([
      'latest.json',
      'log.jsonl',
      'step-000003',
      'step-000004',
    ]);
    const config = parsePolicyConfig(
      JSON.parse(readFileSync(join(exported!, 'config.json'), 'utf8')),
    );
    expect(config).toMatchObject({ hiddenSize: 16, vocabSize: 2048, headDim: 8 });
    readWeights(config, readFileSync(join(exported!, 'model.safetensors')));
    expect(readdirSync(exported!)).toContain('tokenizer.json');
  }, 300_000);

  it('begins with the weights of an exported checkpoint of the same shape', async () => {
    const [first, exported, next] = ['first', 'start', 'next'].map((name) => join(root, name));
    const still = ['--lr=0', '--muon-lr=0'];
    await warmUp('--out', first!, '--steps=1', '--seed=3', '--export', exported!, ...TINY);
    await warmUp(
      '--out',
      next!,
      '--init',
      exported!,
      '--steps=1',
      '--export',
      next!,
      ...still,
      ...TINY,
    );
    const read = (folder: string) => readFileSync(join(folder, 'model.safetensors'));
    expect(read(next!).equals(read(exported!))).toBe(true);
    await expect(
      warmUp('--out', join(root, 'other'), '--init', exported!, '--steps=1'),
    ).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('another shape') });
  }, 300_000);

  it('refuses a damaged checkpoint and unknown options with one line and status 2', async () => {
    const out = join(root, 'damaged');
    await warmUp('--out', out, '--steps=1', ...TINY);
    const path = join(out, 'step-000001', 'state.safetensors');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(warmUp('--resume', out, '--steps=2')).rejects.toMatchObject({
      code: 2,
      stderr: `${path} does not match its hash.\n`,
    });
    await expect(warmUp('--lrr', '1')).rejects.toMatchObject({ code: 2 });
  }, 300_000);
});
