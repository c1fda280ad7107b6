import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StudyFolder, type Maker } from '../../../src/cli/study/folder.ts';
import { executePlan } from '../../../src/evaluate/study/execute.ts';
import { planStudy, type StudyPlan } from '../../../src/evaluate/study/plan.ts';
import { readStudy, type Study } from '../../../src/evaluate/study/file/read.ts';
import { reportOf } from '../../../src/evaluate/study/report.ts';
import { row, studyJson } from '../../evaluate/study/study-file.ts';

/** A folder on the disk, and work that a kill may end at any of its moments. */

const root = mkdtempSync(join(tmpdir(), 'forage-study-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const maker: Maker = { version: '1', policy: { id: 'p', revision: 'abc' } };
const given = {
  revision: 'abc',
  identityOf: ({ source }: { source: unknown }) => Promise.resolve(source),
  digestOf: () => Promise.resolve(''),
};
const studyOf = (change: Record<string, unknown>): Study =>
  readStudy(JSON.stringify(studyJson(change)), () => false);

/** Few pieces: a test lives many lives, and every piece waits for the disk. */
const study = studyOf({
  train: { worlds: [{ seed: 11 }], seeds: [1], steps: 3 },
  evaluate: { worlds: [{ seed: 9001 }], questions: 20 },
  interval: { resamples: 20 },
});
let plan: StudyPlan;
beforeAll(async () => {
  plan = await planStudy(study, given);
});

class Killed extends Error {}

/** A process: it opens the folder and works until the plan is done, or it is killed at a moment. */
async function life(path: string, moments: number, made: string[]): Promise<boolean> {
  let left = moments;
  const abort = new AbortController();
  const moment = (): void => {
    if (left-- > 0) return;
    abort.abort(new Killed());
    throw new Killed();
  };
  const folder = StudyFolder.open(path, maker);
  folder.begin();
  try {
    await executePlan(plan, {
      hasTrained: (key) => folder.hasTrained(key),
      hasScore: (key) => folder.hasScore(key),
      signal: abort.signal,
      train: ({ key, settings, world }) => {
        moment();
        mkdirSync(folder.run(key), { recursive: true });
        // Halves, as a process leaves them that is killed while it writes.
        mkdirSync(`${folder.trainedFolder(key)}.new`, { recursive: true });
        writeFileSync(`${folder.trainedFolder(key)}.new/trained.json`, '{"format"');
        moment();
        const point = { step: 1, reward: 0.5, em: 0, searches: 1, heldOut: null, seconds: 2 };
        const { steps } = settings;
        folder.writeTrained(
          {
            key,
            made: {},
            settings,
            world: world.name,
            steps,
            seconds: 1,
            curve: [point],
            router: null,
          },
          [{ name: 'adapter_model.safetensors', bytes: new Uint8Array([1]) }],
        );
        made.push(key);
        mkdirSync(folder.run(key), { recursive: true });
        moment();
        return Promise.resolve();
      },
      score: ({ key, training }) => {
        moment();
        if (training !== null && !folder.hasTrained(training)) throw new Error('no adapter');
        writeFileSync(join(path, 'scores', `${key}.json.new`), '{"form');
        moment();
        const em = (value: string): number => value.length % 2;
        folder.writeScore({
          key,
          made: {},
          seconds: 1,
          rows: [row('q1', { em: em(key) }), row('q2')],
        });
        made.push(key);
        moment();
        return Promise.resolve();
      },
    });
    return true;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  }
}

function tablesOf(path: string): Record<string, string> {
  const folder = StudyFolder.open(path, maker);
  return reportOf(
    study,
    plan,
    {
      rows: (key) => (folder.hasScore(key) ? folder.readScore(key).rows : null),
      curve: (key) => (folder.hasTrained(key) ? folder.readTrained(key).curve : null),
    },
    { policy: 'p', made: [], finished: 0, scores: 0 },
  ).files;
}

test('a plan trains every arm with every seed, and shares what is the same', async () => {
  const { trainings, scores, uses } = await planStudy(studyOf({}), given);
  expect(trainings).toHaveLength(4);
  // Step 0 over two worlds for three arms, of which two run the same loop; then 4 trainings by 2 worlds.
  expect(scores).toHaveLength(2 * 2 + 4 * 2);
  expect(new Set(scores.map(({ key }) => key)).size).toBe(scores.length);
  expect(uses.filter(({ at }) => at === 'start')).toHaveLength(6);
  expect(trainings.map(({ settings }) => settings.seed)).toEqual([1, 1, 2, 2]);
});

describe('killed at each of its moments and started again', () => {
  test('no finished piece is made twice, and the tables are those of a run that was let alone', async () => {
    const whole = join(root, 'whole');
    const once: string[] = [];
    expect(await life(whole, Infinity, once)).toBe(true);
    expect(once.toSorted()).toEqual(
      [...plan.trainings, ...plan.scores].map(({ key }) => key).toSorted(),
    );
    const expected = tablesOf(whole);
    const moments = 3 * once.length;
    for (let at = 0; at <= moments; at++) {
      const path = join(root, `killed-${at}`);

      const made: string[] = [];
      const ended = await life(path, at, made);
      expect(ended).toBe(at === moments);
      if (!ended) expect(await life(path, Infinity, made)).toBe(true);
      expect(made.toSorted(), `killed at moment ${at}`).toEqual(once.toSorted());
      expect(tablesOf(path)).toEqual(expected);
      StudyFolder.open(path, maker).begin();
      expect(readdirSync(join(path, 'runs'))).toEqual([]);
      for (const part of ['trained', 'scores'])
        expect(readdirSync(join(path, part)).filter((name) => name.endsWith('.new'))).toEqual([]);
    }
  });

  test('killed after every single moment, it still ends', async () => {
    const path = join(root, 'often');
    const made: string[] = [];
    let lives = 1;
    while (!(await life(path, 3, made))) lives++;
    expect(lives).toBeGreaterThan(3);
    expect(new Set(made).size).toBe(made.length);
  });
});

test('a piece that fails leaves the others; its scores wait, and the next start makes them', async () => {
  const path = join(root, 'failing');
  const folder = StudyFolder.open(path, maker);
  folder.begin();
  const bad = plan.trainings[1]!.key;
  const scored: (string | null)[] = [];
  const faults: string[] = [];
  const trained = new Set<string>();
  const failed = await executePlan(plan, {
    hasTrained: (key) => trained.has(key),
    hasScore: () => false,
    train: ({ key }) => {
      if (key === bad) return Promise.reject(new Error('gradient is not finite'));
      trained.add(key);
      return Promise.resolve();
    },
    score: ({ training }) => Promise.resolve(void scored.push(training)),
    onFault: (key, error) => void faults.push(`${key}: ${(error as Error).message}`),
  });
  expect(failed).toEqual([bad]);
  expect(faults).toEqual([`${bad}: gradient is not finite`]);
  expect(scored).not.toContain(bad);
  expect(scored).toHaveLength(plan.scores.length - 1);
});

describe('a folder does not mix', () => {
  const path = join(root, 'mixed');
  beforeAll(() => StudyFolder.open(path, maker).begin());

  test.each([
    [
      { ...maker, policy: { id: 'p', revision: 'other' } },
      /results of the model p@abc, but this study is of p@other/,
    ],
    [{ ...maker, version: '2' }, /results of version 1, but this is 2/],
  ])('what %j makes', (other, message) => {
    expect(() => StudyFolder.open(path, other)).toThrow(message);
  });

  test('worlds of one name and other passages', () => {
    const folder = StudyFolder.open(path, maker);
    folder.recordWorld('seed11', { of: {}, digest: 'a', webLatencyMs: {} });
    folder.recordWorld('seed11', { of: {}, digest: 'a', webLatencyMs: { '20': 22 } });
    const again = StudyFolder.open(path, maker);
    expect(again.world('seed11')).toEqual({
      of: {},
      digest: 'a',
      webLatencyMs: { '20': 22 },
    });
    expect(() => again.recordWorld('seed11', { of: {}, digest: 'b', webLatencyMs: {} })).toThrow(
      /has results over seed11 with other passages or questions/,
    );
  });

  test('and is not begun among other files', () => {
    const other = join(root, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), 'mine');
    expect(() => StudyFolder.open(other, maker)).toThrow(/holds other files and no results\.json/);
    expect(existsSync(join(other, 'results.json'))).toBe(false);
  });

  test('a damaged score is named', () => {
    const folder = StudyFolder.open(path, maker);
    writeFileSync(join(path, 'scores', 'x.json'), '{"format":');
    expect(() => folder.readScore('x')).toThrow(/x\.json is damaged .*; remove it to run it again/);
  });
});

describe('what is the same keeps its name', () => {
  const keysOf = async (change: Record<string, unknown>, revision = 'abc') => {
    const { trainings, scores } = await planStudy(studyOf(change), { ...given, revision });
    return { trainings: trainings.map(({ key }) => key), scores: scores.map(({ key }) => key) };
  };
  const evaluate = studyJson()['evaluate'] as Record<string, unknown>;
  const arms = studyJson()['arms'] as Record<string, unknown>[];
  const train = studyJson()['train'] as Record<string, unknown>;

  test('whatever arms are called, and whichever other arms there are', async () => {
    const own = await keysOf({});
    const fewer = await keysOf({ arms: [{ ...arms[0], name: 'renamed' }], reference: 'renamed' });
    expect(own.trainings).toEqual(expect.arrayContaining(fewer.trainings));
    expect(own.scores).toEqual(expect.arrayContaining(fewer.scores));
    const more = await keysOf({ train: { ...train, seeds: [1, 2, 3] } });
    expect(more.trainings).toEqual(expect.arrayContaining(own.trainings));
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a setting of the training', { train: { ...train, settings: { groupSize: 4 } } }, 'abc'],
    ['the number of steps', { train: { ...train, steps: 4 } }, 'abc'],
    ['the delay of the web', { webDelayMs: 20 }, 'abc'],
    ['the policy', {}, 'def'],
  ])('another training where %s differs', async (_, change, revision) => {
    const [own, other] = [await keysOf({}), await keysOf(change, revision)];
    expect(other.trainings.filter((key) => own.trainings.includes(key))).toEqual([]);
    const trainedScores = other.scores.filter((key) => !key.startsWith('start-'));
    expect(trainedScores.filter((key) => own.scores.includes(key))).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['questions', { questions: 21 }],
    ['the split', { split: 'dev' }],
    ['the temperature', { temperature: 1 }],
    ['the sampling seed', { seed: 5 }],
    ['the routing', { routing: 'sampled' }],
    ['the loop', { loop: { retrieval: { k: 7 } } }],
  ])('the same training and another score where %s of the evaluation differ', async (_, change) => {
    const [own, other] = [await keysOf({}), await keysOf({ evaluate: { ...evaluate, ...change } })];
    expect(other.trainings).toEqual(own.trainings);
    expect(other.scores.filter((key) => own.scores.includes(key))).toEqual([]);
  });
});
