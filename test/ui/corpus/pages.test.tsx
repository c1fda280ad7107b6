import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { CollectionsTable } from '../../../src/ui/corpus/CollectionsTable.tsx';
import { ImportJob } from '../../../src/ui/corpus/CorpusPage.tsx';
import { PendingImport } from '../../../src/ui/corpus/import/PendingImport.tsx';
import { Notices } from '../../../src/ui/corpus/Notices.tsx';
import { ConnectionResult } from '../../../src/ui/corpus/WebSourceForm.tsx';
import {
  useCollections,
  type PendingImport as Pending,
} from '../../../src/ui/corpus/store/collections-store.ts';
import { askQuestionsOf, searchCollections } from '../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../src/ui/setup/setup-store.ts';
import { buttonsIn, htmlOf, linksIn, rowsIn, valuesOf, wordsIn } from '../kit/render.tsx';
import { collection, importProgress, importRecord, preview } from './views.ts';

const set = useCollections.setState;

beforeEach(() => {
  set(useCollections.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('the table of collections', () => {
  const table = () => htmlOf(<CollectionsTable />, useCollections, useSetup);

  it('says what each holds, where it is from, and whether runs use it', () => {
    searchCollections(['a']);
    askQuestionsOf(['a']);
    set({
      collections: [
        collection('a', {
          name: '<Wiki>',
          passages: 1200,
          rejected: 2,
          sources: [{ name: 'w.jsonl', bytes: 1, origin: { kind: 'file' } }],
          sourceCount: 3,
          shared: [
            { collectionId: 'b', passages: 5 },
            { collectionId: 'gone', passages: 9 },
          ],
        }),
        collection('b', { name: 'B' }),
      ],
    });
    const html = table();
    const [head, first, second] = rowsIn(html);
    expect(head).toEqual([
      'choose',
      'collection',
      'passages',
      'questions',
      'stored',
      'from',
      'content hash',
      'actions',
    ]);
    expect(first?.slice(1, 7)).toEqual([
      '<Wiki> searchedasked 2 items rejected 5 passages also in “B”',
      '1,200',
      '2',
      '1.2 kB',
      'w.jsonl and 2 other files',
      'abababab'.padEnd(10, 'ab'),
    ]);
    expect(second?.[1]).toBe('B');
    expect(linksIn(html)[0]?.href).toBe('/corpus?collection=a');
    // What is done with a row is said with its name.
    expect(buttonsIn(html).map(({ name }) => name)).toEqual([
      'Edit and export <Wiki>',
      'Delete <Wiki>',
      'Edit and export B',
      'Delete B',
    ]);
  });

  it('lets an import that was stopped go on, unless the collection is being written', () => {
    const unfinished = [
      importRecord({ status: 'failed', failure: 'the disk is full', origin: { kind: 'file' } }),
    ];
    set({ collections: [collection('a', { unfinished })] });
    expect(wordsIn(table())).toContain(
      '⚠ The import of wiki.jsonl failed at 400 B of 1 kB: the disk is full',
    );
    expect(buttonsIn(table()).map(({ name }) => name)).toContain('Resume');
    set({ collections: [collection('a', { unfinished, busy: true })] });
    expect(wordsIn(table())).toContain('being written …');
    expect(buttonsIn(table()).find(({ name }) => name.startsWith('Delete'))?.disabled).toBe(true);
  });
});

describe('files that wait to be imported', () => {
  const pending = (rest: Partial<Pending> = {}): string => {
    set({
      pending: {
        files: [
          { file: new File(['12345'], 'w.jsonl'), name: 'w.jsonl', origin: { kind: 'file' } },
        ],
        leftOut: 0,
        shown: 0,
        into: null,
        name: 'w',
        choice: {},
        preview: preview(),
        ...rest,
      },
    });
    return htmlOf(<PendingImport />, useCollections);
  };
  const button = (html: string) => buttonsIn(html).find(({ name }) => name === 'Import');

  it('are nothing where there are none', () => {
    expect(htmlOf(<PendingImport />, useCollections)).toBe('');
  });

  it('say what they are and what becomes of them; their text is text', () => {
    const html = pending();
    expect(wordsIn(html)).toContain('w.jsonl5 B');
    expect(wordsIn(html)).toContain('passages, JSON lines, 2 items: 2 passages, none to reject.');
    expect(wordsIn(html)).toContain('<script>alert(1)</script>');
    expect(html).not.toContain('<script>');
    expect(button(html)?.disabled).toBe(false);
  });

  it('are estimated where not all of them was read', () => {
    const { progress } = preview().preview;
    const some = preview({
      items: { count: 9000, exact: false },
      progress: { ...progress, items: 100, passages: 90, duplicates: 3, rejected: 7 },
      rejected: [{ line: 4, item: 3, key: 'text', expected: 'a text' }] as ReturnType<
        typeof preview
      >['preview']['rejected'],
    });
    const html = pending({ preview: some });
    expect(wordsIn(html)).toContain(
      '≈ 9,000 items; of the first 100: 90 passages, 3 duplicates to skip, 7 to reject.',
    );
    expect(rowsIn(html)).toEqual([
      ['line', 'key', 'why it is rejected'],
      ['4', 'text', 'a text'],
    ]);
  });

  it('say that they were imported already', () => {
    expect(wordsIn(pending({ preview: preview({}, ['Old', 'Older']) }))).toContain(
      'This file was already imported into “Old”, “Older”.',
    );
  });

  it.each<[string, Partial<Pending>, string, boolean]>([
    ['being looked at', { preview: null }, 'Reading the file …', true],
    [
      'unreadable',
      { preview: { status: 'failed', message: 'no JSON' } },
      '⚠ This file cannot be read: no JSON. Choose another format or another file.',
      true,
    ],
    [
      'empty',
      { preview: { status: 'failed', message: 'the file is empty' } },
      '⚠ The file is empty. Choose another file.',
      true,
    ],
    ['without an item', { preview: preview({ passages: [] }) }, 'passages, JSON lines', true],
  ])('cannot be imported while %s', (_, rest, words, disabled) => {
    const html = pending(rest);
    expect(wordsIn(html)).toContain(words);
    expect(button(html)?.disabled).toBe(disabled);
  });

  it('can be imported although one of several cannot be read', () => {
    const file = {
      file: new File(['1'], 'a.csv'),
      name: 'a.csv',
      origin: { kind: 'file' },
    } as const;
    const html = pending({
      files: [file, { ...file, name: 'b.csv' }],
      leftOut: 2,
      preview: { status: 'failed', message: 'no header' },
    });
    expect(wordsIn(html)).toContain('2 files, 2 B; 2 files of other kinds left out');
    expect(wordsIn(html)).toContain('The other files can be imported.');
    expect(button(html)?.disabled).toBe(false);
    expect(valuesOf(html, 'aria-label')).toContain('File in the preview');
  });

  it('wait for the job under way', () => {
    set({
      job: {
        kind: 'merge',
        name: 'A',
        startedAt: 0,
        done: 0,
        total: 0,
        startedDone: 0,
        progress: null,
        cancelling: false,
      },
    });
    expect(button(pending())?.disabled).toBe(true);
  });
});

describe('the job under way', () => {
  const job = { name: 'wiki', startedAt: 0, startedDone: 0, progress: null, cancelling: false };
  const show = () => wordsIn(htmlOf(<ImportJob />, useCollections));

  it.each([
    [
      { ...job, kind: 'fetch', name: 'https://a/x', done: 500, total: 0 },
      'Fetching https://a/x500 B',
    ],
    [{ ...job, kind: 'merge', done: 20, total: 1000 }, 'Merging wiki20 of 1,000 items'],
    [
      {
        ...job,
        kind: 'import',
        done: 400,
        total: 1000,
        progress: importProgress({ file: 2, files: 3, rejected: 4 }),
      },
      'Importing wiki.jsonl400 B of 1 kB',
    ],
  ] as const)('%# says how far it is', (state, words) => {
    set({ job: state });
    expect(show()).toContain(words);
    expect(show()).toContain('Cancel');
    if (state.progress)
      expect(show()).toContain('file 2 of 3 · so far 12 passages · 1 question · 4 rejected');
  });

  it('that is being stopped cannot be stopped twice', () => {
    set({ job: { ...job, kind: 'import', done: 0, total: 1, cancelling: true } });
    expect(buttonsIn(htmlOf(<ImportJob />, useCollections))).toMatchObject([
      { name: 'Stopping …', disabled: true },
    ]);
  });
});

describe('what is said of the collections', () => {
  it('is a problem with its details, a notice, and what can be brought back', () => {
    set({
      problem: { text: 'It failed.', detail: 'stack' },
      notice: 'Done.',
      removed: [
        {
          id: 'a',
          name: 'A',
          uses: {
            searched: {
              kind: 'collections',
              method: 'lexical',
              encoder: 'built-in',
              reranker: null,
            },
            asked: true,
          },
          at: Date.now(),
        },
        { id: 'b', name: 'B', uses: { searched: null, asked: false }, at: Date.now() },
        // Its space is freed by now.
        { id: 'c', name: 'C', uses: { searched: null, asked: false }, at: Date.now() - 300_000 },
      ],
    });
    const html = htmlOf(<Notices />, useCollections);
    expect(wordsIn(html)).toContain('⚠ It failed.Copy details');
    expect(wordsIn(html)).toContain('Deleted “A”; runs search and ask without it now. Undo');
    expect(wordsIn(html)).toContain('Deleted “B”. Undo');
    expect(wordsIn(html)).not.toContain('“C”');
    expect(buttonsIn(html).map(({ name }) => name)).toContain('Free the space now');
    set({ problem: { text: 'x', detail: '' }, removed: [] });
    expect(buttonsIn(htmlOf(<Notices />, useCollections)).map(({ name }) => name)).toEqual([
      'Hide this problem',
      'Hide this message',
    ]);
  });
});

describe('a test of a connection', () => {
  const report = {
    outcome: 'ok',
    said: 'It answered.',
    advice: '',
    status: 200,
    latencyMs: 12,
    requests: 1,
    bytes: 2500,
    sample: null,
  } as const;
  const result = (rest: object) => htmlOf(<ConnectionResult report={{ ...report, ...rest }} />);

  it('says what came, in how long, and a sample as text', () => {
    const html = result({ sample: { title: '<b>T</b>', text: 'x'.repeat(300) } });
    expect(wordsIn(html)).toContain(`✓ It answered. <b>T</b> ${'x'.repeat(240)}…`);
    expect(wordsIn(html)).toContain('12 ms · 1 request · 2.5 kB');
  });

  it('that failed says what to do next', () => {
    const html = result({
      outcome: 'cors',
      said: 'It may not be read.',
      advice: 'Allow this page.',
    });
    expect(wordsIn(html)).toContain('⚠ It may not be read. Allow this page.');
    expect(html).toContain('tone-bad');
    expect(result({ outcome: 'empty' })).toContain('tone-hint');
  });
});
