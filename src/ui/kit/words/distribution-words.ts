import { MODEL_DISTRIBUTION, type Rollout } from '../../../records/rollout.ts';

/** The distribution of a record's log-probabilities and entropies, in a few words. */
export const distributionWords = ({
  logprobsOf = MODEL_DISTRIBUTION,
}: Pick<Rollout['policy'], 'logprobsOf'>): string => {
  if (logprobsOf === null) return 'not reported by the server';
  const { temperature, topK, topP } = logprobsOf;
  return [
    `temperature ${temperature}`,
    ...(topK > 0 ? [`top-k ${topK}`] : []),
    ...(topP < 1 ? [`top-p ${topP}`] : []),
  ].join(', ');
};
