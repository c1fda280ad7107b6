import { itemAt } from '../../base/items.ts';
import { mean, shareInterval, sum } from '../../base/statistics.ts';
import { stageAt } from '../schedule.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { FEW_BATCHES, WORTH_TWO_BATCHES } from '../../policy/lora/shared-prefix.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { rightTeach } from '../objective.ts';
import { rewardById } from '../rewards/registry.ts';
import type { Probe, ProbedRollout } from './probe-shape.ts';

/**
 * How long rollouts and updates take, from what a probe measured. The engines are modelled (prefill once per question
 * and engine, then decoding of all contexts together), and the model is scaled so that it gives the probe's last wave
 * the time that it took: what it leaves out, such as searches, takes its share there too.
 */

/** Seconds of one token of each of `contexts` contexts: between measured counts on straight lines. */
export function decodeSeconds(decode: Probe['decode'], contexts: number): number {
  const first = itemAt(decode, 0, 'decoding rates');
  if (decode.length === 1) return (first.seconds * contexts) / first.contexts;
  const at = decode.findIndex((point) => point.contexts >= contexts);
  const right = at < 0 ? decode.length - 1 : Math.max(1, at);
  // More contexts never take less time: where they were measured so, it was noise.
  const known = (index: number) => ({
    ...itemAt(decode, index),
    seconds: Math.max(...decode.slice(0, index + 1).map(({ seconds }) => seconds)),
  });
  const [a, b] = [known(right - 1), known(right)];
  const slope = (b.seconds - a.seconds) / (b.contexts - a.contexts);
  return a.seconds + slope * (contexts - a.contexts);
}

type Device = Pick<Probe, 'engines' | 'slots' | 'decode' | 'prefill'>;

/** A probe, where the model first learns to imitate demonstrations: its rollouts will be as long as these, and earn other rewards. */
export interface Foreseen extends Probe {
  /** Tokens of a demonstration, and those of them that the model writes. Absent: its rollouts stay as they are. */
  imitates?: { tokens: number; written: number } | undefined;
}

/** What rollouts are predicted from. */
type Sampling = Device & Pick<Foreseen, 'waves' | 'imitates'>;

/** Seconds in which an engine decodes rollouts of these lengths, at most `slots` together. */
function decodedIn(lengths: readonly number[], { decode, slots }: Device): number {
  const waiting = lengths.toSorted((a, b) => b - a);
  const running = waiting.splice(0, slots);
  let seconds = 0;
  let done = 0;
  // Lengths in terms of `done`, the tokens that every running rollout has written since the start.
  const ends = running.toSorted((a, b) => a - b);
  while (ends.length > 0) {
    const end = itemAt(ends, 0, 'rollouts');
    seconds += (end - done) * decodeSeconds(decode, ends.length);
    done = end;
    ends.shift();
    const next = waiting.shift();
    if (next === undefined) continue;
    const place = ends.findIndex((one) => one > done + next);
    ends.splice(place < 0 ? ends.length : place, 0, done + next);
  }
  return seconds;
}

type Length = Pick<ProbedRollout, 'prompt' | 'read'> & { decoded: number };

/** Seconds of rollouts that begin together, without the scale. @param group rollouts of one question */
function modelled(lengths: readonly Length[], group: number, probe: Device): number {
  const { engines, prefill } = probe;
  const each = Array.from({ length: engines }, (_, engine) =>
    lengths.filter((_, i) => i % engines === engine),
  );
  const prompt = mean(lengths.map((one) => one.prompt));
  return Math.max(
    ...each.map((own) => {
      const questions = Math.ceil(lengths.length / group);
      const given = Math.min(questions, own.length) * prompt + sum(own.map(({ read }) => read));
      return (
        given * prefill +
        decodedIn(
          own.map(({ decoded }) => decoded),
          probe,
        )
      );
    }),
  );
}

/** All rollouts of a probe, with what is to be expected of those that were cut short. */
const lengthsOf = ({ waves, imitates }: Pick<Sampling, 'waves' | 'imitates'>): Length[] =>
  waves.flatMap(({ rollouts }) =>
    rollouts.map(({ expected, prompt, read }) =>
      imitates
        ? {
            decoded: imitates.written,
            prompt,
            read: Math.max(0, imitates.tokens - imitates.written - prompt),
          }
        : { decoded: expected, prompt, read },
    ),
  );

const cycled = <T>(items: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, i) => itemAt(items, i % items.length));

/** Seconds of `count` rollouts that begin together. @param group rollouts of one question */
export function rolloutSeconds(probe: Sampling, count: number, group: number): number {
  if (count === 0) return 0;
  const last = itemAt(probe.waves, probe.waves.length - 1, 'waves');
  const scale = last.seconds / modelled(last.rollouts, last.group, probe);
  return scale * modelled(cycled(lengthsOf(probe), count), group, probe);
}

