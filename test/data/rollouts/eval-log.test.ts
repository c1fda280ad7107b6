import { strToU8, zipSync, type Zippable } from 'fflate';
import { expect, test } from 'vitest';
import { OTHER_SYSTEMS } from '../../fixtures/inspect/other-systems.ts';
import { readAll, rolloutsOf } from './helpers.ts';

/** Logs of Inspect AI, made here: a zip file with every sample as a document of its own. */

const SAMPLE = OTHER_SYSTEMS['Inspect AI']![0];

const sampleFile = (epoch: number, more: object = {}) =>
  strToU8(JSON.stringify({ ...SAMPLE, epoch, ...more }, null, 2));

const zip = (files: Zippable): Blob => new Blob([zipSync(files).slice()]);

const log = (): Zippable => ({
  '_journal/start.json': strToU8('{}'),
  'samples/a-1_epoch_1.json': sampleFile(1),
  'samples/a-1_epoch_2.json': [
    sampleFile(2, { scores: { match: { value: 'I', answer: 'Oslo' } } }),
    { level: 0 },
  ],
  'summaries.json': strToU8('[]'),
  'header.json': strToU8('{"version": 2}'),
});

test('every sample is a rollout, deflated or stored; the journal is none', async () => {
  const rollouts = await rolloutsOf(zip(log()), 'a.eval');
  expect(rollouts.map(({ id, answer, reward }) => [id, answer, reward])).toEqual([
    ['a.eval:1', 'Ida Holm', 1],
    ['a.eval:2', 'Oslo', 0],
  ]);
});

test('the same samples as JSON lines read the same', async () => {
  const lines = new Blob([1, 2].map((epoch) => `${JSON.stringify({ ...SAMPLE, epoch })}\n`));
  const files = { 'samples/1.json': sampleFile(1), 'samples/2.json': sampleFile(2) };
  expect(await rolloutsOf(zip(files), 'x')).toEqual(await rolloutsOf(lines, 'x'));
});

test('a damaged sample is named, the others load', async () => {
  const bytes = zipSync(log());
  const at = new TextDecoder('latin1').decode(bytes).indexOf('samples/a-1_epoch_1.json');
  bytes.fill(0xff, at + 30, at + 60);
  const items = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(items.map(({ kind, line }) => [kind, line])).toEqual([
    ['fault', 1],
    ['rollout', 2],
  ]);
});

test('a sample that is no JSON, and one that states a length it cannot have', async () => {
  const files = { ...log(), 'samples/b.json': strToU8('{') };
  const items = await readAll(zip(files), 'a.eval');
  expect(items.at(-1)).toMatchObject({
    kind: 'fault',
    reason: expect.stringMatching(/^is not JSON/),
  });
  const bytes = zipSync({ 'samples/a.json': sampleFile(1) });
  // The length in the central directory: bytes 24 to 27 of the entry.
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf('PK\u0001\u0002');
  new DataView(bytes.buffer).setUint32(entry + 24, 0x0fff_ffff, true);
  const [item] = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(item).toMatchObject({ kind: 'fault', reason: 'states a length that it cannot have' });
});

test('a compression that is not read says what to do', async () => {
  const bytes = zipSync({ 'samples/a.json': sampleFile(1) });
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf('PK\u0001\u0002');
  new DataView(bytes.buffer).setUint16(entry + 10, 93, true);
  const [item] = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(item).toMatchObject({
    kind: 'fault',
    reason: expect.stringMatching(/zip method 93.*inspect log convert --to json/),
  });
});

test('a zip file of other things, and one cut short, are one clear error', async () => {
  await expect(readAll(zip({ 'a.txt': strToU8('x') }), 'a.zip')).rejects.toThrow(
    /^a\.zip is a zip archive\. Unpack it and open the files .* it holds no samples\/\*\.json/,
  );
  const whole = zipSync(log());
  await expect(readAll(new Blob([whole.slice(0, 300)]), 'a.eval')).rejects.toThrow(
    /^a\.eval is a zip archive\. Unpack it .* it is damaged or cut short/,
  );
});
