import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapterGguf } from '../../src/policy/gguf/write/adapter.ts';
import { mergedGguf } from '../../src/policy/gguf/write/model.ts';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { writePeft } from '../../src/policy/lora/peft.ts';
import { bytesOf, randomAdapter, writeBoth } from '../policy/gguf/write/made.ts';
import { labHere } from './lab.ts';

let folder = '';
let made: Awaited<ReturnType<typeof writeBoth>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forage-merge-gguf-'));
  made = await writeBoth(folder, 'llama3');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const model = () => [
  '--policy',
  join(folder, 'llama3'),
  '--adapter',
  join(folder, 'llama3-adapter'),
];
const out = (name: string): string => join(folder, name);

it('merge writes a GGUF file in F16, or in the type that is named', async () => {
  for (const [type, given] of [
    ['F16', []],
    ['Q8_0', ['--type', 'q8_0']],
  ] as const) {
    const path = out(`${type}.gguf`);
    const run = await labHere('merge', ...model(), '--format', 'gguf', ...given, '--out', path);
    expect(run).toMatchObject({ status: 0, out: '' });
    const file = await mergedGguf(made.files, 'llama3', 'x', type, made.adapter);
    expect(Buffer.compare(readFileSync(path), await bytesOf(file))).toBe(0);
  }
});

it('export writes the adapter as GGUF', async () => {
  const path = out('adapter.gguf');
  const run = await labHere('export', '--to', 'gguf', ...model(), '--out', path, '--json');
  const file = adapterGguf(made.config, 'llama3 adapter', 'x', made.adapter);
  expect(JSON.parse(run.out)).toEqual({ out: path, bytes: file.bytes });
  expect(Buffer.compare(readFileSync(path), await bytesOf(file))).toBe(0);
});

it('says in one sentence what cannot be written, and leaves nothing', async () => {
  const path = out('not.gguf');
  const refused = async (said: string, ...args: string[]): Promise<void> => {
    const { status, err } = await labHere(...args);
    expect(err).toContain(said);
    expect(status).toBe(2);
  };
  await refused(
    '--type is for --format gguf.',
    'merge',
    ...model(),
    '--type',
    'f16',
    '--out',
    path,
  );
  // How the built-in model splits text, llama.cpp has no name for.
  const config: unknown = JSON.parse(readFileSync('public/policy/config.json', 'utf8'));
  const { spec, flat } = randomAdapter(parsePolicyConfig(config));
  const own = mkdtempSync(join(folder, 'own-'));
  for (const { name, bytes } of writePeft(parsePolicyConfig(config), spec, flat, 'x'))
    writeFileSync(join(own, name), bytes);
  await refused(
    'tokenizer.json: llama.cpp is not known to split text as its pre_tokenizer does',
    'merge',
    '--adapter',
    own,
    '--format=gguf',
    '--out',
    path,
  );
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'mine');
  await refused('a file has this name', 'merge', ...model(), '--format=gguf', '--out', path);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});
