import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evaluateCommand } from '../../src/cli/commands/evaluate.ts';
import { parseOptions } from '../../src/cli/shared/options.ts';
import { EvaluationFolder } from '../../src/cli/evaluate/folder.ts';
import { checkSystemsOptions, specOf } from '../../src/cli/evaluate/options.ts';
import { writeEvaluationFile } from '../../src/evaluate/systems/file.ts';
import { executeEvaluation, missing, resultOf } from '../../src/evaluate/systems/plan/execute.ts';
import { systemsTables } from '../../src/evaluate/systems/table/table.ts';
import { tableText } from '../../src/evaluate/systems/table/text.ts';
import { open, planOf, SPEC } from '../evaluate/systems/small-evaluation.ts';
import { labHere, type LabRun } from './lab.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'forage-systems-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Makes rollouts until as many were kept, as a process that is killed then; all of them without a number. */
async function session(path: string, kill?: number): Promise<{ files: string; made: number }> {
  const plan = await planOf();
  const folder = new EvaluationFolder(path, 2);
  folder.begin();
  const before = missing(plan, folder.known).flat().length;
  const abort = new AbortController();
  let made = 0;
  const done = executeEvaluation(plan, {
    known: folder.known,
    open,
    keep: ({ key }, rollout, facts) => {
      if (abort.signal.aborted) return;
      folder.keep(key, rollout, { ...facts, seconds: Math.random() });
      if (++made === kill) abort.abort(new Error('killed'));
    },
    failed: () => undefined,
    signal: abort.signal,
    atOnce: 4,
  });
  if (kill !== undefined) {
    await expect(done).rejects.toThrow('killed');
    return { files: '', made };
  }
  await done;
  folder.flush();
  expect(made).toBe(before);
  const result = resultOf(plan, 'small', folder.known, new Map());
  const tables = await systemsTables(result, 'all', { interval: { resamples: 200 } });
  const text = { result, tables, times: false };
  return {
    files: [
      tableText(text, 'markdown'),
      tableText(text, 'csv'),
      tableText(text, 'latex'),
      writeEvaluationFile('small', SPEC, result),
    ].join('\n'),
    made,
  };
}

describe('the folder of an evaluation', () => {
  it('after three kills, one of them within a line, holds the same bits as without', async () => {
    const whole = await session(join(dir, 'whole'));
    const killed = join(dir, 'killed');
    for (const kill of [3, 6, 5]) await session(killed, kill);
    const kept = join(killed, 'kept.jsonl');
    truncateSync(kept, readFileSync(kept).length - 20);
    const { files, made } = await session(killed);
    expect(files).toBe(whole.files);
    expect(made).toBeLessThan(whole.made);
    expect(whole.files).toContain('Search-R1');
  });

  it('gives what it has to another evaluation, and makes nothing twice', async () => {
    await session(dir);
    expect((await session(dir)).made).toBe(0);
    const other = await planOf({ ...SPEC, systems: ['search-r1'], seeds: [2, 9] });
    const left = missing(other, new EvaluationFolder(dir).known).flat();
    expect([...new Set(left.map(({ seed }) => seed))]).toEqual([9]);
  });

  it('is not a folder with other files', () => {
    writeFileSync(join(dir, 'letters.txt'), 'dear');
    expect(() => new EvaluationFolder(dir)).toThrow('holds other files');
    appendFileSync(join(dir, 'kept.jsonl'), 'no json\n');
    expect(new EvaluationFolder(dir).all()).toEqual([]);
  });
});

