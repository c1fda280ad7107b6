import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { importAll, previewImport } from '../../../src/formats/import/collect.ts';
import { ImportError } from '../../../src/formats/import/values/types.ts';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';
import { lintRollout } from '../../../src/evaluate/rollouts/lint/index.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { summaryOf } from '../../../src/evaluate/rollouts/lint/run.ts';
import { FILES } from '../../fixtures/import/whole-files.ts';
import { ownLines, readAll } from '../../formats/rollouts/helpers.ts';
import { zipSync } from 'fflate';
import { OTHER_SYSTEMS } from '../../fixtures/inspect/other-systems.ts';
import { FOREIGN, trl } from '../../fixtures/inspect/records.ts';
import type { Random } from '../../../src/base/random.ts';
import { bytesOf, mutateBytes, mutateJsonFile, mutateJsonLines, pick } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { writeRollout } from '../../../src/formats/rollouts/write.ts';
import { ImportError as RolloutImportError } from '../../../src/formats/rollouts/import.ts';
import { roundsOf } from '../../../src/formats/rollouts/rounds.ts';

/** Files of questions, passages and rollouts. */

const BY_CONTAINER: Record<string, (bytes: Uint8Array, random: Random) => Uint8Array<ArrayBuffer>> =
  {
    jsonl: mutateJsonLines,
    'json-array': mutateJsonFile,
    'json-object': mutateJsonFile,
  };

interface Broken {
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether the format is told, or has to be detected. */
  told: boolean;
}

async function readFile(name: string, { bytes, told }: Broken): Promise<readonly string[]> {
  const { format } = FILES[name]!;
  const blob = new Blob([bytes]);
  if (!told) await previewImport(blob, { name: 'a.md' });
  const { questions, passages, rejected } = await importAll(blob, told ? { format } : {});
  for (const { passage } of passages) {
    must(passage.text === passage.sentences.join(' '), 'a text that is not its sentences');
    must(passage.text !== '', 'an empty passage');
  }
  for (const { text, answers } of questions)
    must(text !== '' && answers.length > 0, 'a question without text or answer');
  return rejected.map(({ key, expected }) => `${key}: ${expected}`);
}

const files = Object.entries(FILES).map(([name, { bytes, format }]) =>
  subject<Broken>({
    name: `questions and passages: ${name}`,
    unit: 120,
    make: (random) => ({
      bytes: (BY_CONTAINER[format.container] ?? mutateBytes)(bytes, random),
      told: random.uniform() < 0.7,
    }),
    read: (broken) => readFile(name, broken),
    refuses: (error) => error instanceof ImportError && error.message.startsWith('expected'),
  }),
);

const RECORDS = [
  ...Object.values(FOREIGN).map((one) => JSON.stringify(one)),
  ...Object.values(OTHER_SYSTEMS).map(([record]) => JSON.stringify(record)),
  ...ownLines(),
];

/** A log of Inspect AI: samples as documents of their own in a zip file. */
const EVAL_LOG = zipSync(
  Object.fromEntries(
    [1, 2, 3].map((epoch) => [
      `samples/a_epoch_${epoch}.json`,
      bytesOf(JSON.stringify({ ...OTHER_SYSTEMS['Inspect AI']![0], epoch })),
    ]),
  ),
).slice();

