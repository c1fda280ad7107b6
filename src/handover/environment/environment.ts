import type { z } from 'zod';
import { issueOf, messageOf, oneLine, reasonOf } from '../../base/errors.ts';
import { LruCache } from '../../base/lru.ts';
import { runRollout } from '../../agent/run.ts';
import { RunningMean } from '../../agent/router/reward.ts';
import type { Router } from '../../agent/router/router.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { readFacts } from '../../learn/rewards/parts/facts.ts';
import { applyRewards } from '../../learn/rl/scoring.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import { stageAt } from '../../learn/schedule.ts';
import { recipeOf } from '../../systems/index.ts';
import type { Rollout, Segment } from '../../records/rollout.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import { itemAt } from '../../base/items.ts';
import { Episodes, type EpisodeParts, type Resolved } from './episodes.ts';
import {
  closeSchema,
  ENVIRONMENT_SCHEMA,
  openSchema,
  prepareSchema,
  stepSchema,
  type Episode,
  type Health,
  type Done,
  type Result,
} from './protocol.ts';
import { Refusal } from './refusal.ts';
import { RemotePolicy, type PolicyReader } from './remote-policy.ts';
import type { ScoringRollout } from './scoring.ts';
import type { TurnMessage, Session } from './session.ts';
import { Sessions, type SessionLimits } from './sessions.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';

/** From the record of a rollout to what a trainer takes. */

/** What the record does not say. */
interface ResultOptions {
  /** What the curriculum drew the question as. */
  label?: string | undefined;
  /** Whether the whole record is sent. */
  record: boolean;
}

/** Log-probabilities of every token; undefined where a trained one has none. */
function logprobsOf(segments: readonly Segment[]): number[] | undefined {
  const all: number[] = [];
  for (const { ids, mask, logprobs } of segments) {
    if (mask === 1 && logprobs?.length !== ids.length) return undefined;
    for (const i of ids.keys()) all.push(mask === 1 ? (logprobs?.[i] ?? 0) : 0);
  }
  return all;
}

/** Trainers average every key over a batch and take numbers alone: a recall that nobody can know is 0 to them. */
function metricsOf({ metrics }: Rollout): Record<string, number> {
  if (!metrics) return {};
  const { formatValid, recall, ...rest } = metrics;
  return { acc: metrics.em, ...rest, recall: recall ?? 0, format: Number(formatValid) };
}

function rewardsOf({ rewards }: Rollout): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { clause, weight, value } of rewards)
    sums[clause] = (sums[clause] ?? 0) + weight * value;
  return sums;
}

/** What a rollout with rewards gives; a Failure where its policy failed. */
export function resultOf(
  rollout: Rollout,
  tokenizer: Pick<PolicyTokenizer, 'decode'>,
  { label, record }: ResultOptions,
): Done {
  const stop = rollout.events.findLast((event) => event.kind === 'stop');
  if (!stop || stop.reason === 'error')
    return { rollout: rollout.id, error: stop?.detail ?? 'it did not come to an end' };
  const { segments } = rollout;
  const ids = segments.flatMap((segment) => segment.ids);
  const mask = segments.flatMap((segment) => segment.ids.map(() => segment.mask));
  const logprobs = logprobsOf(segments);
  const first = mask.indexOf(1);
  // A trainer wants a completion, even of a policy that wrote nothing.
  const at = first < 0 ? ids.length - 1 : first;
  const [promptIds, completionIds] = [ids.slice(0, at), ids.slice(at)];
  return {
    rollout: rollout.id,
    group: rollout.groupId,
    question: rollout.question.id,
    step: rollout.step,
    label,
    promptIds,
    completionIds,
    mask: mask.slice(at),
    ...(logprobs && { logprobs: logprobs.slice(at) }),
    reward: rollout.reward ?? 0,
    rewards: rewardsOf(rollout),
    metrics: metricsOf(rollout),
    answer: rollout.answer,
    stop: stop.reason,
    turns: segments.filter((segment) => segment.source === 'policy').length,
    prompt: tokenizer.decode(promptIds),
    completion: tokenizer.decode(completionIds),
    ...(record && { record: rollout }),
  } satisfies Result;
}

export interface EnvironmentParts extends EpisodeParts {
  reader: PolicyReader;
  /** Ids of answers are below this: the rows of the trainer's output matrix. */
  vocabulary: number;
  router: Router;
  /** Who summarizes, where the settings ask for it. */
  summarizer?: Summarizer | null;
  /** Unix time in milliseconds. */
  now: () => number;
  /** For `health`. */
  version: string;
  hash: string;
}

export interface EnvironmentOptions {
  limits: SessionLimits & { bodyBytes: number };
  /** Told of every rollout that came to an end, those that score questions excepted. */
  onRollout?: (rollout: Rollout) => void;
}

/** A reply: its status and its JSON. */
export interface Reply {
  status: number;
  body: string;
}

/** Characters of what a refusal says. */
const LONGEST = 600;

