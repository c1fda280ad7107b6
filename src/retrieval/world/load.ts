import { z } from 'zod';
import type { Passage } from '../../records/records.ts';
import type { VectorTable } from '../dense/dense.ts';
import { issueOf } from '../../base/errors.ts';
import { parseJson, type FetchFile } from '../../base/fetch-file.ts';
import { fromRow, passageRowSchema } from '../../records/passage-rows.ts';
import { sha256 } from '../../base/hash.ts';
import {
  LOCAL_FILE,
  MANIFEST_FILE,
  QUESTIONS_FILE,
  VECTORS_FILE,
  worldManifestSchema,
  worldQuestionSchema,
  type WorldManifest,
  type WorldQuestion,
} from './manifest.ts';
import { decodeVectors } from './vectors.ts';

/** A world folder in memory; the web corpus stays where it is and is fetched shard by shard. */
export interface World {
  manifest: WorldManifest;
  /** In order of id. */
  local: Passage[];
  questions: WorldQuestion[];
  /** Row i belongs to `local[i]`; null where the folder has none. */
  vectors: VectorTable | null;
}

/** Reads and checks a world folder; the error names the file and what is wrong with it. */
export async function loadWorld(fetchFile: FetchFile): Promise<World> {
  const manifest = parse(
    worldManifestSchema,
    await fetchFile(MANIFEST_FILE, { index: true }),
    MANIFEST_FILE,
  );
  const read = (name: string): Promise<Uint8Array> => readChecked(fetchFile, manifest, name);
  const [localFile, questionsFile, vectorsFile] = await Promise.all([
    read(LOCAL_FILE),
    read(QUESTIONS_FILE),
    manifest.vectors && read(VECTORS_FILE),
  ]);
  const local = parse(z.array(passageRowSchema), localFile, LOCAL_FILE).map(fromRow);
  const questions = parse(z.array(worldQuestionSchema), questionsFile, QUESTIONS_FILE);
  expectCount(LOCAL_FILE, local.length, manifest.counts.local);
  expectCount(QUESTIONS_FILE, questions.length, manifest.counts.questions);
  const vectors =
    manifest.vectors && vectorsFile
      ? decodeVectors(vectorsFile, VECTORS_FILE, local.length, manifest.vectors.dimensions)
      : null;
  return { manifest, local, questions, vectors };
}

async function readChecked(
  fetchFile: FetchFile,
  manifest: WorldManifest,
  name: string,
): Promise<Uint8Array> {
  const entry = manifest.files[name];
  if (!entry) throw new Error(`${MANIFEST_FILE}: does not list ${name}`);
  const bytes = await fetchFile(name, { bytes: entry.bytes });
  if (bytes.length !== entry.bytes) {
    throw new Error(`${name}: ${bytes.length} bytes, the manifest says ${entry.bytes}`);
  }
  if ((await sha256(bytes)) !== entry.sha256) {
    throw new Error(`${name}: differs from what the manifest describes (SHA-256)`);
  }
  return bytes;
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
  name: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(bytes, name));
  if (!parsed.success) throw new Error(`${name}: ${issueOf(parsed.error)}`);
  return parsed.data;
}

function expectCount(name: string, found: number, expected: number): void {
  if (found !== expected) {
    throw new Error(`${name}: ${found} entries, the manifest says ${expected}`);
  }
}
