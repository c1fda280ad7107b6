import { itemAt } from '../../base/items.ts';
import { deriveSeed } from '../../base/random.ts';
import { sum } from '../../base/statistics.ts';
import { runGroup } from '../../agent/run.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { initAdapter } from '../../policy/lora/init.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { TrainItem } from '../replicas/replica.ts';
import { checkFaults, rolloutOverrides } from '../rl/collect.ts';
import { withLatents } from '../../agent/transcript/latents.ts';
import { sequencesOf, updateBatches } from '../rl/batch.ts';
import { applyRewards } from '../rl/scoring.ts';
import { factsThroughVerifier } from '../rewards/verifier.ts';
import { mergeOverrides } from '../../recipes/parts/settings.ts';
import { isObject } from '../../base/objects.ts';
import { rewardById } from '../rewards/registry.ts';
import { Cycle } from '../cycle.ts';
import { rolloutSeconds } from './predict.ts';
import type { Probe, ProbedRollout, ProbeWave } from './probe-shape.ts';

/**
 * Measures this device before a run is started: a few rollouts of the run's own recipe and questions, how
 * decoding scales with the number of contexts, and one small backward pass. Nothing of it is kept but numbers.
 */

/** Rollouts of an engine in the first wave, and how much larger a further wave is: as much as time allows. */
const FIRST = 2;
const GROWTHS = [4, 2];
/** A further wave is begun only if it is expected to end within this time, seconds. */
const FURTHER_SECONDS = 15;
/** The first wave is ended after this time; what had not ended by then counts as far as it came. */
const FIRST_SECONDS = 90;
/** Of a decoding burst: tokens that each context writes, and tokens of given text that each begins with. */
const BURST_TOKENS = 8;
const BURST_TEXT = 64;
/** Given text of which the prefill rate is taken. */
const PREFILL_TOKENS = 512;
/** A full backward pass over the wave is made if it is expected to take no longer, seconds. */
const BACKWARD_SECONDS = 8;

export interface ProbeParts {
  settings: TrainSettings;
  agent: AgentDeps;
  learner: PolicyLearner;
  config: PolicyConfig;
  /** Weights of the adapter that the run starts from; absent or null: a new one. */
  startAdapter?: Float32Array | null;
  /** Questions of the run; some of them are asked. */
  questions: readonly Question[];
  /** Engines behind policy and learner, and contexts that each decodes together at most. */
  engines: number;
  slots: number;
  signal?: AbortSignal;
  /** What is being measured, as text. */
  onProgress?: (doing: string) => void;
}

/** The adapter of the first step. One that changes nothing yet costs time, too. */
const adapterOf = ({ config, settings, startAdapter }: ProbeParts): Float32Array =>
  startAdapter ?? initAdapter(config, settings.adapter, settings.seed);

/** Seconds that work takes. */
async function timed<T>(
  clock: Pick<AgentDeps, 'now'>,
  work: () => Promise<T>,
): Promise<[T, number]> {
  const start = clock.now();
  const made = await work();
  return [made, (clock.now() - start) / 1000];
}

/** Tokens that the policy may write in it. */
function budgetOf({ recipe: { settings } }: Rollout): number {
  const { budgets } = settings;
  const tokens = isObject(budgets) ? budgets['tokens'] : undefined;
  return typeof tokens === 'number' ? tokens : 0;
}

/** What a rollout cost, as far as it came. */
function probed(rollout: Rollout): ProbedRollout {
  const tokens = (which: (segment: Rollout['segments'][number], at: number) => boolean): number =>
    sum(rollout.segments.filter(which).map(({ ids }) => ids.length));
  const first = rollout.segments.findIndex(({ source }) => source === 'policy');
  const prompt = first < 0 ? rollout.segments.length : first;
  const { metrics } = rollout;
  const decoded = tokens(({ source }) => source === 'policy');
  const cut = rollout.events.some((event) => event.kind === 'stop' && event.reason === 'cancelled');
  return {
    decoded,
    expected: cut ? Math.max(decoded, budgetOf(rollout)) : decoded,
    prompt: tokens((_, at) => at < prompt),
    read: tokens(({ source }, at) => source !== 'policy' && at >= prompt),
    searches: metrics?.searches ?? 0,
    right: metrics?.em === 1,
    formatValid: metrics?.formatValid ?? false,
    reward: rollout.reward,
  };
}

