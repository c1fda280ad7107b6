import { z } from 'zod';

/**
 * `forage.environment/1`: Forage's agent loop, retrieval and rewards over HTTP, stepped token by token by a
 * trainer that samples. Everything of a rollout but the sampling happens at the server.
 *
 * The dialogue. Bodies and answers are JSON; a token is sent as `Authorization: Bearer TOKEN`.
 *
 *     GET  /v1/health                   → Health: schema, hash, settings, vocabulary, limits
 *     POST /v1/open  {rollouts: [Episode, …]}   → Turn
 *     POST /v1/step  {answers:  [Answer, …]}    → Turn
 *     POST /v1/close {rollouts: [id, …]}        → {closed: [id, …]}
 *     POST /v1/prepare {most}           → Turn with `left`; for a curriculum that scores questions first
 *
 * A Turn is `{requests: [Request, …], done: [Done, …]}`. It comes once every rollout that the call names
 * waits for tokens or has ended. The trainer samples for each Request and sends the Answers by `step`,
 * whole batches at a time, until `requests` is empty; then every rollout was in some `done`.
 *
 *     turn = post('/v1/open', {rollouts})
 *     done = turn.done
 *     while turn.requests:
 *         turn = post('/v1/step', {answers: sample(turn.requests)})
 *         done += turn.done
 *
 * What a trainer need not care about:
 * - *Stops.* An answer is cut after its first stop id or stop text and at `maxTokens`, whatever the engine
 *   sampled after it. The stop itself must be in it (vLLM: `include_stop_str_in_output`; SGLang: `no_stop_trim`).
 * - *State.* A request holds the whole context. A rollout may ask for several continuations at once
 *   (probes); they may be answered in one call or in several.
 * - *Lost replies.* The same call again gives the same bytes: `open` with the same episode, `step` with the
 *   same answers. An answer that differs from the one that counted is refused.
 * - *Seeds.* With `draw` and `heldOut` all seeds are those of Forage's own training loop.
 *
 * Faults. 400: the body is wrong (not JSON, not this shape, ids outside of the vocabulary, no ids, an id that
 * nothing waits for, a rollout that expired); 401: no or another token; 404, 405: no such call; 409: a call that
 * contradicts an earlier one, another shard's rollout, questions that are not scored yet; 413: too large a
 * body; 429: too many rollouts; 503: the server stops. All answer `{error: text}`, and nothing of the call counts.
 *
 * A rollout that nobody steps for `limits.expireSeconds` is ended and forgotten.
 */
export const ENVIRONMENT_SCHEMA = 'forage.environment/1';

/** Names of rollouts, groups and requests. */
const name = z.string().min(1).max(200);
const count = z
  .int()
  .min(0)
  .max(2 ** 31);
const seed = z
  .int()
  .min(0)
  .max(2 ** 32 - 1);

/**
 * A rollout to begin. Exactly one of `draw`, `heldOut` and `question` says of which question.
 *
 * - `draw`: number from 0 of the curriculum's draws over the whole run, `questions` draws per step. Row n of
 *   an exported data set is draw n. The server draws (whatever the curriculum) and knows the seed.
 * - `heldOut`: number from 0 in the run's held-out sample; sampled and routed as held-out questions are.
 * - `question`: a question by its id.
 */
const episodeSchema = z
  .strictObject({
    /** Unique over the run; the record's id. The same episode again continues where it is. */
    id: name,
    draw: count.optional(),
    heldOut: count.optional(),
    question: name.optional(),
    /** Place in the group, from 0; with the group's seed it gives the rollout's. */
    index: z.int().min(0).max(1023).default(0),
    /** The training step that it is for, from 1: chooses the reward's stage, and what a curriculum draws in it. */
    step: z
      .int()
      .min(1)
      .max(2 ** 31),
    /** Name of the group, for the record; by default, that of Forage's loop. */
    group: name.optional(),
    /** Seed of the group; by default, that of Forage's loop, and with `question` one from `group`. */
    groupSeed: seed.optional(),
    /** With `question`: sample and route as for held-out questions. */
    evaluate: z.boolean().optional(),
    /**
     * What the log-probabilities in the answers will be of. `sampling`: what tokens are drawn from, after
     * temperature and truncation (vLLM's processed ones; of greedy tokens the model's); `temperature`: before
     * truncation; `unknown`: the record then cannot be trained on.
     */
    logprobsOf: z.enum(['sampling', 'temperature', 'unknown']).default('sampling'),
    /** Send the whole record `forage.rollout/1` with the result. */
    record: z.boolean().default(false),
  })
  .refine(
    ({ draw, heldOut, question }) =>
      [draw, heldOut, question].filter((given) => given !== undefined).length === 1,
    'needs exactly one of draw, heldOut and question',
  );
export type Episode = z.infer<typeof episodeSchema>;

