import { beforeEach, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../src/records/setup.ts';
import { FORMATS, formatKey, formatWords } from '../../src/ui/corpus/import/PendingImport.tsx';
import { FetchError, parseFileUrl } from '../../src/ui/corpus/store/fetch-file.ts';
import { pickedFiles } from '../../src/ui/corpus/import/dropped-files.ts';
import { secondsLeft } from '../../src/ui/corpus/store/collections-store.ts';
import {
  askQuestionsOf,
  changeSearch,
  forgetCollection,
  questionSetsOf,
  chooseSource,
  searchCollections,
  searchWeb,
  takeUp,
} from '../../src/ui/setup/search-with.ts';
import { useSetup } from '../../src/ui/setup/setup-store.ts';

beforeEach(() => {
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

const local = () => useSetup.getState().setup.local;

it('searches collections as chosen, and the built-in world where none is left', () => {
  changeSearch({ method: 'hybrid' });
  expect(local()).toEqual({ kind: 'built-in' });
  searchCollections(['a', 'b']);
  changeSearch({ method: 'hybrid' });
  searchCollections(['a', 'b', 'c']);
  expect(local()).toEqual({
    kind: 'collections',
    ids: ['a', 'b', 'c'],
    method: 'hybrid',
    encoder: 'built-in',
    reranker: null,
  });
  searchCollections([]);
  expect(local()).toEqual({ kind: 'built-in' });
});

it('searches only collections, unless a custom web source is set', () => {
  const source = () => useSetup.getState().setup.source;
  const wiki = { kind: 'mediawiki', url: 'https://wiki.example/w/api.php' } as const;
  const otherWiki = { ...wiki, url: 'https://other.example/w/api.php' };
  expect(source()).toBe('recipe');
  searchCollections(['a']);
  expect(source()).toBe('local');
  searchWeb(wiki);
  expect(source()).toBe('recipe');
  searchCollections(['a', 'b']);
  expect(source()).toBe('recipe');
  // What is chosen by hand stays while the kinds of both sources stay.
  chooseSource('local');
  searchWeb(otherWiki);
  forgetCollection('b');
  expect(source()).toBe('local');
  searchWeb({ kind: 'built-in' });
  expect(source()).toBe('local');
  searchCollections([]);
  expect(source()).toBe('recipe');
});

it('a deleted collection is used no more; brought back, it is used as before', () => {
  searchCollections(['a', 'b']);
  changeSearch({ method: 'hybrid' });
  askQuestionsOf(['b']);
  const uses = forgetCollection('b');
  expect(uses).toEqual({
    searched: { kind: 'collections', method: 'hybrid', encoder: 'built-in', reranker: null },
    asked: true,
  });
  expect(local()).toMatchObject({ ids: ['a'] });
  expect(questionSetsOf(useSetup.getState().setup)).toEqual([]);
  takeUp('b', uses);
  takeUp('b', uses);
  expect(local()).toMatchObject({ ids: ['a', 'b'] });
  expect(questionSetsOf(useSetup.getState().setup)).toEqual(['b']);
  expect(forgetCollection('unknown')).toEqual({ searched: null, asked: false });
});

it('tells the time that is left from what was done since the job began', () => {
  const job = {
    startedAt: 1000,
    startedDone: 100,
    done: 300,
    total: 1100,
    progress: null,
    cancelling: false,
  };
  // 200 in 2 s: the other 800 take 8 s.
  expect(secondsLeft(job, 3000)).toBe(8);
  expect(secondsLeft({ ...job, done: 100 }, 3000)).toBeNull();
  expect(secondsLeft(job, 1100)).toBeNull();
});

it('takes addresses of files, and says what is wrong with others', () => {
  expect(parseFileUrl(' https://a.example/b.jsonl ').href).toBe('https://a.example/b.jsonl');
  for (const [text, words] of [
    ['b.jsonl', /not an address/u],
    ['ftp://a/b', /found ftp:/u],
    ['javascript:alert(1)', /found javascript:/u],
  ] as const) {
    expect(() => parseFileUrl(text)).toThrow(words);
    expect(() => parseFileUrl(text)).toThrow(FetchError);
  }
});

it('of a folder takes the files it can read, in order; of chosen files all', () => {
  const file = (path: string): File => {
    const made = new File(['x'], path.split('/').at(-1)!);
    Object.defineProperty(made, 'webkitRelativePath', { value: path.includes('/') ? path : '' });
    return made;
  };
  const folder = pickedFiles(['d/b.md', 'd/a/x.jsonl', 'd/photo.png', 'd/.hidden.md'].map(file));
  expect(folder).toMatchObject({ folder: 'd', leftOut: 2 });
  expect(folder.files.map(({ name }) => name)).toEqual(['d/a/x.jsonl', 'd/b.md']);
  expect(pickedFiles([file('data'), file('y.bin')]).files).toHaveLength(2);
});

it('gives every format a distinct name', () => {
  expect(new Set(FORMATS.map(formatKey)).size).toBe(FORMATS.length);
  expect(new Set(FORMATS.map(formatWords)).size).toBe(FORMATS.length);
  expect(formatWords(FORMATS[0]!)).toBe('HotpotQA questions, JSON lines');
});
