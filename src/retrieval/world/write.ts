import type { Passage } from '../../records/records.ts';
import { toRow } from '../../records/passage-rows.ts';
import type { PassageEncoder } from '../sources/sources.ts';
import { compareCodeUnits } from '../lexical/text.ts';
import { buildWebIndex } from '../web/build.ts';
import { sha256 } from '../../base/hash.ts';
import {
  LOCAL_FILE,
  MANIFEST_FILE,
  QUESTIONS_FILE,
  VECTORS_FILE,
  WORLD_FORMAT,
  type WorldManifest,
  type WorldQuestion,
} from './manifest.ts';
import { encodeVectors } from './vectors.ts';

/** What a generator made. */
export interface WorldRecords {
  seed: number;
  /** Absent: `apart`. */
  webKind?: 'apart' | 'superset';
  local: readonly Passage[];
  web: readonly Passage[];
  questions: readonly WorldQuestion[];
}

/** What a generator returns: passages, and questions by split. */
interface WorldParts {
  seed: number;
  webKind?: 'apart' | 'superset';
  local: readonly Passage[];
  web: readonly Passage[];
  questions: Record<'train' | 'dev' | 'test', readonly Omit<WorldQuestion, 'split'>[]>;
}

/** The records of a generated world, in the order in which they are written. */
export function recordsOf({ questions, ...made }: WorldParts): WorldRecords {
  const flat = (['train', 'dev', 'test'] as const).flatMap((split) =>
    questions[split].map((question) => ({ ...question, split })),
  );
  const { seed, webKind, local, web } = made;
  return { seed, ...(webKind && { webKind }), local, web, questions: flat };
}

/** Writes one file of the folder, by its relative name. */
export type WriteFile = (name: string, bytes: Uint8Array) => Promise<void>;

/** Writes a world folder; without an encoder it has no vectors and its search is lexical only. */
export async function writeWorld(
  world: WorldRecords,
  write: WriteFile,
  encoder: PassageEncoder | null,
  onProgress?: (done: number, total: number) => void,
): Promise<WorldManifest> {
  const local = [...world.local].sort((a, b) => compareCodeUnits(a.id, b.id));
  const files = new Map([
    [LOCAL_FILE, json(local.map(toRow))],
    [QUESTIONS_FILE, json(world.questions)],
    ...buildWebIndex(world.web),
  ]);
  if (encoder) {
    files.set(VECTORS_FILE, encodeVectors(await encoder.encodePassages(local, onProgress)));
  }
  const manifest: WorldManifest = {
    format: WORLD_FORMAT,
    seed: world.seed,
    ...(world.webKind === 'superset' && { web: world.webKind }),
    counts: {
      local: local.length,
      web: world.web.length,
      questions: world.questions.length,
    },
    vectors: encoder && { dimensions: encoder.dimensions, encoder: encoder.id },
    files: {},
  };
  for (const [name, bytes] of files) {
    manifest.files[name] = { bytes: bytes.length, sha256: await sha256(bytes) };
    await write(name, bytes);
  }
  // The manifest comes last: a folder that has one is whole.
  await write(MANIFEST_FILE, json(manifest));
  return manifest;
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
