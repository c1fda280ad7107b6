import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { itemAt } from '../../base/items.ts';
import { createTurns } from '../../base/turns.ts';
import {
  aboutIndex,
  passageLine,
  probesOf,
  type IndexedPassages,
} from '../../handover/faiss/folder.ts';
import { faissIndex } from '../../handover/faiss/index-ivf-pq.ts';
import type { Passage } from '../../records/records.ts';
import { buildClusters } from '../../retrieval/cluster/build.ts';
import type { VectorTable } from '../../retrieval/dense/dense.ts';
import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { ENCODER_MANIFEST } from '../../retrieval/encoder/manifest.ts';
import { withManifest } from '../../retrieval/encoder/sentence-transformers.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import { fetchFromDisk, openOrtFromDisk } from '../shared/build-world.ts';
import { endProgress, print, say, sayProgress } from '../shared/command.ts';
import { diskFolder } from '../shared/disk-folder.ts';
import { readCorpus, readQuestions } from '../shared/import-files.ts';
import { fillFolder } from '../shared/empty-folder.ts';
import { version } from './export-source.ts';
import {
  UsageError,
  type OptionLists,
  type OptionSpec,
  type OptionValues,
} from '../shared/options.ts';
import { builtIn, projectPath } from '../shared/paths.ts';

/** Queries that recall is measured with. */
const QUERIES = 64;
/** Above this many bytes of refinement codes the second stage is not built, only to measure it. */
const MOST_REFINED = 2 ** 28;

/** Options of `lab export` that apply only to an index. */
export const INDEX_OPTIONS = {
  index: {
    type: 'string',
    help: 'write passages with their cluster index instead of an experiment',
    choices: ['faiss'],
  },
  corpus: {
    type: 'string',
    value: 'FILE',
    help: "with --index: passages instead of the world's; may be repeated",
    multiple: true,
  },
  questions: {
    type: 'string',
    value: 'FILE',
    help: "with --index: questions to measure recall with (default: the world's, else titles)",
  },
  encoder: {
    type: 'string',
    value: 'DIR',
    help: 'with --index: ONNX encoder (default: the built-in one)',
  },
} as const satisfies Record<string, OptionSpec>;

/** Options that mean something for an index; whatever else is given is of an experiment. */
const READ = new Set([...Object.keys(INDEX_OPTIONS), 'world', 'out', 'json']);

interface FaissOptions {
  out: string;
  /** World folder; undefined: the built-in one. */
  world: string | undefined;
  /** Files of passages in place of the world's. */
  corpus: readonly string[] | undefined;
  /** File of questions in place of the world's, to measure recall with. */
  questions: string | undefined;
  /** Folder of an ONNX encoder; undefined: the built-in one. */
  encoder: string | undefined;
}

/**
 * `lab export --index faiss`.
 * @throws UsageError where an option is of an experiment, or a file or folder not what it should be
 */
export async function exportIndex(values: OptionValues, lists: OptionLists): Promise<void> {
  const strange = [...Object.entries(values), ...Object.entries(lists)].find(
    ([name, value]) => value !== undefined && !READ.has(name),
  );
  if (strange)
    throw new UsageError(
      `--${strange[0]} applies only to an experiment, not to --index faiss; leave it out.`,
    );
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const out = resolve(String(values.out));
  await fillFolder(out, () =>
    exportFaiss({
      out,
      world: text('world'),
      corpus: lists['corpus'],
      questions: text('questions'),
      encoder: text('encoder'),
    }),
  );
  if (values.json) print(JSON.stringify({ out, files: await readdir(out) }));
}