/** Rollouts of one question in a wave. */
const groupOf = ({ groupSize }: TrainSettings, size: number): number =>
  Math.min(groupSize, size, 2);

/** One wave: groups of two of as many questions as it takes, all at once. */
async function wave(
  { settings, agent, questions, signal }: ProbeParts,
  { size, from, seconds }: { size: number; from: number; seconds: number },
): Promise<Rollout[]> {
  // The questions of the first steps, in the order of most curricula: a short run takes as long as these do.
  const order = new Cycle(questions, settings.seed);
  const stage = itemAt(settings.stages, 0, 'stages');
  const each = groupOf(settings, size);
  // One per group: Node warns of a signal that more than ten listen to.
  const limits = Array.from({ length: Math.ceil(size / each) }, () => new AbortController());
  const cut = (): void => limits.forEach((limit) => limit.abort(signal?.reason));
  const timer = setTimeout(cut, Math.ceil(seconds * 1000));
  signal?.addEventListener('abort', cut, { once: true });
  const groups = await Promise.all(
    limits.map((limit, group) =>
      runGroup(agent, {
        question: order.at(from + group),
        recipe: recipeOf(settings),
        overrides: mergeOverrides(
          rolloutOverrides(settings, settings.temperature),
          stage.overrides ?? {},
        ),
        seed: deriveSeed(settings.seed, 'probe', from + group),
        runId: 'probe',
        groupId: `probe-${from + group}`,
        step: 0,
        size: each,
        signal: limit.signal,
      }),
    ),
  ).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cut);
  });
  signal?.throwIfAborted();
  const rollouts = groups.flat();
  checkFaults(rollouts);
  // Some rewards need more than the rollout: the answers of the frozen policy, or gold texts.
  const { frozen, goldTexts } = rewardById(stage.reward) ?? {};
  if (!isStored(stage.loss) && !frozen && !goldTexts)
    applyRewards(rollouts, stage, settings.overlong, factsThroughVerifier(settings));
  return rollouts;
}

/** Seconds of one token of each of this many contexts, over all engines. */
async function decodeSeconds(
  { agent, engines, signal }: ProbeParts,
  contexts: number,
): Promise<number> {
  const { policy } = agent;
  const text = policy.tokenizer.encodeText(
    'The quick brown fox jumps over the lazy dog. '.repeat(16),
  );
  const sessions = await Promise.all(
    Array.from({ length: contexts * engines }, (_, i) => policy.open(deriveSeed(1, 'burst', i))),
  );
  const run = (maxTokens: number): Promise<unknown> =>
    Promise.all(
      sessions.map((session) =>
        session.generate({
          maxTokens,
          stopIds: [],
          sampling: { temperature: 1, topP: 1, topK: 0 },
          ...(signal && { signal }),
        }),
      ),
    );
  try {
    for (const session of sessions) session.append(text.slice(0, BURST_TEXT));
    await run(1);
    const [, seconds] = await timed(agent, () => run(BURST_TOKENS));
    return seconds / BURST_TOKENS;
  } finally {
    for (const session of sessions) session.close();
  }
}

/** Seconds of a token of given text on one engine. */
async function prefillSeconds({ agent, signal }: ProbeParts): Promise<number> {
  const { policy } = agent;
  const [word] = policy.tokenizer.encodeText(' fox');
  const session = await policy.open(1);
  try {
    const count = Math.min(PREFILL_TOKENS, Math.floor(policy.info.maxContext / 2));
    session.append(Array.from({ length: count }, (_, i) => (word ?? 0) + (i % 2)));
    const [, seconds] = await timed(agent, () =>
      session.generate({
        maxTokens: 1,
        stopIds: [],
        sampling: { temperature: 0, topP: 1, topK: 0 },
        ...(signal && { signal }),
      }),
    );
    return seconds / count;
  } finally {
    session.close();
  }
}

const lengthOf = (items: readonly TrainItem[]): number => sum(items.map(({ ids }) => ids.length));

