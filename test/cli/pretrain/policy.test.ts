import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';
import { trainBpe } from '../../../src/pretrain/policy/bpe.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { TOKENIZER_CONFIG } from '../../agent/tokenizer.ts';
import { labHere } from '../lab.ts';

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'pretrain-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The bytes and the tags, and a few merges. */
const VOCABULARY = 320;
/** A tokenizer with a smaller vocabulary than that of the policy which ships. */
const small = join(root, 'tokenizer');
const vocabulary = trainBpe(['the director of the film'], {
  vocabSize: VOCABULARY,
  specialTokens: [...SPECIAL_TOKENS, ...FURTHER_TOKENS],
});
mkdirSync(small);
writeFileSync(join(small, 'tokenizer.json'), JSON.stringify(vocabulary));
writeFileSync(join(small, 'tokenizer_config.json'), JSON.stringify(TOKENIZER_CONFIG));
const OTHER = `--tokenizer=${small}`;
const TINY = [
  '--hidden=16 --layers=1 --heads=2 --kv-heads=1 --intermediate=24 --tokens-per-step=1200',
  '--micro-tokens=512 --decay-share=0 --warm-up-steps=2 --copy-share=0.3 --env-weight=0.1',
  '--eval-count=4 --log-every=1 --snapshot-every=1',
  OTHER,
].flatMap((line) => line.split(' '));

/** In this process; its threads are packed. */
const pretrain = async (...options: string[]): Promise<{ stdout: string }> => {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  const { status, err } = await labHere('pretrain', ...options).finally(() => log.mockRestore());
  if (status !== 0) throw Object.assign(new Error(err), { code: status, stderr: err });
  return { stdout: lines.join('\n') };
};

/** As a process of its own, without packing: its threads read TypeScript, too. */
const pretrainFromSources = (...options: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'src/cli/pretrain/policy.ts', ...options]);

const state = (out: string, step: number): Buffer =>
  readFileSync(join(out, `step-00000${step}`, 'state.safetensors'));

describe('lab pretrain', () => {
  it('resumes bit for bit, keeps two snapshots and exports a Hugging Face folder', async () => {
    const [whole, parts, exported] = ['whole', 'parts', 'policy'].map((name) => join(root, name));
    await pretrain('--out', whole!, '--steps=4', '--streams=2', ...TINY);
    await pretrain('--out', parts!, '--steps=2', '--streams=2', ...TINY);
    await expect(pretrain('--resume', parts!, '--streams=3', OTHER)).rejects.toThrow(
      'has 2 data streams; resume without --streams, or with --streams 2.',
    );
    const { stdout } = await pretrain(
      '--resume',
      parts!,
      '--steps=4',
      '--export',
      exported!,
      OTHER,
    );
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
    expect(config).toMatchObject({ hiddenSize: 16, vocabSize: VOCABULARY, headDim: 8 });
    readWeights(config, readFileSync(join(exported!, 'model.safetensors')));
    expect(readdirSync(exported!)).toContain('tokenizer.json');
  }, 300_000);

  it('begins with the weights of an exported checkpoint of the same shape', async () => {
    const [first, exported, next] = ['first', 'start', 'next'].map((name) => join(root, name));
    const still = ['--lr=0', '--muon-lr=0'];
    await pretrain('--out', first!, '--steps=1', '--seed=3', '--export', exported!, ...TINY);
    await pretrain(
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
      pretrain('--out', join(root, 'other'), '--init', exported!, '--steps=1'),
    ).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('growing keeps hiddenSize: 16, not 128'),
    });
    // Two layers and another vocabulary grow from one, and learn nothing at these rates: the first layer stays as it was.
    const grown = join(root, 'grown');
    const more = [
      ...TINY.filter((one) => one !== '--layers=1' && one !== OTHER),
      '--layers=2',
      '--tokenizer=public/policy',
    ];
    await pretrain(
      '--out',
      grown,
      '--init',
      exported!,
      '--steps=1',
      '--export',
      grown,
      ...still,
      ...more,
    );
    const config = parsePolicyConfig(JSON.parse(readFileSync(join(grown, 'config.json'), 'utf8')));
    expect(config).toMatchObject({ layers: 2, hiddenSize: 16 });
    const before = readWeights(
      parsePolicyConfig(JSON.parse(readFileSync(join(exported!, 'config.json'), 'utf8'))),
      read(exported!),
    );
    expect(readWeights(config, read(grown)).layers[0]?.qkv).toEqual(before.layers[0]?.qkv);
  }, 300_000);

  it('refuses a damaged checkpoint and unknown options with one line and status 2', async () => {
    const out = join(root, 'damaged');
    await pretrainFromSources('--out', out, '--steps=1', ...TINY);
    const path = join(out, 'step-000001', 'state.safetensors');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(pretrain('--resume', out, '--steps=2')).rejects.toMatchObject({
      code: 2,
      stderr: `${path} does not match its hash.\n`,
    });
    await expect(pretrain('--lrr', '1')).rejects.toMatchObject({ code: 2 });
  }, 300_000);
});
