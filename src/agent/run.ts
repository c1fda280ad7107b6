import { type RecipeSettings, withOverrides } from '../recipes/parts/settings.ts';
import { type Steps, stepsOf } from './steps.ts';
import { messageOf } from '../base/errors.ts';
import { sum } from '../base/statistics.ts';
import type { Rollout } from '../records/rollout.ts';
import { logprobsOf, type PolicyTokenizer } from '../policy/policy.ts';
import { budgetsInForce } from './budget.ts';
import { Conversation } from './transcript/conversation.ts';
import { ForkError, Past, type Fork } from './fork/past.ts';
import { ForkedSession } from './fork/session.ts';
import { hooksOf, loadHooks } from './hooks.ts';
import { readAnswerText } from './answers/answer-text.ts';
import { Evidence } from './answers/evidence.ts';
import { proseScores, retrievedPassages } from './answers/long-answer.ts';
import { agentLoop } from './loop.ts';
import { mismatchReason, turnsReason, permitted } from './settings.ts';
import { ProtocolParser } from './transcript/parse.ts';
import type { AgentDeps, ForkRequest, GroupRequest, RolloutRequest } from './request.ts';
import { RunningMean } from './router/reward.ts';
import { rolloutMetrics } from './answers/checked.ts';
import { soundTitles, supportingRecall } from './answers/scores.ts';
import { countSearches } from '../records/searches.ts';
import { deriveSeed } from '../base/random.ts';
import { Cancelled, initialProgress, isCancelled, type RunState } from './state.ts';
import { readTags } from './transcript/tags.ts';
import { createScanner } from './transcript/scanner.ts';
import { Transcript } from './transcript/transcript.ts';
import { retrieverByMethod } from '../retrieval/retriever.ts';
import type { RolloutUpdate } from '../records/updates.ts';
import { formatValid } from './released.ts';
import { holdLatents } from './transcript/latents.ts';

/** The two baselines without a loop: one retrieval with the question, or none (where it may not retrieve, too), then the answer. */
async function naive(s: Steps): Promise<void> {
  await s.open();
  if (s.settings.loop === 'naive-rag' && s.canSearch()) await s.search(s.question, false);
  await s.answer();
}

/** Chain of thought (arXiv 2201.11903): thoughts, then the answer; of a policy that knows only the protocol one thought. */
async function think(s: Steps): Promise<void> {
  await s.open();
  if (s.spelling === 'ids') {
    const wrote = await s.write('thought');
    if (wrote.ended === 'action' && (await wrote.act())) return;
    return s.answer();
  }
  for (;;) {
    const wrote = await s.write('action');
    if (wrote.ended === 'action' && (await wrote.act())) return;
  }
}

/** InstructRAG (arXiv 2406.13629): one retrieval, a rationale that judges each passage, then the answer. */
async function rationale(s: Steps): Promise<void> {
  await s.open();
  if (s.canSearch()) await s.search(s.question, false);
  const wrote = await s.write('thought');
  if (wrote.ended === 'action' && (await wrote.act())) return;
  await s.answer();
}

/** Every loop but the think–search–answer one and those that systems bring. */
const LOOPS: Readonly<
  Record<Exclude<RecipeSettings['loop'], 'agent' | 'program'>, (steps: Steps) => Promise<void>>
> = { 'naive-rag': naive, 'naive-generation': naive, think, rationale };

function emptyRollout(deps: AgentDeps, request: RolloutRequest, settings: RecipeSettings): Rollout {
  const { question, recipe } = request;
  const { id, text, answers, supporting, type, hops, difficulty, options, mayRetrieve, summary } =
    question;
  const { chain, missing } = question;
  return {
    format: 'forage.rollout/1',
    id: request.rolloutId,
    runId: request.runId,
    step: request.step,
    groupId: request.groupId,
    seed: request.seed,
    createdAt: new Date(deps.now()).toISOString(),
    question: {
      id,
      text,
      answers,
      supporting,
      type,
      hops,
      difficulty,
      options,
      mayRetrieve,
      summary,
      chain,
      missing,
    },
    recipe: { id: recipe.id, version: recipe.version, settings },
    policy: {
      id: deps.policy.info.id,
      revision: deps.policy.info.revision,
      adapter: request.adapter,
      logprobsOf: logprobsOf(deps.policy.info, settings.sampling),
    },
    segments: [],
    events: [],
    rewards: [],
    reward: null,
    baseline: null,
    advantage: null,
    metrics: null,
    answer: null,
  };
}

