import type { ChainStep, Question } from '../../records/records.ts';
import { LIST_RELATIONS } from '../schema/joint-relations.ts';
import { relation } from '../schema/schema.ts';
import { sumOf, yearsBetween, type Worked } from './numbers.ts';

type Draft = Omit<Question, 'id'>;

/** How a question is worked through: what the policy should think, search and answer. */
export interface Plan {
  /** The names of steps and conclusion, in order: the decomposition. */
  announced: string;
  steps: PlanStep[];
  /** What follows where nothing is looked up. */
  conclusion?: Conclusion;
  answer: string;
  /** The text of a long answer; absent for a short one. */
  summary?: string;
}

export interface PlanStep {
  /** Absent for what no passage states. */
  chain?: ChainStep;
  /** The name by which its subject is known before it is looked up. */
  known: string;
  label: string;
  query: string;
  /** How the step before announces it: "birth city". */
  name: string;
  /** What to write once it was found: "director is Velor Tamsin"; lists in the order as read. */
  found: (items: readonly string[]) => string;
  /** What follows once this and all earlier steps are known. */
  conclusion?: Conclusion;
}

export interface Conclusion {
  /** Its name in the plan: "common", "difference". */
  goal: string;
  /** What is set side by side before the verdict; may be empty. */
  stated: string;
  /** Where a number is worked out. */
  worked?: Worked;
  verdict: string;
}

/** Forms whose look-ups stand side by side and are named in full. */
const SIDE_BY_SIDE = new Set<Draft['type']>([
  'comparison',
  'intersection',
  'yesno',
  'counting',
  'arithmetic',
]);

const listOf = (id: string) => LIST_RELATIONS.find((list) => list.id === id);
export const isList = (step: ChainStep): boolean => listOf(step.relation) !== undefined;

const labelOf = (id: string): string => listOf(id)?.label ?? relation(id).label;

/** A query without the words of its relation: the name of which it asks. */
const knownIn = (query: string, label: string): string =>
  query.startsWith(`${label} of `) ? query.slice(label.length + 4) : query.slice(label.length + 1);

/** @throws Error for a question without an answer */
export const planOf = (question: Draft): Plan => {
  const { chain = [], type, answers, missing, text } = question;
  const answer = answers[0];
  if (answer === undefined) throw new Error('a plan needs an answer');
  const full = SIDE_BY_SIDE.has(type);
  const steps = chain.map((step): PlanStep => planStep(step, full));
  const end = conclusionOf(question, steps);
  // A common item is known after two lists, and may itself be asked about.
  const at = type === 'intersection' ? 1 : steps.length - 1;
  const last = steps[at];
  if (end && last) steps[at] = { ...last, conclusion: end };
  if (missing) {
    const label = labelOf(missing.relation);
    const known = knownIn(missing.query, label);
    const nothing = { known, label, query: missing.query, name: label, found: () => '' };
    steps.push(nothing);
  }
  return {
    announced: announcements(steps, text, end).join(' , '),
    steps,
    ...(end && !last && { conclusion: end }),
    answer,
    ...(question.summary && { summary: question.summary.join(' ') }),
  };
};

const planStep = (chain: ChainStep, full: boolean): PlanStep => {
  const list = isList(chain);
  const label = labelOf(chain.relation);
  const name = full || list ? chain.query : label;
  return {
    chain,
    known: knownIn(chain.query, label),
    label,
    query: chain.query,
    name,
    found: (items) => `${name} ${list ? 'are' : 'is'} ${items.join(' , ')}`,
  };
};

/** In full what the question itself names; what is not known yet only by its relation, and once. */
const announcements = (
  steps: readonly PlanStep[],
  text: string,
  end: Conclusion | undefined,
): string[] => {
  const names = steps.flatMap((step) => {
    const own = text.includes(step.known) ? step.name : step.label;
    return step.conclusion ? [own, step.conclusion.goal] : [own];
  });
  if (end && steps.length === 0) names.push(end.goal);
  return [...new Set(names)];
};