type Context = Pick<ProbedRollout, 'prompt'> & { tokens: number };

const contextOf = ({ decoded, prompt, read }: Length): Context => ({
  prompt,
  tokens: decoded + prompt + read,
});

/** Tokens of the micro-batches of these contexts, as the learner makes them. Contexts of a micro-batch share their prompt. */
function batchTokens(contexts: readonly Context[], microTokens: number): number[] {
  const prompt = mean(contexts.map((one) => one.prompt));
  const batches: number[] = [];
  for (const { tokens } of contexts.toSorted((a, b) => b.tokens - a.tokens)) {
    const last = batches.at(-1);
    const added = tokens - prompt;
    if (last !== undefined && last + added <= microTokens)
      batches[batches.length - 1] = last + added;
    else batches.push(tokens);
  }
  const whole = sum(contexts.map(({ tokens }) => tokens));
  if (batches.length > FEW_BATCHES || whole < WORTH_TWO_BATCHES) return batches;
  const count = Math.min(batches.length + (batches.length % 2), contexts.length);
  const all = whole + (count - contexts.length) * prompt;
  return Array.from({ length: count }, () => all / count);
}

/** Seconds in which engines take micro-batches as they become free. @param seconds of a token, all engines at work */
function spreadSeconds(contexts: readonly Context[], seconds: number, probe: Probe): number {
  if (contexts.length === 0) return 0;
  const busy = Array.from({ length: probe.engines }, () => 0);
  for (const tokens of batchTokens(contexts, probe.microTokens)) {
    const free = busy.indexOf(Math.min(...busy));
    busy[free] = itemAt(busy, free) + tokens * seconds * probe.engines;
  }
  return Math.max(...busy);
}

/** Seconds of an update on this many contexts; 0 where the probe had nothing to train. */
const learnSeconds = (probe: Foreseen, count: number, kind: 'update' | 'score'): number =>
  spreadSeconds(cycled(lengthsOf(probe).map(contextOf), count), probe[kind] ?? 0, probe);

/** Share of groups whose rewards vary, by the rewards of the probe as if each came by chance. */
function varying(probe: Probe, groupSize: number): number {
  const rewards = probe.waves.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const counts = new Map<number | null, number>();
  for (const reward of rewards) counts.set(reward, (counts.get(reward) ?? 0) + 1);
  return 1 - sum([...counts.values()].map((count) => (count / rewards.length) ** groupSize));
}

/** The number that is taken where a probe leaves it open: the likeliest, or an end of its 95 % interval. */
export type Bound = 'expected' | 'low' | 'high';

/**
 * Probability that the rewards of a group vary. The ends are those of two rewards, of which the commoner has a share
 * at an end of Wilson's interval over the probe's rollouts: few rollouts that are all wrong say little of the next.
 */
function varyingAt(probe: Probe, groupSize: number, bound: Bound): number {
  const expected = varying(probe, groupSize);
  if (bound === 'expected') return expected;
  const rewards = probe.waves.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const most = Math.max(
    ...[...new Set(rewards)].map((one) => rewards.filter((reward) => reward === one).length),
  );
  const [least, greatest] = shareInterval(most / rewards.length, rewards.length);
  const share = Math.max(0.5, bound === 'low' ? greatest : least);
  const varies = 1 - share ** groupSize - (1 - share) ** groupSize;
  return bound === 'low' ? Math.min(expected, varies) : Math.max(expected, varies);
}

/** Whether a step without advantages has no gradient, and skips its update: see `hasNoGradient`. */
function skipsWithoutAdvantage({ objective }: TrainSettings, reward: string): boolean {
  const { estimator, kl, credit } = objective;
  const pulled = kl.place !== 'off' && kl.coefficient > 0;
  return (
    typeof estimator === 'string' &&
    !pulled &&
    credit !== 'span' &&
    !rightTeach(objective) &&
    !rewardById(reward)?.steps
  );
}

/**
 * Share of steps that make their update. One group that varies is enough: the update then takes the rollouts of all groups.
 */
function updatesOf(settings: TrainSettings, probe: Foreseen, reward: string, bound: Bound): number {
  const { questions, groupSize } = settings;
  const known =
    !probe.imitates &&
    probe.waves.every(({ rollouts }) => rollouts.every((one) => one.reward !== null));
  if (!known || groupSize < 2 || !skipsWithoutAdvantage(settings, reward)) return 1;
  const groups = questions * batchesOf(settings, probe);
  return 1 - (1 - varyingAt(probe, groupSize, bound)) ** groups;
}

/** Batches of a step: as many as give enough groups that vary, where others are drawn again. */
function batchesOf({ dynamicSampling, groupSize }: TrainSettings, probe: Foreseen): number {
  if (!dynamicSampling || probe.imitates) return 1;
  const { maxBatches } = dynamicSampling;
  const share = varying(probe, groupSize);
  return share === 0 ? maxBatches : Math.min(maxBatches, Math.ceil(1 / share));
}

