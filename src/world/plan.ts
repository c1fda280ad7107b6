import type { ChainStep } from '../data/records.ts';
import type { Draft } from './questions.ts';
import { listRelation, relation } from './schema.ts';

/** How a question is worked through: what the policy should think, search and answer. */
export interface Plan {
  /** First thought: the decomposition. */
  plan: string;
  steps: PlanStep[];
  /** What follows from the last look-up, before "done"; empty where nothing does. */
  conclusion: string;
  answer: string;
  form: 'short' | 'long';
}

export interface PlanStep {
  chain: ChainStep;
  query: string;
  /** Other wordings of the query, to try after a miss. */
  otherQueries: string[];
  /** What to write once it was found: "director is Velor Tamsin"; lists in the order as read. */
  found: (items: readonly string[]) => string;
  /** How the step before announces it: "birth city". */
  name: string;
}

/** @throws Error for a question without a chain */
export const planOf = (question: Draft): Plan => {
  const { chain, type, answers } = question;
  const answer = answers[0];
  if (!chain || answer === undefined) throw new Error('a plan needs a gold chain and an answer');
  // Along one path "director" says enough; look-ups of two subjects are named in full.
  const branching = type !== 'bridge' && type !== 'summary';
  const steps = chain.map((step, i) =>
    planStep(step, branching && !(isThird(question) && i === 2)),
  );
  const tail = conclusion(question);
  const names = steps.map((s) => s.name);
  if (tail.goal && !isThird(question)) names.push(tail.goal);
  if (isThird(question)) names.splice(2, 0, tail.goal);
  const shown = chain.length === 4 && branching ? compact(names) : names;
  const conclusionText = isThird(question) ? '' : tail.text;
  const common = steps[1];
  if (isThird(question) && common) {
    const { found } = common;
    common.found = (items) => `${found(items)} . ${tail.text}`;
  }
  return {
    plan: `plan : ${shown.join(' , ')}`,
    steps,
    conclusion: conclusionText,
    answer,
    form: type === 'summary' ? 'long' : 'short',
  };
};

/** An intersection that goes on to a property of the common item. */
const isThird = (q: Draft): boolean => q.type === 'intersection' && q.chain?.length === 3;

/** Birth years of people not yet known are named by the relation alone. */
const compact = (names: readonly string[]): string[] => [
  ...names.slice(0, 2),
  'birth year',
  ...names.slice(4),
];

const planStep = (chain: ChainStep, full: boolean): PlanStep => {
  const list = listRelation(chain.relation);
  const label = list ? list.label : relation(chain.relation).label;
  const name = full || list ? chain.query : label;
  return {
    chain,
    query: chain.query,
    otherQueries: [`${chain.subject} ${label}`, chain.subject],
    found: (items) => `${name} ${list ? 'are' : 'is'} ${items.join(' , ')}`,
    name,
  };
};

/** What the look-ups lead to, and the name of that goal in the plan. */
const conclusion = (q: Draft): { goal: string; text: string } => {
  const [a, b, c, d] = q.chain ?? [];
  if (!a || !b) return { goal: '', text: '' };
  if (q.type === 'yesno') return { goal: 'same', text: `same is ${q.answers[0]}` };
  if (q.type === 'intersection') {
    const items = b.object.split(', ');
    const common = a.object.split(', ').find((x) => items.includes(x));
    return { goal: 'common', text: `common is ${common}` };
  }
  if (q.type === 'comparison') {
    const goal = /\b(earlier|later|shorter|longer)\b/.exec(q.text)?.[1] ?? 'earlier';
    const values = c && d ? [c, d] : [a, b];
    const people = c !== undefined && q.answers[0] !== a.subject && q.answers[0] !== b.subject;
    const named = c && !people ? [a.subject, b.subject] : values.map((v) => v.subject);
    const stated = named.map((n, i) => `${n} ${values[i]?.object}`).join(' , ');
    return { goal, text: `${stated} . ${goal} is ${q.answers[0]}` };
  }
  return { goal: '', text: '' };
};
