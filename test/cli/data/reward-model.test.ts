import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCustomSystem } from '../../../src/evaluate/systems/custom.ts';
import { labHere } from '../lab.ts';

/** RAG-Gym by the command line: ranked candidates, a reward model of them, and the system that decodes by it. */

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'forage-prm-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

it('rollouts with ranked candidates make a reward model that an evaluation runs by', async () => {
  const [rollouts, system] = [join(dir, 'ranked.jsonl'), join(dir, 'prm.json')];
  const ranked = ['loop=program', 'system.n=4', 'system.by=gold'];
  const words = (line: string): string[] => line.split(' ');
  const made = await labHere(
    ...words('rollout --recipe rag-gym --limit 4 --temperature 1 --split dev --json --out'),
    rollouts,
    ...ranked.flatMap((change) => ['--set', change]),
  );
  expect(made.status, made.err).toBe(0);
  const fitted = await labHere('reward-model', rollouts, '--candidates', '3', '--out', system);
  expect(fitted.status, fitted.err).toBe(0);
  expect(fitted.err).toMatch(/^\d+ pairs, loss \d\.\d{3}; of \d+ held-out pairs/m);
  const { changes } = parseCustomSystem(JSON.parse(readFileSync(system, 'utf8')));
  expect(changes.system).toMatchObject({ n: 3, by: 'reward-model' });
  const table = await labHere(
    ...words('evaluate --recipes rag-gym --limit 1 --threads 1 --json --custom'),
    system,
    '--out',
    join(dir, 'table'),
  );
  expect(table.status, table.err).toBe(0);
  const { systems, failed } = JSON.parse(table.out) as {
    systems: { id: string }[];
    failed: unknown[];
  };
  expect([systems.map(({ id }) => id), failed]).toEqual([['rag-gym', 'rag-gym-prm'], []]);
});

it('says what the rollouts lack', async () => {
  const plain = join(dir, 'plain.jsonl');
  await labHere('rollout', '--recipe', 'search', '--limit', '1', '--out', plain, '--json');
  const { status, err } = await labHere('reward-model', plain);
  expect([status, err]).toEqual([
    2,
    expect.stringContaining('no two different candidates to compare'),
  ]);
});
