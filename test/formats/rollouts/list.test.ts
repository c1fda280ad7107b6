import { expect, test } from 'vitest';
import { readRecord } from '../../../src/formats/rollouts/detect.ts';
import { IMPORTERS } from '../../../src/formats/rollouts/importers/list.ts';
import { isImportedRollout } from '../../../src/formats/rollouts/own-schema.ts';
import { promptSegment, textAt, type Importer } from '../../../src/formats/rollouts/parts/build.ts';

/** A definition in the list is all that a layout of rollouts needs. */

const tavern: Importer = {
  id: 'tavern',
  name: 'logs of Tavern',
  keys: ['asked', 'told'],
  read: (record) => ({
    prompt: promptSegment(textAt(record, 'asked')),
    response: textAt(record, 'told'),
    held: ['asked', 'told'],
    question: textAt(record, 'asked'),
    answers: ['Ida Holm'],
  }),
};
const importers = [...IMPORTERS, tavern];
const place = { name: 'tavern.jsonl', line: 3 };
const record = { asked: 'Who wrote Low Tide?', told: '<answer>Ida Holm</answer>', shift: 'late' };

test('its records are recognised by their keys and read; fields outside the segments are kept', () => {
  const { rollout, layout } = readRecord(record, place, importers);
  expect(layout).toBe('tavern');
  expect(rollout).toMatchObject({
    id: 'tavern.jsonl:3',
    question: { text: 'Who wrote Low Tide?', answers: ['Ida Holm'] },
    origin: { layout: 'tavern', fields: { shift: 'late' } },
  });
  expect(rollout.segments.map(({ source, text }) => [source, text])).toEqual([
    ['prompt', 'Who wrote Low Tide?'],
    ['policy', '<answer>Ida Holm</answer>'],
  ]);
});

test('a record of no layout is refused with the expected keys', () => {
  const unknown = { first: 1, second: 2 };
  expect(() => readRecord(unknown, place, importers)).toThrow(/asked and told \(tavern\)/);
  expect(() => readRecord(record, place)).toThrow(/no rollout layout is known with the keys asked/);
});

test.each(IMPORTERS)('a rollout of $id, written as our own line, is read again', ({ id }) => {
  const { rollout } = readRecord(record, place, importers);
  const written = { ...rollout, origin: { ...rollout.origin, layout: id } };
  expect(isImportedRollout(written)).toBe(true);
  expect(isImportedRollout({ ...written, origin: { ...rollout.origin, layout: 'other' } })).toBe(
    false,
  );
});

test('no two layouts share an id, and none is hidden behind one with fewer keys', () => {
  expect(new Set(IMPORTERS.map(({ id }) => id)).size).toBe(IMPORTERS.length);
  const hidden = IMPORTERS.filter(({ keys }, at) =>
    IMPORTERS.slice(0, at).some(
      (before) => before.is === undefined && before.keys.every((key) => keys.includes(key)),
    ),
  );
  expect(hidden.map(({ id }) => id)).toEqual([]);
});
