import { questionHash } from '../../../../formats/import/values/hash.ts';
import { freeId, KnownItems } from '../../../../formats/import/values/known.ts';
import type { ImportedPassage, ImportedQuestion } from '../../../../formats/import/values/types.ts';
import type { Passage } from '../../../../records/records.ts';
import type { CollectionsDatabase } from './database.ts';
import { unpackHashes } from './hashes.ts';
import { indexChunks, passagesIn, questionsIn } from './read.ts';
import {
  KEPT_SOURCES,
  type CollectionRecord,
  type Source,
} from '../../../contract/records/collections.ts';
import { addTo } from './write.ts';

interface MergeOptions {
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
  now: () => string;
}

/** Adds what `sources` hold to `target`: each content once, each under an id of its own. */
export async function mergeInto(
  db: CollectionsDatabase,
  target: CollectionRecord,
  sources: readonly CollectionRecord[],
  { onProgress, signal, now }: MergeOptions,
): Promise<void> {
  const known = new KnownItems();
  const total = sources.reduce((sum, { passages, questions }) => sum + passages + questions, 0);
  let done = 0;
  const add = async (
    items: { passages?: ImportedPassage[]; questions?: ImportedQuestion[] },
    read: number,
  ): Promise<void> => {
    signal?.throwIfAborted();
    const { passages = [], questions = [] } = items;
    const duplicates = read - passages.length - questions.length;
    const addition = { passages, questions, duplicates, rejected: [], import: null };
    await addTo(db, target.id, addition, now());
    done += read;
    onProgress?.(done, total);
  };
  for (const source of sources) {
    known.file = source.id;
    // Ids that had to change, for the chains of the source's questions.
    const renamed = new Map<string, string>();
    const hashes = indexChunks(db, source.id, 'passages');
    for await (const chunk of passagesIn(db, source.id)) {
      const { value } = await hashes.next();
      const own = [...unpackHashes(value?.hashes ?? new Uint8Array())];
      const passages = chunk.flatMap((passage, i) => takePassage(known, passage, own[i]!, renamed));
      await add({ passages }, chunk.length);
    }
    for await (const chunk of questionsIn(db, source.id)) {
      const taken = await Promise.all(chunk.map((q) => takeQuestion(known, q, renamed)));
      await add({ questions: taken.flat() }, chunk.length);
    }
  }
  const files: Source[] = sources.flatMap((source) => source.sources);
  await db.collections.update(target.id, {
    sources: files.slice(0, KEPT_SOURCES),
    sourceCount: sources.reduce((sum, { sourceCount }) => sum + sourceCount, 0),
  });
}

function takePassage(
  { passages, file }: KnownItems,
  passage: Passage,
  hash: string,
  renamed: Map<string, string>,
): ImportedPassage[] {
  const same = passages.idOf(hash);
  const id = same ?? freeId(passages, file, passage.id, hash);
  if (id !== passage.id) renamed.set(passage.id, id);
  if (same !== undefined) return [];
  passages.add(id, hash, file);
  return [{ passage: { ...passage, id }, hash }];
}

async function takeQuestion(
  { questions, file }: KnownItems,
  question: ImportedQuestion,
  renamed: ReadonlyMap<string, string>,
): Promise<ImportedQuestion[]> {
  const hash = await questionHash(question.text, question.answers);
  const same = questions.idOf(hash);
  if (same !== undefined && questions.taken(same, file) === 'elsewhere') return [];
  const id = freeId(questions, file, question.id, hash);
  questions.add(id, hash, file);
  const chain = question.chain?.map((step) => ({
    ...step,
    passageId: renamed.get(step.passageId) ?? step.passageId,
  }));
  return [{ ...question, id, ...(chain && { chain }) }];
}