/** Rollouts that run together before the first step and in held-out scores. */
const WAVE = 64;

/** Seconds of rollouts of as many questions, in waves. */
export const wavesSeconds = (probe: Foreseen, count: number, group: number): number =>
  Math.floor(count / WAVE) * rolloutSeconds(probe, WAVE, group) +
  rolloutSeconds(probe, count % WAVE, group);

export interface StepSeconds {
  rollouts: number;
  update: number;
  /** Of all held-out questions, where a step has them. */
  heldOut: number;
}

/** A step of a stage. @param step from 1 */
export function stepSeconds(
  settings: TrainSettings,
  probe: Foreseen,
  step: number,
  bound: Bound = 'expected',
): StepSeconds {
  const { questions, groupSize, objective, heldOut } = settings;
  const { loss, reward } = itemAt(settings.stages, stageAt(settings.stages, step), 'stages');
  const scored = wavesSeconds(probe, heldOut.questions, 1);
  if (isStored(loss)) {
    const count = loss.kind === 'stored-dpo' ? 2 * loss.batch : loss.batch;
    return { rollouts: 0, update: learnSeconds(probe, count, 'update'), heldOut: scored };
  }
  const size = questions * groupSize;
  const updates = loss ? 1 : updatesOf(settings, probe, reward, bound);
  const reference = objective.kl.place === 'off' ? 0 : learnSeconds(probe, size, 'score');
  return {
    rollouts: batchesOf(settings, probe) * rolloutSeconds(probe, size, groupSize),
    update: updates * (reference + learnSeconds(probe, size, 'update')),
    heldOut: scored,
  };
}

/** A mean over the steps of a run. */
export function meanStepSeconds(
  settings: TrainSettings,
  probe: Foreseen,
  bound: Bound = 'expected',
): StepSeconds {
  if (settings.steps === 0) return { rollouts: 0, update: 0, heldOut: 0 };
  // Steps of one stage are alike.
  const stages = new Map<number, number>();
  for (let step = 1; step <= settings.steps; step++) {
    const stage = stageAt(settings.stages, step);
    stages.set(stage, (stages.get(stage) ?? 0) + 1);
  }
  const first = (stage: number): number =>
    1 +
    Array.from({ length: settings.steps }, (_, i) => stageAt(settings.stages, i + 1)).indexOf(
      stage,
    );
  const all = [...stages].map(([stage, count]) => ({
    count,
    seconds: stepSeconds(settings, probe, first(stage), bound),
  }));
  const over = (of: keyof StepSeconds): number =>
    sum(all.map(({ count, seconds }) => count * seconds[of])) / settings.steps;
  return { rollouts: over('rollouts'), update: over('update'), heldOut: over('heldOut') };
}

/**
 * Seconds of supervised updates on as many trajectories.
 * @param batch trajectories of an update
 * @param tokens of each; null: as many as the probe's rollouts have
 */
export function trainSeconds(
  probe: Probe,
  trajectories: number,
  batch: number,
  tokens: number | null = null,
): number {
  const contexts = lengthsOf(probe).map(contextOf);
  const prompt = mean(contexts.map((one) => one.prompt));
  const one = { prompt, tokens: tokens ?? mean(contexts.map((each) => each.tokens)) };
  const update = Array.from({ length: batch }, () => one);
  return (trajectories / batch) * spreadSeconds(update, probe.update ?? 0, probe);
}

/** Of a rollout of the last wave, with as many at the same time. */
export function secondsPerRollout({ waves }: Probe): number {
  const last = itemAt(waves, waves.length - 1, 'waves');
  return last.seconds / last.rollouts.length;
}

/** What a probe says of the policy and the device. */
export function probeSummary({ waves, engines, bytes, update }: Probe) {
  const rollouts = waves.flatMap((wave) => wave.rollouts);
  const last = itemAt(waves, waves.length - 1, 'waves');
  return {
    rollouts: rollouts.length,
    right: rollouts.filter(({ right }) => right).length,
    formatValid: rollouts.filter(({ formatValid }) => formatValid).length,
    searches: mean(rollouts.map(({ searches }) => searches)),
    /** Policy tokens of a rollout, and tokens of its whole context. */
    decoded: mean(rollouts.map(({ expected }) => expected)),
    context: mean(rollouts.map(({ expected, prompt, read }) => expected + prompt + read)),
    /** Policy tokens per second of the last wave, and context tokens per second of an update. */
    tokensPerSecond: sum(last.rollouts.map(({ decoded }) => decoded)) / last.seconds,
    trainedPerSecond: update === null ? null : 1 / update,
    engines,
    bytes,
    /** Whether no two rewards differ: a first step would learn nothing. */
    allEqual: new Set(rollouts.map(({ reward }) => reward)).size === 1,
  };
}
