import { describe, expect, it } from 'vitest';
import type { QuestionRow } from '../../src/lab/contract/ask.ts';
import { filterQuestions, NO_FILTER } from '../../src/ui/ask/store/filters.ts';

const row = (id: string, part: Partial<QuestionRow>): QuestionRow => ({
  id,
  text: 'Who wrote Old Wolf?',
  split: 'test',
  hops: 1,
  type: 'bridge',
  localSuffices: true,
  supporting: [],
  ...part,
});

const rows = [
  row('a', {}),
  row('b', { hops: 2, localSuffices: false }),
  row('c', { type: 'yesno', text: 'Is the author of Old Wolf older?' }),
];
const ids = (filter: Partial<typeof NO_FILTER>) =>
  filterQuestions(rows, { ...NO_FILTER, ...filter }).map(({ id }) => id);

describe('the question filter', () => {
  it('narrows by hops, type, source and words, and all at once', () => {
    expect(ids({})).toEqual(['a', 'b', 'c']);
    expect(ids({ hops: 2 })).toEqual(['b']);
    expect(ids({ type: 'yesno' })).toEqual(['c']);
    expect(ids({ source: 'web' })).toEqual(['b']);
    expect(ids({ source: 'local' })).toEqual(['a', 'c']);
    expect(ids({ text: ' wolf AUTHOR ' })).toEqual(['c']);
    expect(ids({ hops: 2, source: 'local' })).toEqual([]);
  });
});
