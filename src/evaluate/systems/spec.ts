import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { getRecipe } from '../../systems/index.ts';
import { setupSchema } from '../../retrieval/setup.ts';
import { parseCustomSystem, type CustomSystem } from './custom.ts';

/**
 * What an evaluation was asked for: every system with every policy and every retrieval setting, on every
 * question with every seed. As JSON it is the file that repeats the evaluation.
 */

const count = z.int().min(1);
const id = z.string().min(1).max(200);
const setup = setupSchema.shape;

const policySchema = z.discriminatedUnion('kind', [
  /** A policy as it is: built in, a checkpoint of this device, a WebLLM model, a server. */
  z.strictObject({ kind: z.literal('base'), policy: setup.policy }),
  /** The adapter of a stored run; `step` null: of its last snapshot. */
  z.strictObject({ kind: z.literal('run'), run: id, step: z.int().min(0).nullable() }),
  /**
   * On the command line: folders of a checkpoint, of an adapter, of a run; absent: the built-in policy alone. `step` of the
   * run; absent: its last.
   */
  z.strictObject({
    kind: z.literal('folders'),
    policy: z.string().optional(),
    adapter: z.string().optional(),
    run: z.string().optional(),
    step: z.int().min(0).optional(),
  }),
]);

const limit = count.max(100_000).nullable();
const split = z.enum(['train', 'dev', 'test', 'all']);

const questionsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('built-in'), split, limit }),
  /** A world that nothing here was trained on, made from its seed; `limit`: its first questions. */
  z.strictObject({
    kind: z.literal('fresh'),
    seed: z.int().min(0).max(0xffffffff),
    split,
    limit,
  }),
  /** Questions that were imported on this device. */
  z.strictObject({ kind: z.literal('collections'), ids: z.array(id).min(1).max(50), split, limit }),
  /** On the command line: a folder of a world, files of passages and questions. */
  z.strictObject({
    kind: z.literal('files'),
    world: z.string().optional(),
    corpus: z.array(z.string()).optional(),
    method: z.string().optional(),
    questions: z.string().optional(),
    split,
    limit,
  }),
]);

/** What is searched, and how; a field that is absent stays as each system has it. */
const retrievalSchema = z.strictObject({
  /** Passages per search returns. */
  k: z.int().min(1).max(20).optional(),
  maxSearches: z.int().min(0).max(64).optional(),
  source: z.enum(['local', 'web', 'both', 'router']).optional(),
  /** Passages and search engine in the place of the world's own. */
  local: setup.local.optional(),
  web: setup.web.optional(),
});

const specSchema = z.strictObject({
  format: z.literal('forage.evaluation/1'),
  /** A recipe by its id, or a whole custom system. */
  systems: z
    .array(z.union([z.string(), z.unknown()]))
    .min(1)
    .max(200),
  policies: z.array(policySchema).min(1).max(50),
  questions: z.array(questionsSchema).min(1).max(20),
  /** Of the sampling: every question is asked once with each. */
  seeds: z.array(z.int().min(0).max(0xffffffff)).min(1).max(50),
  retrieval: z.array(retrievalSchema).min(1).max(20).default([{}]),
  temperature: z.number().min(0).max(4),
  /** How π(a|s) of routed systems becomes a choice. */
  routing: z.enum(['argmax', 'sampled']).default('argmax'),
  summarizer: setup.summarizer.default({ kind: 'extractive' }),
  judge: setup.judge.default({ kind: 'off' }),
});

export type EvaluatedPolicy = z.infer<typeof policySchema>;
export type QuestionsSource = z.infer<typeof questionsSchema>;
export type RetrievalChange = z.infer<typeof retrievalSchema>;
export type SystemChoice = string | CustomSystem;
export type EvaluationSpec = Omit<z.infer<typeof specSchema>, 'systems'> & {
  systems: SystemChoice[];
};

/** What a page begins with. */
export const DEFAULT_SPEC: EvaluationSpec = {
  format: 'forage.evaluation/1',
  systems: ['search', 'naive-rag', 'naive-generation'],
  policies: [{ kind: 'base', policy: { kind: 'built-in' } }],
  questions: [{ kind: 'built-in', split: 'test', limit: 50 }],
  seeds: [1],
  retrieval: [{}],
  temperature: 0.3,
  routing: 'argmax',
  summarizer: { kind: 'extractive' },
  judge: { kind: 'off' },
};

/** @throws Error for a name twice: its rows could not be distinguished */
function checkDistinct(values: readonly unknown[], what: string): void {
  const seen = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value);
    if (seen.has(text)) throw new Error(`evaluation: ${what} ${text} occurs twice`);
    seen.add(text);
  }
}

/** @throws Error of one line that names what is wrong with it */
export function parseSpec(value: unknown): EvaluationSpec {
  const parsed = specSchema.safeParse(value);
  if (!parsed.success) throw new Error(`evaluation: ${issueOf(parsed.error)}`);
  const systems = parsed.data.systems.map((system): SystemChoice =>
    typeof system === 'string' ? getRecipe(system).id : parseCustomSystem(system),
  );
  checkDistinct(
    systems.map((system) => (typeof system === 'string' ? system : system.id)),
    'the system',
  );
  checkDistinct(parsed.data.policies, 'the policy');
  checkDistinct(parsed.data.questions, 'the set of questions');
  checkDistinct(parsed.data.seeds, 'the seed');
  checkDistinct(parsed.data.retrieval, 'the retrieval setting');
  return { ...parsed.data, systems };
}
