import { readContents, readPassage, readTitleSentences } from './passages.ts';
import { IN_RECORDS, passagesRead, type ItemSchema } from './schema.ts';

export const contents: ItemSchema = {
  id: 'contents',
  name: 'passages (contents)',
  holds: 'passages',
  kind: 'passages',
  containers: IN_RECORDS,
  is: (item) => 'contents' in item,
  read: passagesRead((value) => [readContents(value)]),
};

export const passage: ItemSchema = {
  id: 'passage',
  name: 'passages',
  kind: 'passages',
  containers: [...IN_RECORDS, 'csv', 'tsv'],
  is: (item) => 'text' in item || 'paragraph_text' in item || 'sentences' in item,
  read: passagesRead((value) => [readPassage(value)]),
};

const isSentences = (value: unknown): boolean =>
  Array.isArray(value) && value.every((sentence) => typeof sentence === 'string');

export const titleSentences: ItemSchema = {
  id: 'title-sentences',
  name: 'passages by title',
  kind: 'passages',
  containers: ['jsonl', 'json-object'],
  is: (item) => {
    const members = Object.values(item);
    return members.length > 0 && members.every(isSentences);
  },
  read: passagesRead(readTitleSentences),
};

/** Running text, cut into passages: no item of JSON is of it. */
export const prose: ItemSchema = {
  id: 'prose',
  name: 'running text',
  kind: 'passages',
  containers: ['markdown', 'text'],
  is: () => false,
  read: passagesRead((value) => [readPassage(value)]),
};
