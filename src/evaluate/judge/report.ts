import { oneLine } from '../../base/errors.ts';
import { judgeAgreement, type JudgeAgreement } from './agreement.ts';
import { PROMPT_VERSION } from './prompt.ts';
import type { JudgeItem, JudgeOutcome, JudgeRun } from './run.ts';

/** What is notified of a judge's run: verdicts, agreement with exact match, what was not judged, its cost. */

/** Of a million tokens, in US dollars. */
export interface JudgePrice {
  prompt: number;
  completion: number;
}

export interface JudgeCost {
  /** Replies asked for; verdicts that were known already cost nothing. */
  calls: number;
  /** Calls whose tokens the model did not tell; they are in no sum. */
  uncounted: number;
  promptTokens: number;
  completionTokens: number;
  /** Seconds of the calls, added up; several are under way at once. */
  seconds: number;
  /** US dollars; null where the price is not known, or the tokens of a call are not. */
  dollars: number | null;
}

export interface NotJudged {
  id: string;
  question: string;
  reason: string;
}

export interface JudgeReport {
  /** The model and the version of the prompt. */
  judge: string;
  promptVersion: number;
  /** Answers that were to be judged. */
  answers: number;
  /** Those with a readable verdict. */
  judged: number;
  /** Right of `judged`, 0 to 1; null without any. */
  right: number | null;
  /** Verdicts known from an earlier run, or of an equal answer. */
  known: number;
  agreement: JudgeAgreement;
  /** Every answer without a verdict, and why. */
  notJudged: NotJudged[];
  ended: JudgeRun['ended'];
  cost: JudgeCost;
}

const SKIPPED = {
  'no-gold': 'there is no gold answer to judge by',
  'not-scored': 'the answer of the rollout cannot be read',
} as const;

/** Why there is no verdict; null where there is one. */
export function whyNotJudged(outcome: JudgeOutcome | undefined): string | null {
  if (!outcome) return 'it was not judged yet';
  switch (outcome.status) {
    case 'failed':
      return outcome.message;
    case 'skipped':
      return SKIPPED[outcome.why];
    case 'judged': {
      const { verdict, said } = outcome.judgement;
      if (verdict !== 'unreadable') return null;
      return said.trim() === ''
        ? 'the reply of the judge is empty'
        : `the reply is not just True or False: “${oneLine(said, 200)}”`;
    }
  }
}

function costOf(outcomes: readonly JudgeOutcome[], price: JudgePrice | null): JudgeCost {
  const cost = { calls: 0, uncounted: 0, promptTokens: 0, completionTokens: 0, seconds: 0 };
  for (const outcome of outcomes) {
    const spent =
      outcome.status === 'judged' && !outcome.judgement.cached ? outcome.judgement.spent : null;
    if (!spent) continue;
    cost.calls += spent.calls;
    cost.uncounted += spent.uncounted;
    cost.promptTokens += spent.prompt;
    cost.completionTokens += spent.completion;
    cost.seconds += spent.seconds;
  }
  const { promptTokens, completionTokens, uncounted } = cost;
  const dollars =
    price && uncounted === 0
      ? (promptTokens * price.prompt + completionTokens * price.completion) / 1e6
      : null;
  return { ...cost, dollars };
}

/** The report of a run of `judgeAnswers`; answers that failed or cannot be read count neither way. */
export function judgeReport(
  judge: string,
  items: readonly JudgeItem[],
  { outcomes, ended }: Pick<JudgeRun, 'outcomes' | 'ended'>,
  price: JudgePrice | null = null,
): JudgeReport {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const agreement = judgeAgreement(items, outcomes);
  const { n, bothRight, judgeOnly } = agreement;
  return {
    judge,
    promptVersion: PROMPT_VERSION,
    answers: items.length,
    judged: n,
    right: n === 0 ? null : (bothRight + judgeOnly) / n,
    known: outcomes.filter((one) => one.status === 'judged' && one.judgement.cached).length,
    agreement,
    notJudged: items.flatMap(({ id, question }) => {
      const reason = whyNotJudged(byId.get(id));
      return reason === null ? [] : [{ id, question, reason }];
    }),
    ended,
    cost: costOf(outcomes, price),
  };
}