describe('a call', () => {
  const args = ['--recipes', 'search,naive-rag', '--limit', '4'];
  const call = (...more: string[]): Promise<LabRun> =>
    labHere('evaluate', ...args, '--threads', '1', '--out', join(dir, 'table'), ...more);

  it('says rollouts and time before it starts, from its first ones, then from what is kept', async () => {
    const first = await call('--estimate');
    expect(first).toMatchObject({ status: 0, out: '' });
    expect(first.err).toContain('8 rollouts, 8 to run');
    expect(first.err).toContain('timing the first 2 of them');
    expect(first.err).toMatch(
      /6 rollouts left, ≈ [\d.]+ \w+ from 2 earlier rollouts on this device/u,
    );
    const whole = await call('--markdown');
    expect(whole.err).toContain('8 rollouts, 6 to run');
    expect(whole.err).not.toContain('timing');
    // What was timed is in the table, bit for bit what a call without an estimate makes.
    // On two threads, as where nobody says how many.
    const other = await labHere('evaluate', ...args, '--markdown');
    expect(whole.out).toBe(other.out);
    expect((await call('--markdown')).err).toContain('8 rollouts, 0 to run');
  });

  it('shows tables by form, hops and needed source after the whole one, and seconds on request', async () => {
    const { out, err } = await call('--by', 'form,hops,source', '--times', '--markdown');
    expect(err).toContain('8 to run');
    const headings = out.split('\n').filter((line) => line.startsWith('## '));
    expect(headings[0]).toBe('## all');
    for (const heading of [
      /^## form: /u,
      /^## \d hops?$/u,
      /^## source needed: (?:local|web|both)$/u,
    ])
      expect(headings.some((line) => heading.test(line))).toBe(true);
    expect(out.split('\n').find((line) => line.startsWith('| system'))).toContain(
      '| device seconds |',
    );
    const { tables } = JSON.parse((await call('--by', 'hops', '--times', '--json')).out) as {
      tables: { part: string; rows: { cells: { measure: string }[] }[] }[];
    };
    expect(tables.map(({ part }) => part)[0]).toBe('all');
    expect(tables.length).toBeGreaterThan(1);
    expect(tables[0]?.rows[0]?.cells.some(({ measure }) => measure === 'seconds')).toBe(true);
    // The folder's own table repeats to the bit, and has none.
    expect(readFileSync(join(dir, 'table', 'table.md'), 'utf8')).not.toContain('seconds');
  });
});

describe('the options of several systems', () => {
  const parse = (...args: string[]) => parseOptions(evaluateCommand, args);
  const spec = (...args: string[]) => {
    const { values, lists } = parse(...args);
    return specOf(values, lists).spec;
  };
  const refused = (...args: string[]): string => {
    const { values, lists } = parse(...args);
    try {
      if (checkSystemsOptions(values, lists)) specOf(values, lists);
    } catch (error) {
      return (error as Error).message;
    }
    return 'accepted';
  };

  it('name systems, a fresh world and seeds', () => {
    expect(
      spec('--recipes', 'search, search-r1', '--world-seed', '7', '--seeds', '1,2'),
    ).toMatchObject({
      systems: ['search', 'search-r1'],
      seeds: [1, 2],
      questions: [{ kind: 'fresh', seed: 7, split: 'test', limit: 300 }],
      policies: [{ kind: 'folders' }],
    });
    expect(spec('--recipes', 'all').systems.length).toBeGreaterThan(10);
    expect(spec('--recipes', 'search', '--adapter', 'a', '--base').policies).toEqual([
      { kind: 'folders' },
      { kind: 'folders', adapter: 'a' },
    ]);
  });

  it('are refused by name with what to do', () => {
    expect(refused('--recipes', 'search,serach')).toContain('no system "serach"');
    expect(refused('--seeds', '1')).toContain('--seeds needs the systems to compare: --recipes');
    expect(refused('--recipes', 'search', '--stie', 'off')).toContain('--custom FILE');
    expect(refused('--recipes', 'search', '--set', 'retrieval.k=2')).toContain('--custom FILE');
    expect(refused('--recipes', 'search', '--seeds', '1,x')).toContain("'x'");
    expect(refused('--recipes', 'search', '--custom', join(dir, 'none.json'))).toContain('missing');
    const path = join(dir, 'own.json');
    writeFileSync(
      path,
      JSON.stringify({
        format: 'forage.system/1',
        id: 'own',
        title: 'o',
        base: 'search',
        changes: { memory: 1 },
      }),
    );
    expect(refused('--recipes', 'search', '--custom', path)).toContain('"memory" is no part');
    expect(refused('--recipe', 'search')).toBe('accepted');
  });

  it('name steps of runs, several side by side, and the policy beside them', () => {
    expect(
      spec('--recipes', 'search', '--run', 'runs/a@10, runs/a@20,runs/b', '--base').policies,
    ).toEqual([
      { kind: 'folders' },
      { kind: 'folders', run: 'runs/a', step: 10 },
      { kind: 'folders', run: 'runs/a', step: 20 },
      { kind: 'folders', run: 'runs/b' },
    ]);
    expect(refused('--recipes', 'search', '--run', 'a@1,a@1')).toContain('twice');
    expect(refused('--recipes', 'search', '--by', 'form,year')).toContain("--by has 'year'");
  });

  it('repeat an evaluation from its file', () => {
    const path = join(dir, 'evaluation.json');
    writeFileSync(path, writeEvaluationFile('again', SPEC, null));
    expect(spec('--repeat', path)).toEqual(SPEC);
    expect(refused('--repeat', path, '--recipes', 'search')).toContain('--repeat');
    writeFileSync(path, '{}');
    expect(refused('--repeat', path)).toContain('not an evaluation');
  });
});