const conclusionOf = (question: Draft, steps: readonly PlanStep[]): Conclusion | undefined => {
  const [a, b] = steps;
  switch (question.type) {
    case 'comparison':
      return compared(question, steps);
    case 'intersection':
      return a && b && common(a, b);
    case 'yesno':
      return b ? same(question) : a && claimed(question, a);
    case 'counting':
      return counted(question, steps);
    case 'arithmetic':
      return calculated(question, steps);
    case 'computation':
      return computed(question);
    default:
      return undefined;
  }
};

const objectOf = (step: PlanStep | undefined): string => step?.chain?.object ?? '';

const common = (a: PlanStep, b: PlanStep): Conclusion => {
  const items = objectOf(b).split(', ');
  const found = objectOf(a)
    .split(', ')
    .find((x) => items.includes(x));
  return { goal: 'common', stated: '', verdict: `common is ${found ?? ''}` };
};

const COMPARATIVES = /\b(earlier|later|shorter|longer|fewer|more)\b/;

/** Both values beside each other, then the verdict: "A 1931 , B 1942 . earlier is A". */
const compared = (question: Draft, steps: readonly PlanStep[]): Conclusion | undefined => {
  const [a, b, c = a, d = b] = steps;
  if (!a || !b || !c || !d) return undefined;
  const answer = question.answers[0] ?? '';
  const goal = COMPARATIVES.exec(question.text)?.[1] ?? 'earlier';
  // A deep comparison asks for the things or for the people after them.
  const things = answer === a.known || answer === b.known;
  const [one, two] = things ? [a.known, b.known] : [c.known, d.known];
  return {
    goal,
    stated: `${one} ${objectOf(c)} , ${two} ${objectOf(d)}`,
    verdict: `${goal} is ${answer}`,
  };
};

const same = ({ answers }: Draft): Conclusion => ({
  goal: 'same',
  stated: '',
  verdict: `same is ${answers[0]}`,
});

const claimed = ({ text, answers }: Draft, step: PlanStep): Conclusion => {
  const asked = /^Is (.+?) the /.exec(text)?.[1] ?? '';
  const stated = `asked ${asked} , is ${objectOf(step)}`;
  return { goal: 'same', stated, verdict: `same is ${answers[0]}` };
};

/** How many items a list has, or how many of them came before a year. */
const counted = ({ text, answers }: Draft, steps: readonly PlanStep[]): Conclusion => {
  const verdict = `count is ${answers[0]}`;
  const [, ...dated] = steps;
  const year = /before (\d+)\?$/.exec(text)?.[1];
  if (year === undefined) return { goal: 'count', stated: '', verdict };
  const before = dated.filter((s) => Number(objectOf(s)) < Number(year)).map((s) => s.known);
  const values = dated.map((s) => `${s.known} ${objectOf(s)}`).join(' , ');
  const named = before.length > 0 ? `are ${before.join(' , ')}` : 'none';
  return { goal: 'count', stated: `${values} . before ${year} ${named}`, verdict };
};

const calculated = ({ composition = '' }: Draft, steps: readonly PlanStep[]): Conclusion => {
  const sum = composition.startsWith('sum');
  const values = steps.map((s) => Number(objectOf(s))).filter((value) => !Number.isNaN(value));
  const [x = 0, y = 0] = values;
  return numbered(sum ? 'sum' : 'difference', sum ? sumOf(x, y) : yearsBetween(x, y));
};

const numbered = (goal: string, worked: Worked): Conclusion => ({
  goal,
  stated: '',
  worked,
  verdict: `${goal} is ${worked.result}`,
});

/** What the question's own words give. */
const computed = ({ composition = '', text, answers }: Draft): Conclusion => {
  const [a = 0, b = 0] = (text.match(/\d+/g) ?? []).map(Number);
  if (composition === 'compute(order)') {
    const goal = COMPARATIVES.exec(text)?.[1] ?? 'earlier';
    return { goal, stated: '', verdict: `${goal} is ${answers[0]}` };
  }
  if (composition === 'compute(difference)') return numbered('difference', yearsBetween(a, b));
  return numbered('sum', sumOf(a, b));
};

/** The question as it stands for a reader who has not asked which one is meant. */
export const unclarified = (question: Draft, reply: string): Draft => {
  const [first, ...rest] = question.chain ?? [];
  if (!first) return question;
  const query = first.query.replace(reply, reply.split(' (')[0] ?? reply);
  return { ...question, chain: [{ ...first, query }, ...rest] };
};
