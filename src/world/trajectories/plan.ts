import type { ChainStep } from '../../records/records.ts';
import type { Draft } from '../questions/question-scope.ts';
import { listRelation, relation } from '../facts/schema.ts';

/** How a question is worked through: what the policy should think, search and answer. */
export interface Plan {
  /** First thought: the decomposition. */
  plan: string;
  steps: PlanStep[];
  answer: string;
  form: 'short' | 'long';
}

export interface PlanStep {
  chain: ChainStep;
  query: string;
  /** Other wordings of the query, to try after a miss. */
  otherQueries: string[];
  /** How the plan and the step before announce it: "birth city". */
  name: string;
  /** What to write once it was found: "director is Velor Tamsin"; lists in the order as read. */
  found: (items: readonly string[]) => string;
  /** What follows once this and all earlier steps are known: "common is Silent Harbor". */
  conclusion?: Conclusion;
}

interface Conclusion {
  /** Its name in the plan. */
  goal: string;
  text: string;
}

/** @throws Error for a question without a chain */
export const planOf = (question: Draft): Plan => {
  const { chain, type, answers } = question;
  const answer = answers[0];
  if (!chain || answer === undefined) throw new Error('a plan needs a gold chain and an answer');
  const end = conclusion(question);
  // Two look-ups side by side are compared after the last of them; four are two and two.
  const concludes = type === 'intersection' ? 1 : chain.length - 1;
  const steps = chain.map((step, i): PlanStep => {
    const planned = planStep(step, end !== undefined && i <= concludes);
    return end && i === concludes ? { ...planned, conclusion: end } : planned;
  });
  return {
    plan: `plan : ${announcements(steps).join(' , ')}`,
    steps,
    answer,
    form: type === 'summary' ? 'long' : 'short',
  };
};

/** The names of the steps and of the conclusion, in order. */
const announcements = (steps: readonly PlanStep[]): string[] => {
  const deep = steps.length === 4 && steps[3]?.conclusion !== undefined;
  return steps.flatMap((s, i) => {
    // The people of a deep comparison are not known yet: one "birth year" stands for both.
    if (deep && i === 2) return [];
    const name = deep && i === 3 ? relation(s.chain.relation).label : s.name;
    return s.conclusion ? [name, s.conclusion.goal] : [name];
  });
};

/** Along one path "director" says enough; look-ups side by side are named in full. */
const planStep = (chain: ChainStep, full: boolean): PlanStep => {
  const list = listRelation(chain.relation);
  const label = list ? list.label : relation(chain.relation).label;
  const name = full || list ? chain.query : label;
  return {
    chain,
    query: chain.query,
    otherQueries: [`${chain.subject} ${label}`, chain.subject],
    name,
    found: (items) => `${name} ${list ? 'are' : 'is'} ${items.join(' , ')}`,
  };
};

const conclusion = (question: Draft): Conclusion | undefined => {
  const [a, b] = question.chain ?? [];
  if (!a || !b) return undefined;
  switch (question.type) {
    case 'yesno':
      return { goal: 'same', text: `same is ${question.answers[0]}` };
    case 'intersection':
      return { goal: 'common', text: `common is ${common(a, b)}` };
    case 'comparison':
      return compared(question, a, b);
    default:
      return undefined;
  }
};

const common = (a: ChainStep, b: ChainStep): string => {
  const items = b.object.split(', ');
  return a.object.split(', ').find((x) => items.includes(x)) ?? '';
};

/** Both values beside each other, then the verdict: "A 1931 , B 1942 . earlier is A". */
const compared = (question: Draft, a: ChainStep, b: ChainStep): Conclusion => {
  const [, , c = a, d = b] = question.chain ?? [];
  const answer = question.answers[0] ?? '';
  const goal = /\b(earlier|later|shorter|longer)\b/.exec(question.text)?.[1] ?? 'earlier';
  // A deep comparison asks for the things or for the people behind them.
  const sides = answer === a.subject || answer === b.subject ? [a, b] : [c, d];
  const stated = sides.map((s, i) => `${s.subject} ${(i === 0 ? c : d).object}`).join(' , ');
  return { goal, text: `${stated} . ${goal} is ${answer}` };
};
