import { issueOf } from '../../../src/base/errors.ts';
import { BUILT_IN_SETUP, resourcesSchema } from '../../../src/records/setup.ts';
import { setupSchema } from '../../../src/retrieval/setup.ts';
import { compileFilter } from '../../../src/evaluate/rollouts/filter/match.ts';
import { FilterError } from '../../../src/evaluate/rollouts/filter/error.ts';
import { parseFilter } from '../../../src/evaluate/rollouts/filter/parse.ts';
import { printFilter } from '../../../src/evaluate/rollouts/filter/ast.ts';
import { rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { readTrajectories } from '../../../src/formats/trajectories/read.ts';
import { readDemonstrations } from '../../../src/learn/rl/demonstrations.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { appConfig, modelLines } from '../../../src/policy/remote/webllm/models.ts';
import { readRunFile, writeRunFile } from '../../../src/lab/train/records.ts';
import { importOne, ownLines } from '../../formats/rollouts/helpers.ts';
import { loggingBoard, r1Searcher, verl } from '../../fixtures/inspect/records.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { bytesOf, mutateJsonFile, mutateJsonLines, mutateText, pick, textOf } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';

/** Texts of our own formats: exported runs, trajectories, setups, model lists, filters. */

const isPlain = (error: unknown): boolean => error instanceof Error && error.name === 'Error';

const RUN = writeRunFile({
  run: {
    format: 'forage.run/6', id: 'run-a', name: 'first', tags: ['a'], notes: '', createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z', status: 'paused', settings: getTraining('ur2/paper'),
    policy: { id: 'tiny', revision: '0' }, world: { seed: 1, questions: 10 }, device: 'wasm', step: 2,
    checkpointStep: 2, failure: null, notice: null, deletedAt: null, setup: BUILT_IN_SETUP,
  },
  steps: [trainStep(1), trainStep(2)],
  state: {
    step: 2, updates: 2, warmedUp: 5, adapter: Float32Array.of(0.1, -0, 1e-40, 3e38),
    first: Float32Array.of(1, 2, 3, 4), second: Float32Array.of(5, 6, 7, 8), learningRate: 2e-3,
    curriculum: { drawn: 16 }, router: null, elapsed: 12.5,
  },
}); // prettier-ignore

const STORED = [
  { kind: 'trajectory', id: 'a', group: 'q', weight: 0.5, segments: [{ by: 'prompt', ids: [1] }, { by: 'policy', ids: [2, 3], text: 'x' }] },
  { kind: 'trajectory', id: 'b', group: 'q', segments: [{ by: 'policy', text: 'y' }, { by: 'environment', ids: [4], trained: true }] },
  { kind: 'pair', chosen: 'a', rejected: 'b' },
]
  .map((record) => `${JSON.stringify({ format: 'forage.trajectories/1', ...record })}\n`)
  .join(''); // prettier-ignore

const RESOURCES = {
  endpoints: [
    { id: 'a', url: 'http://localhost:8080/v1', model: 'm', api: 'chat', maxContext: 4096 },
  ],
  webllm: [{ id: 'b', weights: 'https://a.b/w', library: 'https://a.b/l.wasm', maxContext: 4096 }],
  mirror: { weights: 'https://a.b/m' },
};
const LISTED = {
  model_list: [
    { model: 'https://huggingface.co/a/b', model_id: 'c', model_lib: 'https://x.y/z/l.wasm' },
  ],
};

/** JSON that a schema reads; what is read is used. */
function readJson<T>(
  text: string,
  schema: { safeParse: (value: unknown) => { data?: T; error?: Parameters<typeof issueOf>[0] } },
  use: (value: T) => void,
): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['not JSON'];
  }
  const { data, error } = schema.safeParse(value);
  if (error) return [issueOf(error, 'it')];
  use(data as T);
  return [];
}

const FILTERS = [
  'em = 0 and recall >= 1 and not (think contains "not sure" or tags has "look again")',
  'answer matches /^o.l[a-z]+\\b(?:x|y)*$/im or reward.format > -0.5e3', 'tags is missing and step != 40', '"ida holm"',
] as const; // prettier-ignore
const FILTER_PIECES = [
  'and', 'or', 'not', '(', ')', '"', '/', '/(a+)+$/', '/(a|a)*b/i', '/(?:x{0,500}){0,500}/', '\\', 'contains', 'matches',
  '[^', '{1,1000}', '.*', '1e999', 'reward.', 'is present', '/\\p{L}+?\\b/', ' = ', '(((((((((((((((((((((((((((',
] as const; // prettier-ignore

const ROLLOUTS = (await Promise.all([r1Searcher, verl, loggingBoard].map(importOne))).map(
  (rollout) => {
    // A text that patterns go back in.
    const text = `${'a'.repeat(3000)}${' x'.repeat(500)}`;
    const segments = rollout.segments.map((segment) => ({ ...segment, text: segment.text + text }));
    return { row: rowOf(rollout), body: { segments } };
  },
);

export const OWN_SUBJECTS: readonly Subject[] = [
  subject<string>({
    name: 'exported runs',
    unit: 300,
    make: (random) => textOf(mutateJsonFile(bytesOf(RUN), random)),
    read: (text) => {
      const file = readRunFile(text);
      writeRunFile(file);
    },
    refuses: (error) =>
      isPlain(error) && (error as Error).message.startsWith('This file is no exported run'),
  }),
  subject<string>({
    name: 'trajectories to learn from',
    unit: 100,
    make: (random) => textOf(mutateJsonLines(bytesOf(`${pick(random, ownLines())}\n`), random)),
    read: (text) => void readDemonstrations(text, 1_000_000),
    refuses: (error) => isPlain(error) && (error as Error).message.startsWith('trajectories: '),
  }),
  subject<string>({
    name: 'stored trajectories',
    unit: 200,
    make: (random) => textOf(mutateJsonLines(bytesOf(STORED), random)),
    read: (text) => {
      const { trajectories, pairs } = readTrajectories(text);
      for (const { chosen, rejected } of pairs)
        must(
          [chosen, rejected].every((id) => trajectories.some((one) => one.id === id)),
          'a pair with nobody',
        );
    },
    refuses: (error) => isPlain(error) && (error as Error).message.startsWith('trajectories: '),
  }),
  subject<string>({
    name: 'setups',
    unit: 500,
    make: (random) => textOf(mutateJsonFile(bytesOf(JSON.stringify(BUILT_IN_SETUP)), random)),
    read: (text) => readJson(text, setupSchema, () => undefined),
    refuses: () => false,
  }),
  subject<string>({
    name: 'servers and WebLLM models',
    unit: 500,
    make: (random) => textOf(mutateJsonFile(bytesOf(JSON.stringify(RESOURCES)), random)),
    read: (text) =>
      readJson(text, resourcesSchema, ({ webllm, mirror }) => {
        const given = Object.fromEntries(Object.entries(mirror).filter(([, url]) => url));
        const config = appConfig(LISTED, 'https://x.y/z/', webllm, given);
        for (const line of modelLines(config, webllm))
          must(line.id !== '', 'a model without a name');
      }),
    refuses: () => false,
  }),
  subject<string>({
    name: 'filters',
    unit: 1000,
    make: (random) => mutateText(pick(random, FILTERS), random, FILTER_PIECES),
    read: (text) => {
      const filter = parseFilter(text);
      must(printFilter(parseFilter(printFilter(filter))) === printFilter(filter), 'another filter');
      const compiled = compileFilter(filter);
      for (const { row, body } of ROLLOUTS) compiled.rollout(row, body);
    },
    refuses: (error) => error instanceof FilterError,
  }),
];
