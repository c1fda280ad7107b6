import type { LoopHooks } from '../../agent/hooks.ts';

/**
 * What the policy writes is read, until its thought is over, as a mixture of each token and what was expected in its place;
 * by an adapter with gates. Without gates tokens are read as themselves. Other blocks are read as tokens.
 */
export const hooks = (): LoopHooks => ({
  samplingOptions({ conversation, tags }) {
    const { open } = conversation.parser;
    return open === null || open === 'think' ? { latent: tags.thoughtEnds } : {};
  },
});
