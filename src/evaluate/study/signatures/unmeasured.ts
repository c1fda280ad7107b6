/** What of a recipe's or switch's signature no study of this repository asks, by its id; a clause each. */
const UNMEASURED: Readonly<Record<string, readonly string[]>> = {
  're-seek': ['symmetric penalties'],
  'rex-rag': ['the ratio of the sentences without the correction'],
  'rag-gym': ['answering as the only choice'],
  'web-thinker': ['preferring right ones alone'],
  corag: ['exact match by the logarithm of tokens', 'a random chain of N'],
  rare: ['which old fact is given'],
  gppo: ['learning from wrong rollouts by themselves'],
};

/** Clauses of a signature that nobody measured though others were; empty where there are none. */
export const unmeasuredOf = (recipe: string): readonly string[] => UNMEASURED[recipe] ?? [];