/** Groups whose web latencies are remembered: those that run. */
const GROUPS = 8192;

type Route = (body: unknown) => Promise<string> | string;

/** The settings at fault, where they ask for what happens outside of the environment. @throws Error */
function checkSettings(settings: EnvironmentParts['settings'], summarizer: boolean): void {
  if (settings.router.train !== 'off')
    throw new Error(
      'router.train: the environment does not train a router; set it to off, or train in Forage',
    );
  if (settings.shuffleRewards)
    throw new Error(
      'shuffleRewards: the control needs all rewards of a step at once; it runs only in Forage',
    );
  checkTrainable(settings, { summarizer });
}

/** The agent loop, retrieval and rewards as `protocol.ts` describes them; independent of the transport. */
export class Environment {
  readonly #parts: EnvironmentParts;
  readonly #options: EnvironmentOptions;
  readonly #episodes: Episodes;
  readonly #sessions: Sessions;
  readonly #latencies = new LruCache<RunningMean>(GROUPS);
  readonly #routes: Readonly<Record<string, Route>>;
  #stopped: string | null = null;

  /** @throws Error that names the setting, where they cannot be run here */
  constructor(parts: EnvironmentParts, options: EnvironmentOptions) {
    checkSettings(parts.settings, Boolean(parts.summarizer));
    this.#parts = parts;
    this.#options = options;
    this.#episodes = new Episodes(parts);
    this.#sessions = new Sessions(
      options.limits,
      parts.reader.tokenizer,
      parts.vocabulary,
      parts.now,
    );
    this.#routes = {
      '/v1/open': async (body) => this.#open(checked(openSchema, body).rollouts),
      '/v1/step': async (body) =>
        turn(await this.#sessions.step(checked(stepSchema, body).answers)),
      '/v1/close': (body) =>
        JSON.stringify({ closed: this.#sessions.close(checked(closeSchema, body).rollouts) }),
      '/v1/prepare': async (body) => this.#prepare(checked(prepareSchema, body).most),
    };
  }

  /** Answers one call; never rejects. @param body as it came, empty where there was none */
  async call(method: string, path: string, body: string): Promise<Reply> {
    try {
      return { status: 200, body: await this.#answer(method, path, body) };
    } catch (error) {
      return refused(error);
    }
  }

  #answer(method: string, path: string, body: string): Promise<string> | string {
    if (path === '/v1/health') return JSON.stringify(this.health());
    const route = Object.hasOwn(this.#routes, path) ? this.#routes[path] : undefined;
    if (!route) {
      const known = ['/v1/health', ...Object.keys(this.#routes)].join(', ');
      throw new Refusal(404, `there is no ${oneLine(path, 80)}; there are ${known}`);
    }
    if (method !== 'POST') throw new Refusal(405, `${path} is called by POST`);
    if (this.#stopped !== null) throw new Refusal(503, this.#stopped);
    return route(parsed(body));
  }

  /** Drops expired sessions; call it periodically. */
  sweep(): void {
    this.#sessions.sweep();
  }

  /** Refuses all further calls and ends the rollouts; callers waiting for a turn get the reason. */
  stop(why: string): void {
    this.#stopped = why;
    this.#sessions.stop(why);
  }

  health(): Health {
    const { settings, runId, reader, vocabulary, version, hash, shard } = this.#parts;
    const { id, version: recipeVersion } = recipeOf(settings);
    const { spelling, stops } = readTags(reader.tokenizer);
    const { scoring, train, heldOut } = this.#episodes;
    const { bodyBytes, rollouts, expireSeconds } = this.#options.limits;
    return {
      schema: ENVIRONMENT_SCHEMA,
      version,
      hash,
      runId,
      settings,
      recipe: { id, version: recipeVersion },
      policy: {
        id: reader.info.id,
        revision: reader.info.revision,
        vocabulary,
        maxContext: reader.info.maxContext,
      },
      tags: { spelling, ...stops },
      questions: { train: train.length, heldOut: heldOut.length },
      shard,
      scoring: { total: scoring?.total ?? 0, left: scoring?.left ?? 0 },
      rollouts: this.#sessions.counts,
      limits: { bodyBytes, rollouts, expireSeconds },
    };
  }

  async #open(episodes: readonly Episode[]): Promise<string> {
    const asked = episodes.map((episode) => ({ episode, opening: JSON.stringify(episode) }));
    const ids = new Set(episodes.map(({ id }) => id));
    if (ids.size < episodes.length)
      throw new Refusal(400, 'rollouts: an id occurs twice in the call');
    const missing = asked.filter(({ episode, opening }) => !this.#find(episode, opening));
    const resolved = await Promise.all(
      missing.map(async ({ episode }) => this.#episodes.resolve(episode)),
    );
    // The same call may have come again meanwhile.
    const left = missing
      .map((one, i) => ({ ...one, resolved: itemAt(resolved, i) }))
      .filter(({ episode, opening }) => !this.#find(episode, opening));
    if (this.#stopped !== null) throw new Refusal(503, this.#stopped);
    this.#sessions.checkRoom(left.length);
    for (const { episode, opening, resolved: found } of left)
      this.#sessions.begin(episode.id, opening, (session) => this.#run(session, episode, found));
    return turn(
      await Promise.all(
        asked.map(async ({ episode, opening }) => {
          const session = this.#find(episode, opening);
          return session?.saying() ?? { requests: [], done: null };
        }),
      ),
    );
  }

  #find({ id }: Episode, opening: string): Session | undefined {
    return this.#sessions.find(id, opening);
  }

  /** Runs a rollout to its result. */
  async #run(session: Session, episode: Episode, resolved: Resolved): Promise<string> {
    const { settings } = this.#parts;
    return this.#toResult(session, async () => {
      const rollout = await this.#rollout(session, resolved, episode);
      const stage = stageAt(settings.stages, episode.step);
      applyRewards(
        [rollout],
        itemAt(settings.stages, stage, 'stages'),
        settings.overlong,
        readFacts,
      );
      const { label } = resolved;
      const done = resultOf(rollout, this.#parts.reader.tokenizer, {
        label,
        record: episode.record,
      });
      if (!session.signal.aborted && !('error' in done)) {
        if (episode.draw !== undefined) this.#episodes.observe(rollout);
        this.#options.onRollout?.(rollout);
      }
      return done;
    });
  }

  /** What a piece of work says of itself as JSON; what it throws, and why it was given up, as a Failure. */
  async #toResult(session: Session, work: () => Promise<object>): Promise<string> {
    try {
      const done = await work();
      if (!session.signal.aborted) return JSON.stringify(done);
      return JSON.stringify({ rollout: session.id, error: reasonOf(session.signal).message });
    } catch (error) {
      return JSON.stringify({ rollout: session.id, error: messageOf(error) });
    }
  }

  #rollout(
    session: Session,
    { question, overrides, groupId, seed, agent }: Resolved,
    { step, logprobsOf }: Pick<Episode, 'step' | 'logprobsOf'>,
  ): Promise<Rollout> {
    const { settings, runId, reader, retriever, router, now, summarizer = null } = this.#parts;
    const webLatency = this.#latencies.get(groupId) ?? new RunningMean();
    this.#latencies.set(groupId, webLatency);
    const policy = new RemotePolicy(
      { ...reader, info: { ...reader.info, logprobsOf } },
      session.ask,
    );
    return runRollout(
      { policy, retriever, router, now, webLatency, summarizer, ...agent },
      {
        question,
        recipe: recipeOf(settings),
        overrides,
        seed,
        rolloutId: session.id,
        runId,
        groupId,
        step,
        signal: session.signal,
      },
    );
  }

  async #prepare(most: number): Promise<string> {
    const { scoring } = this.#episodes;
    const { open } = this.#sessions.counts;
    const room = Math.max(0, this.#options.limits.rollouts - open);
    const taken = scoring?.take(Math.min(most, room)) ?? [];
    const sayings = taken.map((rollout) =>
      this.#sessions
        .begin(rollout.id, 'prepare', (session) => this.#score(session, rollout))
        .saying(),
    );
    return turn(await Promise.all(sayings), scoring?.left ?? 0);
  }

  async #score(session: Session, rollout: ScoringRollout): Promise<string> {
    const { scoring, scoringOverrides: overrides } = this.#episodes;
    let em: number | null = null;
    const result = await this.#toResult(session, async () => {
      const ended = await this.#rollout(
        session,
        { ...rollout, overrides },
        { step: 0, logprobsOf: 'sampling' },
      );
      const done = resultOf(ended, this.#parts.reader.tokenizer, { record: false });
      if (!session.signal.aborted && !('error' in done)) em = ended.metrics?.em ?? 0;
      return done;
    });
    if (em === null) scoring?.giveBack(rollout);
    else scoring?.finish(rollout, em);
    return result;
  }
}

function parsed(body: string): unknown {
  if (body.trim() === '') return {};
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Refusal(400, `the body is not JSON: ${oneLine(messageOf(error), 120)}`);
  }
}

function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const found = schema.safeParse(body);
  if (found.success) return found.data;
  throw new Refusal(400, issueOf(found.error, 'the body'));
}

/** A Turn of what rollouts said, which is JSON already. */
function turn(sayings: readonly TurnMessage[], left?: number): string {
  const requests = sayings.flatMap((saying) => saying.requests);
  const done = sayings.flatMap((saying) => (saying.done === null ? [] : [saying.done]));
  const behind = left === undefined ? '' : `,"left":${left}`;
  return `{"requests":[${requests.join(',')}],"done":[${done.join(',')}]${behind}}`;
}

/** The reply to a call that failed. What is no Refusal is a fault of this program. */
export function refused(error: unknown): Reply {
  const status = error instanceof Refusal ? error.status : 500;
  return { status, body: JSON.stringify({ error: oneLine(messageOf(error), LONGEST) }) };
}
