import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/records/records.ts';
import type { QuestionsSpec } from '../../../src/records/setup.ts';
import type { AskMessage } from '../../../src/lab/contract/ask.ts';
import { QuestionList } from '../../../src/lab/ask/source-loader.ts';

const question = (id: string, split?: string): Question & { split?: string | undefined } => ({
  id,
  text: `Who is ${id}?`,
  answers: ['x'],
  supporting: [],
  split,
});

const imported = (id: string): QuestionsSpec => ({ kind: 'collections', ids: [id] });

/** A storage whose reads end when the test says so. */
const bench = () => {
  const reads: {
    spec: QuestionsSpec;
    end: (found: Question[]) => void;
    fail: (e: Error) => void;
  }[] = [];
  const told: AskMessage[] = [];
  const list = new QuestionList(
    (spec) => new Promise((end, fail) => reads.push({ spec, end, fail })),
    (messages) => told.push(...messages),
  );
  const rows = () =>
    told.flatMap((message) =>
      message.type === 'questions' ? [message.rows.map(({ id }) => id)] : [],
    );
  return { list, reads, told, rows };
};

describe('the question list', () => {
  it('waits for imported questions that are still being read', async () => {
    const { list, reads, rows } = bench();
    list.show(imported('rivers'));
    const found = list.find('hop-17');
    reads[0]?.end([question('hop-17', 'train'), question('hop-2', 'test')]);
    expect((await found)?.text).toBe('Who is hop-17?');
    expect(rows()).toEqual([['hop-2', 'hop-17']]);
  });

  it('looks in the list that was chosen last, whichever is read first', async () => {
    const { list, reads, rows } = bench();
    list.show({ kind: 'built-in' });
    const found = list.find('hop-17');
    list.show(imported('rivers'));
    reads[0]?.end([question('test-1')]);
    reads[1]?.end([question('hop-17')]);
    expect((await found)?.id).toBe('hop-17');
    expect(await list.find('test-1')).toBeNull();
    expect(rows()).toEqual([['hop-17']]);
  });

  it('tells why there are none, and finds none', async () => {
    const { list, reads, told } = bench();
    list.show(imported('gone'));
    reads[0]?.fail(new Error('the collection is not here'));
    expect(await list.find('hop-17')).toBeNull();
    expect(told).toEqual([{ type: 'questions', rows: [], problem: 'the collection is not here' }]);
  });
});
