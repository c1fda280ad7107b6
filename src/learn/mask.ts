import type { Latents } from '../policy/lora/train-batch.ts';
import type { Rollout } from '../records/rollout.ts';

/** Tokens of a context whose gradient is taken. */
export function trainedCount(mask: Uint8Array): number {
  let n = 0;
  for (let i = 1; i < mask.length; i++) n += Number(mask[i] === 1);
  return n;
}

/** The context of a rollout as the trainer needs it; its arrays are of one length. */
export interface TrainedTokens {
  /** Every token of the context, or of its contexts, in order. */
  ids: Int32Array;
  /** 1 where the policy wrote the token and the loss may train it. */
  mask: Uint8Array;
  /** What the sampler gave each trained token, natural log; 0 elsewhere. */
  oldLogprobs: Float32Array;
  /** Of the softmax that they are of, over the whole vocabulary. */
  temperature: number;
  /** Tokens with which the context restarted, in order. */
  starts: number[];
}

/**
 * The temperature that a record's log-probabilities are of.
 * @throws Error where the trainer cannot compute the same: a truncated distribution, or one not known
 */
function temperatureOf({ id, policy }: TrainedRecord): number {
  const logprobsOf = policy?.logprobsOf;
  // As the model gives them, where a record says nothing else.
  if (logprobsOf === undefined) return 1;
  const fault = (what: string): Error => new Error(`rollout ${id}: ${what}`);
  if (!logprobsOf)
    throw fault(
      'its record does not say which distribution its log-probabilities belong to, so it cannot be trained on; ' +
        'sample with a model that runs here',
    );
  const { temperature, topK, topP } = logprobsOf;
  if (topK > 0 || topP < 1)
    throw fault(
      `its log-probabilities belong to a truncated distribution (top-k ${topK}, top-p ${topP}), ` +
        'which a trainer cannot compute; sample with top-p 1 and without top-k',
    );
  if (!(temperature > 0)) throw fault('it was not sampled: its temperature is 0');
  return temperature;
}

/** Tokens with which a rollout's context restarted, in order. */
export const startsOf = ({
  segments,
  contexts = [],
}: Pick<Rollout, 'segments' | 'contexts'>): number[] =>
  contexts.map((at) => segments.slice(0, at).reduce((sum, { ids }) => sum + ids.length, 0));

type TrainedRecord = Pick<Rollout, 'id' | 'segments' | 'contexts'> & {
  policy?: Pick<Rollout['policy'], 'logprobsOf'>;
};

/**
 * Token ids, loss mask, old log-probabilities of a record and what these are of. The mask comes from who wrote a
 * segment, never from the tags in it; nothing is tokenized again.
 * @throws Error naming the segment where a record contradicts itself
 */
export function trainedTokens(rollout: TrainedRecord): TrainedTokens {
  const length = rollout.segments.reduce((sum, { ids }) => sum + ids.length, 0);
  const ids = new Int32Array(length);
  const mask = new Uint8Array(length);
  const oldLogprobs = new Float32Array(length);
  let at = 0;
  rollout.segments.forEach((segment, number) => {
    const fault = (what: string): Error =>
      new Error(`rollout ${rollout.id}: segment ${number} ${what}`);
    ids.set(segment.ids, at);
    if (segment.mask === 1) {
      if (segment.source !== 'policy')
        throw fault(`was written by the ${segment.source}, but is marked as trained`);
      if (segment.tokens)
        throw fault('has pieces of text instead of token ids: its model cannot be trained here');
      if (segment.logprobs?.length !== segment.ids.length)
        throw fault('needs one log-probability per token');
      if (!segment.logprobs.every((value) => Number.isFinite(value) && value <= 1e-4))
        throw fault('has a log-probability that is not a finite number ≤ 0');
      mask.fill(1, at, at + segment.ids.length);
      oldLogprobs.set(segment.logprobs, at);
    }
    at += segment.ids.length;
  });
  return {
    ids,
    mask,
    oldLogprobs,
    temperature: temperatureOf(rollout),
    starts: startsOf(rollout),
  };
}

/** One rollout's tokens, before advantages. */
export interface Sequence {
  rollout: Rollout;
  group: number;
  ids: Int32Array;
  mask: Uint8Array;
  temperature: number;
  /** Of the trained tokens only. */
  oldLogprobs: Float32Array;
  /** What the ratio is taken to, where that is not what the sampler said. */
  behaviour?: Float32Array;
  entropies: Float32Array;
  /** What was read as mixtures, where the policy thought so. */
  latents?: Latents;
  /** Tokens with which the context restarted, where it did. */
  starts?: number[];
  /** It was sampled behind other tokens than these, so that its log-probabilities say nothing of the sampler's precision. */
  otherContext?: true;
}

export type Trained = Pick<Sequence, 'mask' | 'oldLogprobs' | 'entropies' | 'behaviour'>;

/** The sequence with another mask. @param scores of the tokens that were not trained */
export function remasked<S extends Trained>(
  sequence: S,
  mask: Uint8Array,
  scores?: { logprobs: Float32Array; entropies: Float32Array },
): S {
  const merged = (own: Float32Array, further?: Float32Array): Float32Array => {
    let [a, b] = [0, 0];
    const all = Array.from(mask, (bit, i) => {
      if (i === 0) return null;
      const value = sequence.mask[i] === 1 ? own[a++] : bit === 1 ? further?.[b++] : 0;
      return bit === 1 ? (value ?? null) : null;
    });
    return Float32Array.from(all.filter((value) => value !== null));
  };
  const { oldLogprobs, entropies, behaviour } = sequence;
  return {
    ...sequence,
    mask,
    oldLogprobs: merged(oldLogprobs, scores?.logprobs),
    entropies: merged(entropies, scores?.entropies),
    ...(behaviour && { behaviour: merged(behaviour, scores?.logprobs) }),
  };
}
