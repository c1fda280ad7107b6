import { z } from 'zod';

/**
 * Knowledge extraction: what the policy reads in place of passages is written for its query by someone who sees
 * its reasoning so far (Search-o1's reason-in-documents, arXiv 2501.05366, equation (4)).
 */
export const extractionSchema = z.strictObject({
  /** Most tokens of one extract. */
  maxTokens: z.int().min(1).max(2048),
  /** Whether the reasoning before the search is seen; the other arm sees the query alone. */
  reasoning: z.boolean().default(true),
});

/** One step of reasoning, as the extraction is shown it. */
export interface Step {
  text: string;
  /** It is a search or its result. */
  search: boolean;
}

const WHOLE = 5;
const LAST = 4;

/**
 * The reasoning before a search, as its code cuts it: all of up to five steps; of more the first, the last four
 * and all that search, three dots in place of the others.
 */
export function shownReasoning(steps: readonly Step[]): string {
  const numbered = steps.map(({ text }, i) => `Step ${i + 1}: ${text}`);
  if (steps.length <= WHOLE) return numbered.join('\n\n');
  const lines: string[] = [];
  numbered.forEach((line, i) => {
    const kept = i === 0 || i >= steps.length - LAST || steps[i]?.search === true;
    if (kept) lines.push(line);
    else if (lines.at(-1) !== '...') lines.push('...');
  });
  return lines.join('\n\n');
}