/** The same by Inspect AI itself, packed by Zstandard, and episodes of verifiers. */
const logFile = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/inspect/logs/${name}`, import.meta.url)));
const ZSTANDARD_LOG = logFile('inspect-zstd.eval');
const TRACES = logFile('verifiers-traces.jsonl');

const FOREIGN_LIST = Object.values(FOREIGN);
const DOCUMENTS = [
  JSON.stringify(FOREIGN_LIST),
  JSON.stringify(FOREIGN_LIST, null, 2),
  JSON.stringify({ samples: FOREIGN_LIST }, null, 1),
];
const PACKED = [RECORDS.slice(0, 2).join('\n'), DOCUMENTS[1] ?? ''].map(
  (text) => new Uint8Array(gzipSync(text)),
);

const STEPS = [trl, { ...trl, step: 8, accuracy_reward: 0, advantage: -0.5 }];
const textColumn = (name: string) => ({
  name,
  data: STEPS.map((row) => row[name]),
  type: 'STRING' as const,
});
const numberColumn = (name: string) => ({
  name,
  data: STEPS.map((row) => row[name]),
  type: 'DOUBLE' as const,
});
const PARQUET = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      {
        name: 'step',
        data: STEPS.map(({ step }) => BigInt(step as number)),
        type: 'INT64' as const,
      },
      ...['prompt', 'completion', 'solution'].map(textColumn),
      ...['accuracy_reward', 'advantage'].map(numberColumn),
    ],
    rowGroupSize: 1,
  }),
);

/** By pyarrow, pages of both versions. */
const CODECS = ['zstd', 'gzip', 'brotli', 'lz4'].map((codec) => {
  const file = (version: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(
      readFileSync(
        new URL(`../../fixtures/parquet/trl-${codec}-v${version}.parquet`, import.meta.url),
      ),
    );
  return [codec, [file(1), file(2)]] as const;
});

/** Every record that is let through is one that every reader of the inspector can read. */
function useRollout(rollout: ImportedRollout): void {
  must(faultOf(JSON.parse(writeRollout(rollout, 'forage'))) === null, 'not written back');
  for (const { segment, start, end } of roundsOf(rollout).flatMap((round) => round.passages))
    must(
      rollout.segments[segment]!.text.slice(start, end).length === end - start,
      'a span outside',
    );
  for (const layout of ['verl', 'rl-logging-board'] as const)
    must(writeRollout(rollout, layout) !== '', 'nothing in another layout');
  const { scores } = readFactsOf(rollout);
  must(rollout.notScored === undefined || scores === null, 'a score of an answer that is not read');
  readFactsOf(rollout);
  lintRollout(rollout);
  summaryOf(rollout);
}

async function readRollouts(bytes: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const item of await readAll(new Blob([bytes]))) {
    if (item.kind === 'fault') reasons.push(item.reason);
    else useRollout(item.rollout);
  }
  return reasons;
}

const rolloutFile = (
  name: string,
  make: (random: Random) => Uint8Array<ArrayBuffer>,
): Subject<Uint8Array<ArrayBuffer>> => ({
  name,
  unit: 150,
  make,
  read: readRollouts,
  refuses: (error) => error instanceof RolloutImportError,
});

export const IMPORT_SUBJECTS: readonly Subject[] = [
  ...files,
  subject(
    rolloutFile('rollouts: JSON lines', (random) =>
      mutateJsonLines(bytesOf(`${pick(random, RECORDS)}\n${pick(random, RECORDS)}\n`), random),
    ),
  ),
  subject(
    rolloutFile('rollouts: JSON documents', (random) =>
      mutateBytes(bytesOf(pick(random, DOCUMENTS)), random),
    ),
  ),
  subject(rolloutFile('rollouts: gzip', (random) => mutateBytes(pick(random, PACKED), random))),
  subject(
    rolloutFile('rollouts: UTF-16', (random) =>
      mutateBytes(new Uint8Array(Buffer.from(`\uFEFF${pick(random, RECORDS)}`, 'utf16le')), random),
    ),
  ),
  subject(rolloutFile('rollouts: parquet', (random) => mutateBytes(PARQUET, random))),
  ...CODECS.map(([codec, files]) =>
    subject(
      rolloutFile(`rollouts: parquet with ${codec}`, (random) =>
        mutateBytes(pick(random, files), random),
      ),
    ),
  ),
  subject(rolloutFile('rollouts: Inspect AI logs', (random) => mutateBytes(EVAL_LOG, random))),
  subject(
    rolloutFile('rollouts: Inspect AI logs with zstd', (random) =>
      mutateBytes(ZSTANDARD_LOG, random),
    ),
  ),
  subject(
    rolloutFile('rollouts: traces of verifiers', (random) => mutateJsonLines(TRACES, random)),
  ),
];