/** Writes passages, their cluster index as FAISS reads it, the encoder and a search over them. */
async function exportFaiss(options: FaissOptions): Promise<void> {
  const { out } = options;
  const world = options.corpus ? null : await openWorldFolder(options.world);
  const passages = world ? world.local : await readCorpus(options.corpus ?? [], say);
  const folder = options.encoder ?? builtIn('encoder');
  if (!existsSync(folder)) throw new UsageError(`${folder} is not the folder of an encoder.`);
  const read = await withManifest(diskFolder(folder), 'encoder');
  const encoder = await OnnxEncoder.open(read, openOrtFromDisk);
  try {
    const vectors = await vectorsOf(encoder, passages, world);
    const queries = await queriesOf(encoder, await questionTexts(options, passages, world));
    const refineBits = vectors.values.length <= MOST_REFINED ? 8 : 0;
    const built = await buildClusters(
      vectors,
      { refineBits },
      {
        pause: createTurns(),
        onProgress: (stage, done, total) => sayProgress(`${stage}: ${done}/${total}`),
      },
    );
    endProgress();
    const indexed: IndexedPassages = {
      parts: built,
      vectors,
      encoder: encoder.manifest,
      queries,
      version: version(),
    };
    await mkdir(join(out, 'encoder'), { recursive: true });
    // Codes and lists are the same with a second stage and without one.
    const index = faissIndex({ ...built, refinement: null }, probesOf(built));
    await writeFile(join(out, 'index.faiss'), index);
    await writeFile(join(out, 'passages.jsonl'), lines(passages));
    for (const [name, text] of Object.entries(aboutIndex(indexed)))
      await writeFile(join(out, name), text);
    await copyEncoder(encoder, folder, join(out, 'encoder'));
    const files = projectPath('src/handover/files/faiss');
    for (const name of await readdir(files)) await copyFile(join(files, name), join(out, name));
    const lists = built.offsets.length - 1;
    say(`${out}: ${passages.length} passages in ${lists} lists, ${encoder.dimensions} dimensions.`);
    say(
      'The second stage (refineBits) is left out: FAISS does not support its scales. README.md says what that costs.',
    );
  } finally {
    await encoder.dispose();
  }
}

async function openWorldFolder(given: string | undefined): Promise<World> {
  const folder = given ?? builtIn('world');
  if (!existsSync(join(folder, 'manifest.json')))
    throw new UsageError(`${folder} is not a world folder: manifest.json is missing.`);
  return loadWorld(fetchFromDisk(folder));
}

/** The world's own vectors where this encoder made them. */
async function vectorsOf(
  encoder: OnnxEncoder,
  passages: readonly Passage[],
  world: World | null,
): Promise<VectorTable> {
  if (world?.vectors && world.manifest.vectors?.encoder === encoder.id) return world.vectors;
  const vectors = await encoder.encodePassages(passages, (done, total) =>
    sayProgress(`encoding passages ${done}/${total}`),
  );
  endProgress();
  return vectors;
}

/** At most this many items, over the whole list. */
const evenly = <T>(items: readonly T[], most: number): T[] =>
  Array.from({ length: Math.min(most, items.length) }, (_, i) =>
    itemAt(items, Math.floor((i * items.length) / Math.min(most, items.length))),
  );

/** Questions over all of them evenly; titles of passages where there are none. */
async function questionTexts(
  { questions }: FaissOptions,
  passages: readonly Passage[],
  world: World | null,
): Promise<string[]> {
  if (questions !== undefined)
    return evenly((await readQuestions(questions, say)).questions, QUERIES).map(({ text }) => text);
  if (world) return evenly(world.questions, QUERIES).map(({ text }) => text);
  return evenly(passages, QUERIES).map(({ title, text }) => title || text.slice(0, 100));
}

const queriesOf = async (encoder: OnnxEncoder, texts: readonly string[]) => {
  const queries: { text: string; vector: Float32Array }[] = [];
  for (const text of texts) queries.push({ text, vector: await encoder.encodeQuery(text) });
  return queries;
};

function* lines(passages: readonly Passage[]): Generator<string> {
  for (const passage of passages) yield passageLine(passage);
}

/** Model and tokenizer below the names that the manifest gives them, and the manifest. */
async function copyEncoder({ manifest }: OnnxEncoder, from: string, to: string): Promise<void> {
  await writeFile(join(to, ENCODER_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of [manifest.model, manifest.tokenizer]) {
    await mkdir(dirname(join(to, name)), { recursive: true });
    await copyFile(join(from, name), join(to, name));
  }
}
