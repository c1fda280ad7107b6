import type { Latents } from '../policy/lora/train-batch.ts';
import { MODEL_DISTRIBUTION, type Rollout } from '../records/rollout.ts';

/** Tokens of a context whose gradient is taken. */
export function trainedCount(mask: Uint8Array): number {
  let n = 0;
  for (let i = 1; i < mask.length; i++) n += Number(mask[i] === 1);
  return n;
}

/**
 * The mask without text between an opening and the next closing tag, tags included, even if the policy wrote them
 * (R1-Searcher, train/openrlhf, as released); an opening tag without a closing one takes all that is left.
 */
export function maskedByTags(
  ids: ArrayLike<number>,
  mask: Uint8Array,
  { open, close }: { open: number; close: number },
): Uint8Array {
  let inside = false;
  return mask.map((trained, i) => {
    inside ||= ids[i] === open;
    const kept = inside ? 0 : trained;
    if (ids[i] === close) inside = false;
    return kept;
  });
}

/**
 * The mask without the first blocks of tool output, tags included, even if the policy wrote them, and with the output after them
 * (CIR, RUCAIBox/CIR, ray_trainer.py, as released: blocks are looked for in the text, and only this many as calls are
 * allowed); an opening tag without a closing one is not a block.
 * @param outputs 1 where the environment wrote a result
 */
export function maskedFirstCalls(
  ids: Int32Array,
  { mask, outputs }: { mask: Uint8Array; outputs: Uint8Array },
  { open, close }: { open: number; close: number },
  calls: number,
): Uint8Array {
  const trained = mask.map((bit, i) => (bit === 1 || outputs[i] === 1 ? 1 : 0));
  let from = 0;
  for (let call = 0; call < calls; call++) {
    const start = ids.indexOf(open, from);
    const end = start < 0 ? -1 : ids.indexOf(close, start);
    if (end < 0) break;
    trained.fill(0, start, end + 1);
    from = end + 1;
  }
  return trained;
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
  const { logprobsOf = MODEL_DISTRIBUTION } = policy ?? {};
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
