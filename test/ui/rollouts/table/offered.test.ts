import { expect, test } from 'vitest';
import { looseRuns, pickedRuns } from '../../../../src/ui/rollouts/run-files.ts';

const file = (name: string, path = ''): File => {
  const made = new File(['{}'], name);
  Object.defineProperty(made, 'webkitRelativePath', { value: path });
  return made;
};
const named = (runs: ReturnType<typeof looseRuns>): unknown =>
  runs.map(({ name, files }) => [name, ...files.map((one) => one.name)]);

test('files are runs of their own, but for the steps of one', () => {
  expect(named(looseRuns([file('a.jsonl'), file('run2.jsonl')]))).toEqual([
    ['a.jsonl', 'a.jsonl'],
    ['run2.jsonl', 'run2.jsonl'],
  ]);
  expect(named(looseRuns([file('10.jsonl'), file('9.jsonl')]))).toEqual([
    ['9.jsonl and 1 more', '10.jsonl', '9.jsonl'],
  ]);
});

test('a picked folder is one run of its name, without what holds no rollouts', () => {
  const picked = ['d/1.jsonl', 'd/sub/2.json.gz', 'd/.cache/3.jsonl', 'd/notes.txt'].map((path) =>
    file(path.slice(path.lastIndexOf('/') + 1), path),
  );
  expect(named(pickedRuns(picked))).toEqual([['d', '1.jsonl', 'sub/2.json.gz']]);
  expect(named(pickedRuns([file('notes.txt', 'e/notes.txt')]))).toEqual([['e']]);
});
