import type {
  CollectionView,
  ImportProgress,
  PreviewOutcome,
} from '../../../src/lab/contract/collections.ts';
import type { ImportRecord } from '../../../src/lab/contract/records/collections.ts';
import { passage } from '../../fixtures/rollouts.ts';

/** Records of collections, as the lab tells them. */

export const collection = (id: string, rest: Partial<CollectionView> = {}): CollectionView => ({
  format: 'forage.collection/1',
  id,
  name: `name of ${id}`,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  state: 'ready',
  passages: 3,
  questions: 2,
  storedBytes: 1200,
  characters: 5000,
  hash: 'ab'.repeat(32),
  duplicates: 0,
  rejected: 0,
  sources: [],
  sourceCount: 0,
  shared: [],
  deletedAt: null,
  unfinished: [],
  busy: false,
  ...rest,
});

export const importProgress = (rest: Partial<ImportProgress> = {}): ImportProgress => ({
  collectionId: 'a',
  importId: 'i',
  name: 'wiki.jsonl',
  file: 1,
  files: 1,
  readBytes: 400,
  totalBytes: 1000,
  passages: 12,
  questions: 1,
  duplicates: 0,
  rejected: 0,
  heldBytes: 2000,
  ...rest,
});

/** What of an import's record the page looks at. */
export const importRecord = (rest: Partial<ImportRecord> = {}): ImportRecord =>
  ({ id: 'i', name: 'wiki.jsonl', bytes: 1000, readBytes: 400, ...rest }) as ImportRecord;

type Ready = Extract<PreviewOutcome, { status: 'ready' }>;

/** A preview of two passages in JSON lines. */
export const preview = (rest: Partial<Ready['preview']> = {}, sameFile: string[] = []): Ready => ({
  status: 'ready',
  sameFile,
  preview: {
    format: { container: 'jsonl', schema: 'passage', kind: 'passages' },
    questions: [],
    passages: [
      { hash: '1', passage: passage('p1', 'Borfield', 'A city.') },
      { hash: '2', passage: passage('p2', '<b>', '<script>alert(1)</script>') },
    ],
    rejected: [],
    progress: {
      bytes: 100,
      totalBytes: 100,
      items: 2,
      passages: 2,
      questions: 0,
      duplicates: 0,
      rejected: 0,
    },
    items: { count: 2, exact: true },
    ...rest,
  },
});
