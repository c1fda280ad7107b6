import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openFolder } from '../../src/cli/shared/parts.ts';
import { writePeft } from '../../src/policy/lora/peft.ts';
import { adapterSize } from '../../src/policy/lora/spec.ts';
import { labHere } from './lab.ts';

// It starts a policy and a thread.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An adapter that overwrites what the model learned. */
async function makeRuinous(): Promise<string> {
  const { config, id } = await openFolder(undefined);
  const spec = { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'down_proj'] } as const;
  const flat = Float32Array.from({ length: adapterSize(config, spec) }, (_, i) => Math.sin(i));
  const path = join(folder, 'adapter');
  mkdirSync(path);
  for (const { name, bytes } of writePeft(
    config,
    { ...spec, targets: [...spec.targets] },
    flat,
    id,
  ))
    writeFileSync(join(path, name), bytes);
  return path;
}

const ruinous = makeRuinous();

test('--check measures the adapter that the run would start from', async () => {
  const adapter = ['--adapter', await ruinous];
  const check = ['train', '--recipe=search/grpo', '--check', '--threads=1', '--steps=20'];
  // Without an adapter the built-in model keeps the format in nearly all of them.
  const { err } = await labHere(...check, ...adapter);
  expect(err).toMatch(/measured with \d+ rollouts: .* 0 in the format;/u);
});

test('rollout and ask run the model with the adapter', async () => {
  const adapter = ['--adapter', await ruinous];
  const rollout = ['rollout', '--recipe=search', '--limit=4', '--json'];
  const format = async (...more: string[]): Promise<number> =>
    (JSON.parse((await labHere(...rollout, ...more)).out) as { formatValid: number }).formatValid;
  expect(await format()).toBe(1);
  expect(await format(...adapter)).toBe(0);
  const question = 'Who wrote Old Wolf?';
  const [whole, ruined] = [
    await labHere('ask', question),
    await labHere('ask', ...adapter, question),
  ];
  expect(ruined.out).not.toBe(whole.out);
  const missing = await labHere(...rollout, '--adapter=/nowhere');
  expect([missing.status, missing.err]).toEqual([
    2,
    expect.stringContaining('/nowhere is not an adapter folder') as string,
  ]);
});
