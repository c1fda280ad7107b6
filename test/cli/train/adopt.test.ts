import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRun, readRun } from '../../../src/cli/train/folder.ts';
import { openArchive } from '../../../src/handover/adopt/open-archive.ts';
import { makePolicy } from '../../handover/adopt/made-policy.ts';
import { ARCHIVE as RETURNED, REVISION } from '../../handover/adopt/returned.ts';
import { labHere } from '../lab.ts';

/** A folder that came back from TRL, its policy available and not, and what may be done with the run. */

const ARCHIVE = fileURLToPath(RETURNED);
const TODAY = resolve('public/policy');
const SHIPPED = createHash('sha256')
  .update(readFileSync(join(TODAY, 'model.safetensors')))
  .digest('hex')
  .slice(0, 12);

const folder = mkdtempSync(join(tmpdir(), 'forage-adopted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every file below the folder with its bytes, as text. */
const contents = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(path, file), readFileSync(file, 'latin1')]),
  );

/** The archive's files in a folder, as if it was trained on other weights. @param only the files to take */
async function trainedOn(
  name: string,
  revision: string,
  { from = null as string | null, only = /./ } = {},
): Promise<string> {
  const back = join(folder, name, 'forage-trl');
  for (const { path, blob } of (await openArchive('a.tar.gz', new Blob([readFileSync(ARCHIVE)]))) ??
    []) {
    const file = path.replace('forage-trl/', '');
    if (!only.test(file)) continue;
    mkdirSync(dirname(join(back, file)), { recursive: true });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    writeFileSync(join(back, file), bytes);
    if (file !== 'experiment.json') continue;
    const experiment = JSON.parse(await blob.text()) as { policy: object };
    const policy = { ...experiment.policy, revision, folder: from };
    writeFileSync(join(back, file), JSON.stringify({ ...experiment, policy }));
  }
  return back;
}

test('the policy is found where it was exported from, and said', async () => {
  const out = join(folder, 'found');
  const policy = join(folder, 'policy');
  const revision = makePolicy(policy);
  const back = await trainedOn('theirs', revision, { from: policy });
  const { status, err } = await labHere('adopt', back, '--out', out);
  expect(status, err).toBe(0);
  expect(err).toContain(`Its model is in ${policy} (${revision}).`);
  expect(err).toContain('2 steps, 16 rollouts, the adapter of step 2');
  expect(readRun(out).policy).toEqual({ folder: policy, id: 'baize-mini', revision });
  expect(readdirSync(out)).toContain('latest.json');
});

describe('of a run that was trained on the policy that ships', () => {
  const only = /^(?:experiment\.json|out\/trainer_state\.json)$/u;

  test('the policy is found', async () => {
    const back = await trainedOn('ours', SHIPPED, { only });
    const { status, err } = await labHere('adopt', back, '--out', join(folder, 'ours-run'));
    expect(status, err).toBe(0);
    expect(err).toContain(`Its model is in ${TODAY} (${SHIPPED}).`);
  });

  test('it is named where another one was given', async () => {
    const back = await trainedOn('ours-2', SHIPPED, { only });
    const policy = join(folder, 'other-policy');
    makePolicy(policy);
    const run = join(folder, 'ours-run-2');
    const { err } = await labHere('adopt', back, '--policy', policy, '--out', run);
    expect(err).toContain(`${TODAY} has them: name it, or leave --policy out.`);
  });
});

describe('a run without its adapter', () => {
  const out = join(folder, 'alone');
  let said = '';
  beforeAll(async () => {
    const { status, err } = await labHere('adopt', ARCHIVE, '--policy', TODAY, '--out', out);
    expect(status, err).toBe(0);
    said = err;
  });

  test('is told which policy it lacks, and that it cannot go on', () => {
    expect(said).toContain(
      `The adapter was not imported: it was trained on baize-mini (${REVISION})`,
    );
    expect(said).toContain(`${TODAY} has other weights (`);
    expect(said).toContain('Name the folder of that model: --policy DIR.');
    expect(said).toContain(
      `${out} has no snapshot: its steps can be read, but it cannot be continued here.`,
    );
    expect(said).toContain('2 steps, 16 rollouts, no adapter');
  });

  test('is not gone on with, and nothing of it changes', async () => {
    const before = contents(out);
    expect(Object.keys(before)).toContain('steps.jsonl');
    const resumed = await labHere('train', '--resume', out, '--steps', '3', '--threads', '1');
    expect(resumed.err).toBe(
      `${out} has no snapshot: its steps can be read, but it cannot be continued here.\n`,
    );
    expect(resumed.status).toBe(2);
    expect(contents(out)).toEqual(before);
  });

  test('is not written over by a new run', async () => {
    const before = contents(out);
    const fresh = ['--recipe', 'search/grpo', '--steps', '1', '--threads', '1', '--out', out];
    const { status, err } = await labHere('train', ...fresh);
    expect(err.trim().split('\n').at(-1)).toBe(
      `${out} holds the steps of a run already; name another folder.`,
    );
    expect(status).toBe(2);
    expect(contents(out)).toEqual(before);
  });

  test('weights that are nowhere are named with every folder that was looked at', async () => {
    const run = join(folder, 'nowhere');
    // Of the experiment alone: its log is enough for the steps.
    const only = /^(?:experiment\.json|out\/trainer_state\.json)$/u;
    const back = await trainedOn('lost', '000000000000', { only });
    const { status, err } = await labHere('adopt', back, '--out', run);
    expect(status, err).toBe(0);
    const [, tried = ''] = /none of these folders has those weights: (.*)/u.exec(err) ?? [];
    expect(tried.replaceAll(/ \([0-9a-f]{12}\)/gu, '')).toBe(
      `${TODAY}. Name the folder of that model: --policy DIR.`,
    );
  });
});

describe('steps that were made here before the first snapshot', () => {
  const made = (name: string, steps: readonly number[], checkpointEvery: number): string => {
    const run = join(folder, name);
    cpSync(join(folder, 'alone'), run, { recursive: true });
    const file = readRun(run);
    writeFileSync(
      join(run, 'settings.json'),
      JSON.stringify({ ...file, settings: { ...file.settings, checkpointEvery } }),
    );
    const lines = steps.map((step) => `${JSON.stringify({ step, trainedTokens: 100 })}\n`);
    // And half a line, as a kill leaves it.
    writeFileSync(join(run, 'steps.jsonl'), `${lines.join('')}{"st`);
    return run;
  };

  test('are made again', () => {
    const run = made('killed', [1, 2], 2);
    createRun(run, readRun(run));
    expect(readdirSync(run)).not.toContain('steps.jsonl');
  });

  test('are kept where a snapshot must have followed them', () => {
    const run = made('lost', [1, 2, 3], 2);
    expect(() => createRun(run, readRun(run))).toThrow('holds the steps of a run already');
    expect(readdirSync(run)).toContain('steps.jsonl');
  });
});
