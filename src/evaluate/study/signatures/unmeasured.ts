/** What of a recipe's or switch's signature no study of this repository asks, by its id; a clause each. */
const UNMEASURED: Readonly<Record<string, readonly string[]>> = {
  'search-r1': ['KL to the start where results are trained on as well'],
  'deep-researcher': ['searches that check a first answer'],
  're-seek': ['symmetric penalties'],
  'memory-r1': ['contradictions between facts', 'a manager that only adds'],
  'rex-rag': ['the ratio of the sentences without the correction'],
  'rag-gym': ['answering as the only choice'],
  'web-thinker': ['preferring right ones alone'],
  'sear-chain': ['answers of a wrong passage'],
  corag: ['exact match by the logarithm of tokens', 'a random chain of N'],
  rare: ['which old fact is given'],
  'speed-rl': ['rollouts to the same accuracy'],
  gppo: ['learning from wrong rollouts by themselves'],
};

/** Clauses of a signature that nobody measured though others were; empty where there are none. */
export const unmeasuredOf = (recipe: string): readonly string[] => UNMEASURED[recipe] ?? [];
