import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { openCheckpointFolder } from '../../src/cli/shared/checkpoint-folder.ts';
import { writePeft } from '../../src/policy/lora/peft.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import type { MadeStep } from '../../src/records/training.ts';
import { randomAdapter } from '../policy/gguf/write/made.ts';
import { labHere } from './lab.ts';

// Each call opens a policy: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-gguf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A random model of one layer. */
const model = fileURLToPath(new URL('../fixtures/gguf/exact.gguf', import.meta.url));
const mixed = fileURLToPath(new URL('../fixtures/gguf/mixed.gguf', import.meta.url));

test('a GGUF file answers in its own chat template', async () => {
  const question = 'Who directed Frozen Compass?';
  const given = ['--policy', model, '--recipe', 'search', '--json'];
  const { status, out, err } = await labHere('ask', question, ...given);
  expect(err).toBe('');
  expect(status).toBe(0);
  const { segments, events, policy } = JSON.parse(out) as Rollout;
  expect(segments[0]!.text).toMatch(/^<s>system\nYou answer a question by searching/);
  expect(segments.some(({ source }) => source === 'policy')).toBe(true);
  expect(events.at(-1)!.kind).toBe('stop');
  expect(policy.id).toBe('exact');
});

test('a run trains on it, and its record names the file', async () => {
  const run = join(folder, 'run');
  const small = ['questions=1', 'groupSize=2', 'heldOut.questions=0', 'dynamicSampling=null'];
  const set = small.flatMap((change) => ['--set', change]);
  const short = ['--recipe', 'search/grpo', '--steps', '1', '--threads', '1', '--json'];
  const trained = await labHere('train', '--policy', model, '--out', run, ...short, ...set);
  expect(trained.status).toBe(0);
  expect((JSON.parse(trained.out) as MadeStep).step).toBe(1);
  const settings = JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8')) as object;
  expect(settings).toMatchObject({ policy: { folder: model, id: 'exact' } });
});

test('an adapter is scored on it', async () => {
  const path = join(folder, 'adapter');
  mkdirSync(path);
  const { config } = await openCheckpointFolder(model);
  const { spec, flat } = randomAdapter(config);
  for (const { name, bytes } of writePeft(config, spec, flat, 'exact'))
    writeFileSync(join(path, name), bytes);
  const score = (...given: string[]) =>
    labHere('evaluate', '--policy', model, ...given, '--limit', '1', '--json');
  const scored = await score('--adapter', path);
  expect(scored.err).toBe('');
  expect(scored.status).toBe(0);
});

test('one without a tokenizer is refused in one sentence', async () => {
  const { status, err } = await labHere('ask', 'Who?', '--policy', mixed);
  expect(status).toBe(2);
  expect(err).toMatch(/^mixed\.gguf: it has no vocabulary \(tokenizer.*\n$/);
});

test.each([
  ['cannot be parsed', '{% endfor %}', '{% endif  %}'],
  ['raises', "{{ m['role'] }}", '{{ m() }}'],
])('one whose chat template %s is refused by name', async (_, from, to) => {
  const path = join(folder, 'broken.gguf');
  const bytes = readFileSync(model).toString('latin1').replace(from, to.padEnd(from.length));
  writeFileSync(path, bytes, 'latin1');
  const { status, err } = await labHere('ask', 'Who?', '--policy', path);
  expect(status).toBe(2);
  expect(err).toMatch(
    /^broken\.gguf: its chat template does not render \(.+\)\. Use another file of this model\n$/,
  );
});
