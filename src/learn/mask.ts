import type { Rollout } from '../data/rollout.ts';

/** The context of a rollout as the trainer needs it; three arrays of one length. */
export interface TrainedTokens {
  /** Every token of the context, in order. */
  ids: Int32Array;
  /** 1 where the policy wrote the token and the loss may train it. */
  mask: Uint8Array;
  /** What the sampler gave each trained token, natural log; 0 elsewhere. */
  oldLogprobs: Float32Array;
}

/**
 * Token ids, loss mask and old log-probabilities of a record. The mask comes from who wrote a
 * segment, never from the tags in it; nothing is tokenized again.
 * @throws Error naming the segment where a record contradicts itself
 */
export function trainedTokens(rollout: Pick<Rollout, 'id' | 'segments'>): TrainedTokens {
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
        throw fault(
          'holds pieces of text in place of token ids: its policy cannot be trained here',
        );
      if (segment.logprobs?.length !== segment.ids.length)
        throw fault('needs one log-probability a token');
      if (!segment.logprobs.every((value) => Number.isFinite(value) && value <= 1e-4))
        throw fault('has a log-probability that is none');
      mask.fill(1, at, at + segment.ids.length);
      oldLogprobs.set(segment.logprobs, at);
    }
    at += segment.ids.length;
  });
  return { ids, mask, oldLogprobs };
}