/** Seconds of a context token in the update and in a scoring pass, on all engines; null without a trained token. */
async function learnSeconds(
  parts: ProbeParts,
  rollouts: readonly Rollout[],
): Promise<{ update: number; score: number } | null> {
  const { settings, learner, agent, engines, signal, onProgress } = parts;
  const sequences = withLatents(sequencesOf([rollouts]));
  const [items = []] = updateBatches(
    sequences,
    sequences.map((_, i) => (i % 2 === 0 ? 1 : -1)),
    null,
    { ...settings, updates: 1 },
  );
  const sorted = items
    .filter(({ ids }) => ids.length <= learner.maxTokens)
    .toSorted((a, b) => a.ids.length - b.ids.length);
  if (sorted.length === 0) return null;
  learner.setAdapter(adapterOf(parts));
  const objective = {
    ...settings.objective,
    kl: { ...settings.objective.kl, place: 'off' as const },
  };
  const few = sorted.slice(0, engines);
  /** Seconds, and tokens that were computed: those of a shared prompt once. */
  const counted = async (of: readonly TrainItem[], work: () => Promise<unknown>) => {
    const { onTokens } = learner;
    let tokens = 0;
    learner.onTokens = (count) => {
      tokens += count;
      onTokens?.(count);
    };
    try {
      const [, seconds] = await timed(agent, work);
      return { seconds, each: seconds / (tokens || lengthOf(of)) };
    } finally {
      learner.onTokens = onTokens;
    }
  };
  // An engine makes its buffers at its first step.
  const gradient = (of: readonly TrainItem[]) =>
    counted(of, () => learner.gradient(of, objective, () => signal?.throwIfAborted()));
  onProgress?.('a backward pass');
  const first = await gradient(few);
  const whole = (first.seconds / lengthOf(few)) * lengthOf(sorted);
  const measured = whole <= BACKWARD_SECONDS ? sorted : few;
  const again = measured === few && first.seconds > BACKWARD_SECONDS / 2;
  const update = again ? first : await gradient(measured);
  signal?.throwIfAborted();
  const score = await counted(few, () => learner.score(few, true));
  // Fewer items than engines leave some idle.
  const busy = (count: number): number => Math.min(1, count / engines);
  return {
    update: update.each * busy(measured.length),
    score: score.each * busy(few.length),
  };
}

/** Decoding with more and more contexts. The first burst compiles the kernels and is not counted. */
async function decodingRates(parts: ProbeParts, most: number): Promise<Probe['decode']> {
  const { engines, slots, signal } = parts;
  const counts = [1, Math.min(4, slots), Math.min(slots, Math.ceil(most / engines))];
  await decodeSeconds(parts, 1);
  const decode: { contexts: number; seconds: number }[] = [];
  for (const contexts of [...new Set(counts)].toSorted((a, b) => a - b)) {
    signal?.throwIfAborted();
    decode.push({ contexts, seconds: await decodeSeconds(parts, contexts) });
  }
  return decode;
}

/** Measures. @throws the signal's reason; Error where a rollout fails */
export async function probe(parts: ProbeParts): Promise<Probe> {
  const { settings, agent, engines, slots, learner, onProgress } = parts;
  const most = Math.min(settings.questions * settings.groupSize, engines * slots);
  await agent.policy.setAdapter?.({ spec: settings.adapter, flat: adapterOf(parts) });
  onProgress?.('decoding');
  const device = {
    engines,
    slots,
    decode: await decodingRates(parts, most),
    prefill: await prefillSeconds(parts),
  };
  let asked = 0;
  const waves: ProbeWave[] = [];
  let size = Math.min(FIRST * engines, most);
  let last: Rollout[];
  for (;;) {
    onProgress?.(`${size} rollouts`);
    const at = { size, from: asked, seconds: waves.length === 0 ? FIRST_SECONDS : 600 };
    const [rollouts, seconds] = await timed(agent, () => wave(parts, at));
    last = rollouts;
    const group = groupOf(settings, size);
    asked += Math.ceil(size / group);
    waves.push({ rollouts: rollouts.map(probed), group, seconds });
    const next = GROWTHS.map((growth) => Math.min(most, size * growth)).find(
      (wanted) =>
        wanted > size &&
        rolloutSeconds({ ...device, waves }, wanted, groupOf(settings, wanted)) <= FURTHER_SECONDS,
    );
    if (next === undefined) break;
    size = next;
  }
  const learned = await learnSeconds(parts, last);
  return {
    format: 'forage.probe/1',
    at: new Date(agent.now()).toISOString(),
    ...device,
    waves,
    update: learned?.update ?? null,
    score: learned?.score ?? null,
    microTokens: learner.packTokens,
    bytes: await learner.bytes(),
  };
}