/** @throws Error where the recipe has to be asked in natural language, and the policy knows only the protocol's tags */
function refuse(recipe: RolloutRequest['recipe'], tokenizer: PolicyTokenizer): void {
  const reason = mismatchReason(recipe, readTags(tokenizer).spelling);
  if (reason !== null) throw new Error(reason);
}

/** @throws Error where the settings name a program, and no system that has one */
async function loopOf(state: RunState): Promise<void> {
  const { loop } = state.settings;
  if (loop === 'agent') return agentLoop(state);
  const run = loop === 'program' ? state.hooks.program : LOOPS[loop];
  if (!run) throw new Error('loop=program needs a system that has a program of its own');
  return run(stepsOf(state));
}

/** Runs the recipe's loop in a session of its own; closes the session whatever happens. */
async function converse(
  deps: AgentDeps,
  request: RolloutRequest,
  settings: RecipeSettings,
  transcript: Transcript,
): Promise<RunState> {
  const { policy } = deps;
  const tags = readTags(policy.tokenizer, settings.blocks, settings.dialect);
  const decode = (ids: readonly number[]): string => policy.tokenizer.decode(ids);
  const parser = new ProtocolParser(tags, decode);
  if (isCancelled({ request })) throw new Cancelled();
  const inForce = { seed: request.seed, settings };
  const { rollout } = transcript;
  const past = request.fork ? new Past(request.fork, inForce, rollout.events) : null;
  await loadHooks([settings, ...(past?.settings ?? [])]);
  if (past) transcript.keep(past.events);
  const session = past
    ? new ForkedSession(policy, past)
    : await policy.open(deriveSeed(request.seed, 'policy'));
  const state: RunState = {
    deps,
    past,
    // Of a fork, what was in force when the recorded part was made holds for that part.
    get request() {
      return past ? { ...request, seed: past.inForce.seed } : request;
    },
    get settings() {
      return past ? past.inForce.settings : settings;
    },
    get hooks() {
      return hooksOf(this.settings);
    },
    tags,
    transcript,
    conversation: new Conversation(session, transcript, parser, createScanner(tags, decode)),
    evidence: new Evidence(request.question.text, request.question.supporting),
    webLatency: deps.webLatency ?? new RunningMean(),
    ...initialProgress(),
  };
  try {
    await loopOf(state);
  } finally {
    state.conversation.session.close();
    holdLatents(rollout, state.conversation.latents);
    if (past && session instanceof ForkedSession)
      rollout.forks = past.points(session.shared ?? session.length);
  }
  return state;
}

function noteFailure(transcript: Transcript, request: RolloutRequest, error: unknown): void {
  transcript.endSegment();
  if (error instanceof Cancelled || isCancelled({ request })) {
    transcript.event({ kind: 'stop', reason: 'cancelled', detail: 'cancelled by the user' });
    return;
  }
  const message = messageOf(error);
  transcript.event({ kind: 'error', what: 'policy', message });
  transcript.event({ kind: 'stop', reason: 'error', detail: message });
}

/** Says in the record what its log-probabilities are, where they are not the engine's exact ones. */
function noteLogprobs({ rollout }: Transcript, { policy }: AgentDeps): void {
  const sampled = rollout.segments.filter((segment) => segment.mask === 1);
  const missing = sampled.filter((segment) => segment.logprobs === undefined).length;
  const told = policy.info.logprobs;
  if (missing === 0 && told === undefined) return;
  const gaps = `missing in ${missing} of ${sampled.length} segments: the policy gives none there`;
  rollout.policy.logprobs = [told, missing > 0 ? gaps : undefined].filter(Boolean).join('; ');
}

/** Fills in what follows from the record: searches, recall, tokens, scores. */
function score(transcript: Transcript): void {
  const { rollout } = transcript;
  const { supporting } = rollout.question;
  const retrieved = rollout.events.flatMap((event) =>
    event.kind === 'retrieve' || event.kind === 'background' ? event.hits : [],
  );
  const written = rollout.segments.filter((segment) => segment.source === 'policy');
  const aside = rollout.events.map((event) => (event.kind === 'aside' ? event.tokens : 0));
  rollout.metrics = rolloutMetrics(rollout.answer, rollout.question, {
    recall: supportingRecall(soundTitles(retrieved.map((hit) => hit.passage)), supporting),
    searches: countSearches(rollout.events),
    tokens: sum([...written.map((segment) => segment.ids.length), ...aside]),
    seconds: transcript.elapsed / 1000,
    formatValid: formatValid(rollout),
  });
  if (!rollout.metrics || rollout.question.summary === undefined) return;
  const { prose } = readAnswerText(rollout);
  const { rougeL, supported } = proseScores(
    prose,
    rollout.question.summary,
    retrievedPassages(rollout),
  );
  rollout.metrics = { ...rollout.metrics, rouge_l: rougeL ?? 0, supported };
}

