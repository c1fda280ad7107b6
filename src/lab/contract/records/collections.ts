import { z } from 'zod';
import { SCHEMAS } from '../../../formats/import/schemas/list.ts';
import { CONTAINERS, type Rejection } from '../../../formats/import/values/types.ts';

/** What is stored of a collection beside its items. Checked where it is read: another version of the page may have written it. */

const count = z.int().min(0);

const originSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file') }),
  z.strictObject({ kind: z.literal('url'), url: z.string() }),
  z.strictObject({ kind: z.literal('paste') }),
  z.strictObject({ kind: z.literal('merge') }),
]);

const sourceSchema = z.strictObject({
  name: z.string(),
  bytes: count,
  origin: originSchema,
});

const collectionSchema = z.strictObject({
  format: z.literal('forage.collection/1'),
  id: z.string().min(1).max(200),
  name: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** `building` while a merge writes it; what a closed tab left so is removed. */
  state: z.enum(['ready', 'building']),
  passages: count,
  questions: count,
  /** As stored, gzipped, and the characters of the items. */
  storedBytes: count,
  characters: count,
  /**
   * Exclusive or of the SHA-256 of all items, hexadecimal: two collections with one content have one
   * hash, in whatever order they were imported. An identity, not a protection.
   */
  hash: z.string().regex(/^[0-9a-f]{64}$/u),
  duplicates: count,
  rejected: count,
  /** The first files it came from, and how many there were. */
  sources: z.array(sourceSchema),
  sourceCount: count,
  /** Passages that other collections hold too, counted when the import ended. */
  shared: z.array(z.strictObject({ collectionId: z.string(), passages: count })),
  deletedAt: z.string().nullable(),
});

const formatSchema = z.strictObject({
  container: z.enum(CONTAINERS),
  schema: z.enum(SCHEMAS.map(({ id }) => id)),
  kind: z.enum(['questions', 'passages']),
});

/** How a file is read; absent means what is detected and the defaults. */
export const importChoiceSchema = z.strictObject({
  format: formatSchema.optional(),
  chunking: z
    .strictObject({
      maxWords: z.int().min(1).max(100_000),
      overlapSentences: z.int().min(0).max(1000),
    })
    .optional(),
  contexts: z.boolean().optional(),
});

const importSchema = z.strictObject({
  format: z.literal('forage.import/1'),
  id: z.string(),
  collectionId: z.string(),
  name: z.string(),
  origin: originSchema,
  bytes: count,
  /** Tells whether a file that is offered to continue is the same. */
  fingerprint: z.string(),
  choice: importChoiceSchema,
  startedAt: z.string(),
  /** `open` while it is read, and after a tab that read it was closed. */
  status: z.enum(['open', 'done', 'cancelled', 'failed']),
  failure: z.string().nullable(),
  position: z
    .strictObject({
      format: formatSchema,
      offset: count,
      line: count,
      item: count,
      header: z.array(z.string()).optional(),
    })
    .nullable(),
  readBytes: count,
  items: count,
  passages: count,
  questions: count,
  duplicates: count,
  rejected: count,
});

export type Origin = z.infer<typeof originSchema>;
export type Source = z.infer<typeof sourceSchema>;
export type CollectionRecord = z.infer<typeof collectionSchema>;
export type ImportRecord = z.infer<typeof importSchema>;
export type ImportChoice = z.infer<typeof importChoiceSchema>;

/** The rejected items of an import that are kept; its record counts all. */
export interface RejectedRow {
  importId: string;
  collectionId: string;
  items: Rejection[];
}

/** Rejected items that are kept with their reasons, of one file. */
export const KEPT_REJECTIONS = 1000;
/** Files that a collection names; it counts all. */
export const KEPT_SOURCES = 20;

const readable = <T>(schema: z.ZodType<T>, rows: readonly unknown[]): T[] =>
  rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });

/** Records that this version can read; the others are left where they are. */
export const readCollections = (rows: readonly unknown[]): CollectionRecord[] =>
  readable(collectionSchema, rows);
export const readImports = (rows: readonly unknown[]): ImportRecord[] =>
  readable(importSchema, rows);

export type ItemKind = 'passages' | 'questions';
