import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readTrajectories } from '../../../src/formats/trajectories/read.ts';
import { labHere } from '../lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'forage-trajectories-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

it('makes a set of right rollouts, with pairs where they are asked for', async () => {
  const out = join(folder, 'set.jsonl');
  const { status, err } = await labHere('trajectories', OWN, '--weight', 'uniform', '--out', out);
  expect(status).toBe(0);
  const set = readTrajectories(readFileSync(out, 'utf8'));
  expect(set.trajectories).toHaveLength(10);
  expect(err).toMatch(/10 trajectories, 10 of them with a weight, and 0 pairs/);
  const right = await labHere('trajectories', OWN);
  // Six of the ten are right.
  expect(right.out.trim().split('\n')).toHaveLength(6);
});

it('refuses a file that is none, and one of which nothing is left, in one line', async () => {
  const missing = await labHere('trajectories', '/nowhere.jsonl');
  expect([missing.status, missing.err.trim()]).toEqual([2, '/nowhere.jsonl is missing.']);
  const none = await labHere('trajectories', OWN, '--failed', OWN, '--weight', 'first');
  expect([none.status, none.out]).toEqual([2, '']);
  expect(none.err).toMatch(/none of 10 rollouts can be used/);
});

it('refuses a control over pairs, and pairs alone, where no rule makes pairs', async () => {
  const turned = await labHere('trajectories', OWN, '--weight', 'uniform', '--shuffle-pairs', '3');
  expect([turned.status, turned.out]).toEqual([2, '']);
  expect(turned.err).toMatch(/^--shuffle-pairs needs pairs/);
  const alone = await labHere('trajectories', OWN, '--weight', 'none');
  expect(alone.status).toBe(2);
  expect(alone.err).toMatch(/^--weight none leaves only pairs/);
});