/** What the trainer is to sample. */
export interface SampleRequest {
  id: string;
  /** The rollout that asks. */
  rollout: string;
  /** All token ids so far. */
  context: number[];
  /** Most tokens to sample; the context has room for them. */
  maxTokens: number;
  /** Sampling ends with one of these ids, which is part of the answer. */
  stopIds: readonly number[];
  /** It also ends with the token with which `stopPrefix` + the new text first holds one of these. */
  stopTexts: readonly string[];
  /** Text before the answer in which a stop text may have begun; often empty. */
  stopPrefix: string;
  /** Temperature 0 is greedy; topK 0 and topP 1 leave the vocabulary whole. */
  sampling: { temperature: number; topK: number; topP: number };
  /**
   * What the log-probabilities should be of: what tokens are drawn from, or, for probes whose confidence is
   * measured, the model's own softmax. The two are one at temperature 1 without truncation. Where an engine
   * cannot give the model's, leave them out: how often probes agree then stands for their confidence.
   */
  scores: 'sampling' | 'model';
  /** For engines that can repeat themselves; unsigned 32 bits. */
  seed: number;
}

/** What was sampled for a request. */
const answerSchema = z.strictObject({
  id: name,
  /** At least one. Ids after the first stop, or beyond `maxTokens`, are cut off. */
  ids: z.array(z.int().min(0)).min(1, 'no token was sampled'),
  /** Natural logarithms, one an id, of what `logprobsOf` says; absent where the engine gives none. */
  logprobs: z.array(z.number().max(1e-4, 'a log-probability is at most 0')).optional(),
  /**
   * Why the engine ended; needed where the ids are fewer than `maxTokens` and hold no stop. `length`: its own
   * limit of tokens; `context`: its context is full.
   */
  finish: z.enum(['stop', 'length', 'context']).optional(),
});
export type Answer = z.infer<typeof answerSchema>;

/** A rollout that ended, as a trainer takes it. */
export interface Result {
  rollout: string;
  group: string;
  question: string;
  step: number;
  /** What the curriculum counts the question as: `uniform`, `hard`, `noisy` …; absent without `draw`. */
  label?: string;
  /** Every token before the first that the policy wrote; never empty. */
  promptIds: number[];
  /** The rest, the environment's tokens among them. */
  completionIds: number[];
  /** One a completion token: 1 where the policy wrote it and the loss may train it. */
  mask: (0 | 1)[];
  /**
   * One a completion token: as answered where the mask is 1, and 0 where it is 0, for those tokens have
   * none. Absent as a whole where one answer came without.
   */
  logprobs?: number[];
  reward: number;
  /** The clauses of the reward, weighted: they sum to it. */
  rewards: Record<string, number>;
  /** `acc` (exact match), `em`, `f1`, `cover_em`, `recall` (0 where the question names no evidence), `format` (0 or 1), `searches`, `tokens`, `seconds`. */
  metrics: Record<string, number>;
  /** The final answer; null where none was given. */
  answer: string | null;
  /** Why it ended: `answer`, `token-budget`, `context-full` … */
  stop: string;
  /** How often the policy was continued. */
  turns: number;
  /** Text of prompt and completion, special tokens written out. */
  prompt: string;
  completion: string;
  /** The record `forage.rollout/1`, where it was asked for. */
  record?: object;
}

/** A rollout that failed: there is nothing to train. */
interface Failure {
  rollout: string;
  error: string;
}

/** An error tells a Failure. */
export type Done = Result | Failure;

/** What `open` and `step` answer. */
export interface Turn {
  /** Rollout by rollout in the order of the call, of each in the order in which it asked. */
  requests: SampleRequest[];
  /** In the order of the call. */
  done: Done[];
  /** Only in `prepare`: rollouts that must end before questions can be drawn. */
  left?: number;
}

/** Most rollouts or answers that one call may hold. */
const MOST_ITEMS = 4096;

export const openSchema = z.strictObject({ rollouts: z.array(episodeSchema).max(MOST_ITEMS) });
export const stepSchema = z.strictObject({ answers: z.array(answerSchema).max(MOST_ITEMS) });
export const closeSchema = z.strictObject({ rollouts: z.array(name).max(MOST_ITEMS) });

/**
 * A curriculum may score a pool of questions by repeated rollouts of the policy as it is before
 * the first step (`health.scoring.left` > 0). The caller gets up to `most` of these rollouts and
 * answers their requests by `step` like any others; their results carry no reward that trains. A call that
 * gives no request while `left` > 0 found all of them handed out: call again a little later.
 */
export const prepareSchema = z.strictObject({ most: z.int().min(1).max(MOST_ITEMS).default(64) });

/** What a server is. */
export interface Health {
  schema: typeof ENVIRONMENT_SCHEMA;
  /** Forage's version. */
  version: string;
  /** `environmentHash` of the experiment: an export's `experiment.json` names the same. */
  hash: string;
  runId: string;
  /** All settings of the run, `forage.train/1`: questions per step, group size, temperature, stages … */
  settings: object;
  recipe: { id: string; version: string };
  policy: { id: string; revision: string; vocabulary: number; maxContext: number };
  /** How the checkpoint spells the tags, and what usually ends a call. */
  tags: { spelling: 'ids' | 'text'; stopIds: readonly number[]; stopTexts: readonly string[] };
  /** Questions that may be drawn, and the size of the held-out sample. */
  questions: { train: number; heldOut: number };
  /** This server runs the groups whose draw, or place in the held-out sample, is `index` modulo `of`. */
  shard: { index: number; of: number };
  /** Rollouts that score questions before the first draw, and how many are left. */
  scoring: { total: number; left: number };
  rollouts: { open: number; finished: number; expired: number };
  limits: { bodyBytes: number; rollouts: number; expireSeconds: number };
}
