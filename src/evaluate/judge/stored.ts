import { z } from 'zod';
import type { Judgement } from './judge.ts';
import { PROMPT_VERSION } from './prompt.ts';
import type { JudgeOutcome } from './run.ts';

/**
 * Judgements as lines of a file, `forage.judgement/1`: what was judged by whom, so that a run that was
 * ended continues, and nobody asks twice. A failure is stored with its reason and asked again.
 */

const count = z.int().min(0);

const lineSchema = z.object({
  format: z.literal('forage.judgement/1'),
  /** `judgementKey`: judge, question, gold answers and prediction. */
  key: z.string(),
  rollout: z.string(),
  judge: z.string(),
  promptVersion: count,
  verdict: z.enum(['right', 'wrong', 'unreadable']).nullable(),
  /** Why there is no verdict; null where there is one. */
  reason: z.string().nullable(),
  said: z.string(),
  spent: z
    .object({
      calls: count,
      uncounted: count,
      prompt: count,
      completion: count,
      seconds: z.number().min(0),
    })
    .nullable(),
  /** ISO 8601. */
  at: z.string(),
});

export type StoredJudgement = z.infer<typeof lineSchema>;

/** @param reason `whyNotJudged` of the outcome */
export function storedJudgement(
  key: string,
  judge: string,
  outcome: JudgeOutcome,
  reason: string | null,
  at: string,
): StoredJudgement {
  const judgement = outcome.status === 'judged' ? outcome.judgement : null;
  return {
    format: 'forage.judgement/1',
    key,
    rollout: outcome.id,
    judge,
    promptVersion: PROMPT_VERSION,
    verdict: judgement?.verdict ?? null,
    reason,
    said: judgement?.said ?? '',
    spent: judgement?.spent ?? null,
    at,
  };
}

/** What the lines of a file know: readable verdicts by their keys, and how many lines are none. */
export function knownJudgements(text: string): {
  known: Map<string, Judgement>;
  damaged: number;
} {
  const known = new Map<string, Judgement>();
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if (!parsed) {
      damaged += 1;
      continue;
    }
    const { key, verdict, judge, said, spent } = parsed;
    if (verdict === null || verdict === 'unreadable') continue;
    known.set(key, { verdict, by: judge, said, cached: true, ...(spent && { spent }) });
  }
  return { known, damaged };
}

function parseLine(line: string): StoredJudgement | null {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