/**
 * Runs one rollout. Nothing that the policy writes and no failing retrieval makes it reject: these
 * are events, and the record ends with one `stop` event. The same seed, settings and policy on the
 * WASM device give the same tokens; only times differ.
 *
 * @param onUpdate told of every change while it happens (`applyUpdate` rebuilds the record)
 * @throws Error where an override is no valid setting, and where the recipe needs another kind of policy;
 * ForkError where the recorded rollout of a fork cannot be gone through
 */
export async function runRollout(
  deps: AgentDeps,
  request: RolloutRequest,
  onUpdate: ((update: RolloutUpdate) => void) | null = null,
): Promise<Rollout> {
  const over = permitted(request.question, request.overrides ?? {});
  const { tokenizer, info } = deps.policy;
  refuse(request.recipe, tokenizer);
  const settings = request.fork
    ? withOverrides(request.recipe.settings, over)
    : budgetsInForce(withOverrides(request.recipe.settings, over), over, readTags(tokenizer), info);
  const reason = turnsReason(deps.policy, settings, readTags(tokenizer).spelling);
  if (reason !== null) throw new Error(reason);
  const transcript = new Transcript(
    emptyRollout(deps, request, settings),
    (ids) => deps.policy.tokenizer.decode(ids),
    () => deps.now(),
    onUpdate,
    deps.policy.tokenizer.pieces ?? false,
  );
  const joined = deps.retriever.join?.();
  try {
    const sources = joined?.retriever ?? deps.retriever;
    const retriever = retrieverByMethod(sources, settings.retrieval.method ?? 'setup');
    await converse({ ...deps, retriever }, request, settings, transcript);
  } catch (error) {
    if (error instanceof ForkError) throw error;
    noteFailure(transcript, request, error);
  } finally {
    joined?.leave();
  }
  transcript.endSegment();
  noteLogprobs(transcript, deps);
  score(transcript);
  transcript.finish();
  return transcript.rollout;
}

/**
 * Forks a recorded rollout at one of its events, with the state that it had there. Without a
 * change, with its own policy and seed, the rest is the same on the WASM device, token for token.
 *
 * @param request what it lacks is the recorded rollout's own: question, seed, group, run, step
 * @throws ForkError where the record cannot be gone through, or the policy reads its ids as other text
 */
export async function runFork(
  deps: AgentDeps,
  fork: Fork,
  request: ForkRequest,
  onUpdate: ((update: RolloutUpdate) => void) | null = null,
): Promise<Rollout> {
  const { of } = fork;
  if (of.latent)
    throw new ForkError(
      `${of.id} cannot be forked: it used latent thinking, which is not recorded.`,
    );
  if (of.contexts)
    throw new ForkError(`${of.id} cannot be forked: its context was reset after a search.`);
  const { tokenizer } = deps.policy;
  if (of.segments.some(({ ids, text }) => tokenizer.decode(ids) !== text))
    throw new ForkError(
      `${deps.policy.info.id} decodes the tokens of ${of.id} to other text: only a model with the vocabulary of ${of.policy.id} can continue it.`,
    );
  const { question, seed, groupId, runId, step } = of;
  const recipe = {
    id: of.recipe.id,
    title: of.recipe.id,
    version: of.recipe.version,
    settings: withOverrides(of.recipe.settings as unknown as RecipeSettings, {}),
  };
  return runRollout(
    deps,
    { question, seed, groupId, runId, step, recipe, ...request, fork },
    onUpdate,
  );
}

/**
 * Runs G rollouts of one question at the same time. Rollout i has the id `<groupId>-<i>` and the
 * seed `deriveSeed(groupSeed, 'rollout', i)`, so it can be run again alone.
 * @throws what `onUpdate` throws, once all rollouts have ended: none continues after the caller's back
 */
export async function runGroup(
  deps: AgentDeps,
  request: GroupRequest,
  onUpdate: ((update: RolloutUpdate) => void) | null = null,
): Promise<Rollout[]> {
  const { size, first = 0, onRollout, ...shared } = request;
  const together: AgentDeps = { ...deps, webLatency: deps.webLatency ?? new RunningMean() };
  const members = Array.from({ length: size }, (_, i) => first + i);
  const settled = await Promise.allSettled(
    members.map(async (i) => {
      const rollout = await runRollout(
        together,
        {
          ...shared,
          rolloutId: `${request.groupId}-${i}`,
          seed: deriveSeed(request.seed, 'rollout', i),
        },
        onUpdate,
      );
      onRollout?.(rollout);
      return rollout;
    }),
  );
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
