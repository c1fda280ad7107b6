import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import { RolloutsDatabase } from '../../../src/lab/rollouts/database.ts';
import { RolloutsHost } from '../../../src/lab/rollouts/host.ts';
import { RolloutsStore } from '../../../src/lab/rollouts/store.ts';
import { packReading, unpackReading } from '../../../src/lab/rollouts/packed.ts';
import type { StoredRow } from '../../../src/lab/contract/records/rollout-files.ts';
import { ANSWER_SCORERS } from '../../../src/evaluate/rollouts/rescore/disagreement.ts';
import { whatIfSettings } from '../../fixtures/what-if.ts';
import { loggingBoard } from '../../fixtures/inspect/records.ts';
import { blobOf, OWN_FILE, ownLines } from '../../formats/rollouts/helpers.ts';

let host: RolloutsHost;
beforeEach(() => {
  const database = new RolloutsDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  host = new RolloutsHost(new RolloutsStore(database));
});

const nothing = (): void => undefined;

/** Imports two siblings of a group: the answer right with reward 1, another answer with 0. */
async function imported(name: string, second: string): Promise<string> {
  const wrong = { prompt: loggingBoard['prompt'], ground_truth: 'Ida Holm', step: 3, reward: 0 };
  const source = blobOf(loggingBoard, { ...wrong, response: `<answer>${second}</answer>` });
  const outcome = await host.importFile('import', source, name, nothing);
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  return outcome.file.id;
}

const settings = whatIfSettings({ estimator: 'dr-grpo' });

test('a filter’s fault and a file’s come back as values', async () => {
  const fileId = await imported('a.jsonl', 'nobody');
  const fault = await host.select('select', fileId, 'em = 0 and ');
  expect(fault).toMatchObject({ status: 'fault', position: 11, length: 0 });
  const found = await host.select('select', fileId, 'em = 0');
  expect(found).toMatchObject({ status: 'ready', rows: [{ line: 2 }] });
  const junk = await host.importFile('i', new Blob(['x\n'.repeat(1200)]), 'junk', nothing);
  expect(junk).toMatchObject({ status: 'failed', message: expect.stringContaining('junk') });
});

test('a file gives its rollouts back as lines, until it is deleted and after it was restored', async () => {
  const source = new Blob([`${ownLines().join('\n')}\n`]);
  const outcome = await host.importFile('import', source, OWN_FILE.pathname, nothing);
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  const { id } = outcome.file;
  const read = async () =>
    (await (await host.lines(id))?.text())
      ?.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const own = ownLines().map((line) => JSON.parse(line));
  expect(await read()).toEqual(own);
  await host.remove(id);
  expect(await host.lines(id)).toBeNull();
  await host.restore(id);
  expect(await read()).toEqual(own);
  expect(await host.lines('none')).toBeNull();
});

test('a job is stopped by its name, and by a newer one of that name', async () => {
  const fileId = await imported('a.jsonl', 'nobody');
  const first = host.select('typing', fileId, '"x"');
  const second = host.select('typing', fileId, 'em = 1');
  expect(await first).toEqual({ status: 'cancelled' });
  expect((await second).status).toBe('ready');
  const importing = host.importFile('i', blobOf(loggingBoard), 'b.jsonl', nothing);
  await host.cancel('i');
  expect(await importing).toEqual({ status: 'cancelled' });
  expect((await host.files()).map(({ name }) => name)).toEqual(['a.jsonl']);
});

test('a group is aligned and its credit is worked out; what if another estimator', async () => {
  const fileId = await imported('a.jsonl', 'nobody');
  const [row] = await host.rows(fileId);
  const group = (await host.group(fileId, row!.row.group, settings, 16))!;
  expect(group.aligned.siblings.map(({ em }) => em)).toEqual([1, 0]);
  expect(group.credit.chains.map(({ advantage }) => advantage)).toEqual([0.5, -0.5]);
  const rloo = { ...settings, objective: { ...settings.objective, estimator: 'rloo' as const } };
  const { after } = await host.whatIf(fileId, row!.row.group, settings, rloo);
  expect(after.rollouts.map(({ advantage }) => advantage)).toEqual([1, -1]);
  expect(await host.group(fileId, 'none', settings, 16)).toBeNull();
  // Of a large group only the siblings that are beside each other come with their rounds.
  const narrow = (await host.group(fileId, row!.row.group, settings, 1))!;
  expect(narrow.aligned.rows.map((cells) => cells.length)).toEqual(group.aligned.rows.map(() => 1));
  expect(narrow.aligned.siblings).toEqual(group.aligned.siblings);
  expect(narrow.places).toEqual(group.places.slice(0, 1));
  expect(narrow.credit).toEqual(group.credit);
});

test('a reading goes between threads as typed arrays and comes out the same', async () => {
  const fileId = await imported('a.jsonl', 'nobody');
  const [{ row }] = (await host.rows(fileId)) as [StoredRow];
  const reading = (await host.read(fileId, row.id))!;
  expect(reading.rollout.segments.some(({ logprobs }) => logprobs)).toBe(true);
  reading.rollout.segments.find(({ logprobs }) => logprobs)!.logprobs![0] = null;
  const packed = packReading(reading);
  expect(packed.reading.rollout.segments.some(({ logprobs }) => logprobs)).toBe(false);
  expect(unpackReading(structuredClone(packed))).toEqual(reading);
});

test('re-scored, compared and distinguished', async () => {
  const [a, b] = [await imported('a.jsonl', 'nobody'), await imported('b.jsonl', 'Ida Holm')];
  const place = { chunk: 0, index: 1 };
  const totals = async (fileId: string) =>
    (await host.rescore(fileId, place)).find(({ scorer }) => scorer === 'em')!.total;
  expect([await totals(a), await totals(b)]).toEqual([0, 1]);
  const compared = await host.compare(a, b, 'em');
  expect(compared.gained).toMatchObject([{ a: 0.5, b: 1 }]);
  const { runs } = await host.diff({ fileId: a, place }, { fileId: b, place });
  expect(runs.map(({ kind }) => kind)).toContain('added');
  const disagreements = (fileId: string) =>
    host.disagreements('scores', fileId, ANSWER_SCORERS, nothing);
  expect(await disagreements(a)).toEqual([]);
  const wordy = await imported('c.jsonl', 'Ida Holm of Denmark, a novelist');
  expect(await disagreements(wordy)).toMatchObject([{ kindest: { by: 'cover-em' } }]);
  expect(await disagreements(wordy)).toBe(await disagreements(wordy));
  const strict = host.disagreements('scores', wordy, ['em', 'f1'], nothing);
  await host.cancel('scores');
  expect(await strict).toBeNull();
  expect(await host.disagreements('scores', wordy, ['em', 'sub-em'], nothing)).toHaveLength(1);
});
