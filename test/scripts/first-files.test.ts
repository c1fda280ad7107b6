import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { firstFiles, writeFirstFiles } from '../../scripts/serve/first-files.mjs';

const DATA = [
  'encoder/encoder.json',
  'encoder/tokenizer.json',
  'encoder/model.onnx',
  'world/manifest.json',
  'world/local.json',
  'world/questions.json',
  'world/vectors.f16',
  'world/web/index.json',
  'world/web/lengths.bin',
  'policy/config.json',
  'policy/tokenizer_config.json',
  'policy/tokenizer.json',
  'policy/model.safetensors',
];

/** A built page of which this much matters here. */
const built = (left = ''): string => {
  const root = mkdtempSync(join(tmpdir(), 'forage-first-files-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files: Record<string, string> = {
    'index.html': '<html><head>\n  </head><body></body></html>',
    'assets/lab-aaaa_111.js':
      'a();import{a as e,$ as t}from"./worker-bbbb-222.js";const p=()=>import("./late-cccccccc.js");new Worker(new URL(`policy-dddddddd.js`))',
    'assets/worker-bbbb-222.js': 'import"./rolldown-runtime-eeeeeeee.js";export{e as a}',
    'assets/rolldown-runtime-eeeeeeee.js': 'var e=1;export{e}',
    'assets/late-cccccccc.js': '',
    // Another script whose name begins alike.
    'assets/policy-files-ffffffff.js': '',
    'assets/policy-dddddddd.js': 'import{a}from"./worker-gggggggg.js"',
    'assets/worker-gggggggg.js': '',
    'assets/retrieval-hhhhhhhh.js': '',
    ...Object.fromEntries(DATA.map((file) => [file, ''])),
  };
  delete files[left];
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
};

it('are the scripts that a worker cannot run without, and what it reads first', async () => {
  const { lab, sources, policy } = await firstFiles(built());
  expect(lab).toEqual([
    'assets/lab-aaaa_111.js',
    'assets/worker-bbbb-222.js',
    'assets/rolldown-runtime-eeeeeeee.js',
  ]);
  expect(sources).toEqual(['assets/retrieval-hhhhhhhh.js', ...DATA.slice(0, 9)]);
  expect(policy).toEqual([
    'assets/policy-dddddddd.js',
    'assets/worker-gggggggg.js',
    ...DATA.slice(9),
  ]);
});

it('a page without a lab, as tests build some, stays as it is', async () => {
  const root = built('assets/lab-aaaa_111.js');
  await writeFirstFiles(root);
  expect(readFileSync(join(root, 'index.html'), 'utf8')).not.toContain('first-files');
  const whole = built();
  await writeFirstFiles(whole);
  expect(readFileSync(join(whole, 'index.html'), 'utf8')).toContain('<meta name="first-files"');
});

it.each([
  ['policy/model.safetensors', 'the build lacks policy/model.safetensors'],
  ['assets/retrieval-hhhhhhhh.js', 'the build has no worker of retrieval'],
])('a build without %s is refused', async (file, words) => {
  await expect(writeFirstFiles(built(file))).rejects.toThrow(words);
});
