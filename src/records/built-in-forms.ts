import type { Setup } from './setup.ts';

/**
 * What is built in came in two forms: the world's first, with a policy trained on it, and the second. What
 * was stored or sent in the time of the first says nothing of forms and means it; what is made now says so.
 */
export type BuiltInForm = 1 | 2;

type Parts = Pick<Setup, 'policy' | 'local' | 'web' | 'questions'>;
type Part = Setup['policy'] | Setup['local'] | Setup['web'] | Setup['questions'];

const isFirst = (part: Part): boolean => 'form' in part && part.form === 1;

const inForm = <T extends Part>(part: T, form: BuiltInForm): T => {
  if (part.kind !== 'built-in') return part;
  const { form: _, ...rest } = part as T & { form?: 1 };
  return (form === 1 ? { ...rest, form } : rest) as T;
};

/** The form of a setup's built-in parts; the second where it has none. */
export const formOf = ({ policy, local, web, questions }: Partial<Parts>): BuiltInForm =>
  [policy, local, web, questions].some((part) => part && isFirst(part)) ? 1 : 2;

/** Whether a run works with the first form; `setup` is absent where all of it is built in, of the second. */
export const isFirstForm = ({ setup }: { setup?: Setup }): boolean =>
  setup !== undefined && formOf(setup) === 1;

/** The setup with its built-in parts of a form. */
export const setupInForm = (setup: Setup, form: BuiltInForm): Setup => ({
  ...setup,
  policy: inForm(setup.policy, form),
  local: inForm(setup.local, form),
  web: inForm(setup.web, form),
  questions: inForm(setup.questions, form),
});

/** Beginning of the SHA-256 of the first policy's weights: its id is that of the second, its tokens are others. */
const FIRST_POLICY = '73a6c7860a7f';

/** Names whose tokens the ids of a policy are. */
export const tokensOf = ({ id, revision }: { id: string; revision: string }): string =>
  revision.startsWith(FIRST_POLICY) ? `${id}, first form` : id;
