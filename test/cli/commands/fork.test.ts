import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { labHere } from '../lab.ts';

// Policies and worlds are opened: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-fork-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a fork of a rollout that read summaries', () => {
  const of = join(folder, 'of.jsonl');
  beforeAll(async () => {
    const recipe = ['--recipe', 'ur2', '--summarizer', 'extractive'];
    const { status } = await labHere('rollout', ...recipe, '--limit', '1', '--out', of, '--json');
    expect(status).toBe(0);
    expect(readFileSync(of, 'utf8')).toContain('"kind":"summarize"');
  });

  test('is refused where nobody writes them, in one line that says what to do', async () => {
    const { status, out, err } = await labHere('fork', of, '--event', '1');
    expect(err.trim()).toMatch(/^UR² needs a summarizer: add --summarizer extractive/);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect([status, out]).toEqual([2, '']);
  });

  test.each([
    ['with a summarizer', ['--summarizer', 'extractive']],
    ['with summaries left out', ['--set', 'retrieval.summarize=off']],
  ])('is made %s', async (_, more) => {
    const { status, out } = await labHere('fork', of, '--event', '1', ...more, '--json');
    expect(status).toBe(0);
    const fork = JSON.parse(out) as Rollout;
    expect(fork.forks?.[0]?.event).toBe(1);
  });
});
