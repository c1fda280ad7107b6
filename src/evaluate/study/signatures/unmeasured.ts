/** What of a recipe's or switch's signature no study of this repository asks, by its id; a clause each. */
const UNMEASURED: Readonly<Record<string, readonly string[]>> = {
  corag: ['exact match by the logarithm of tokens', 'a random chain of N'],
  rare: ['which old fact is given'],
};

/** Clauses of a signature that nobody measured though others were; empty where there are none. */
export const unmeasuredOf = (recipe: string): readonly string[] => UNMEASURED[recipe] ?? [];
