import { grounded } from '../../agent/answers/evidence.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import { planParts, planValid, readPlan, type SubQuestion } from '../../recipes/parts/plan.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

/** The sub-question with the answers so far in the place of #1, #2, …; one that is not known stays. */
export const substituted = (text: string, answers: readonly string[]): string =>
  text.replaceAll(/#(\d+)/gu, (mark, n: string) => answers[Number(n) - 1] ?? mark);

/** The best first, the second best last, the third best second, and so on. */
export function zigzag<T>(best: readonly T[]): T[] {
  const front = best.filter((_, i) => i % 2 === 0);
  const back = best.filter((_, i) => i % 2 === 1);
  return [...front, ...back.toReversed()];
}

const DECOMPOSE = [
  'Break the question into a few simpler questions that can be answered one after another, one a line:',
  '1. first question [yes]',
  '2. second question, which may say #1 for the answer to the first [yes]',
  'Write [yes] behind a question that needs facts from an encyclopedia and [no] behind one that the answers before it suffice for. Write the lines alone.',
].join('\n');

const CONCLUDE =
  'Answer the question from what was found out. Write the answer in as few words as possible and nothing else.';

/** The plan as the policy writes it, the question itself where none can be read; null where the rollout is over. */
async function planOf(s: Steps, { most }: Params): Promise<SubQuestion[] | null> {
  const whole = [{ text: s.question, search: true }];
  if (s.spelling === 'ids') {
    const { plan, over } = await s.planned();
    const parts = planParts(plan ?? '', most, s.question);
    return over ? null : parts.length > 0 ? parts : whole;
  }
  const { text } = await s.ask({
    of: 'chain',
    instruction: DECOMPOSE,
    user: s.question,
    maxTokens: 200,
  });
  const plan = readPlan(text, most);
  return planValid(plan) ? plan : whole;
}

/** Works a plan off. @returns the answers, and every passage that was found */
async function workOff(
  s: Steps,
  plan: readonly SubQuestion[],
  params: Params,
): Promise<{ answers: string[]; passages: Hit[] }> {
  const answers: string[] = [];
  const passages: Hit[] = [];
  for (const [i, { text, search }] of plan.entries()) {
    const question = params.substitute ? substituted(text, answers) : text;
    const searches = search && s.canSearch();
    const hits = searches ? await s.search(question, true) : [];
    passages.push(...hits);
    // The last answer is the rollout's own.
    if (s.spelling === 'ids' && i === plan.length - 1) break;
    const said = plan.slice(0, i).map((one, n) => `${one.text}: ${answers[n] ?? ''}`);
    const asked = search ? question : `${said.join('\n')}\n${question}`;
    const { text: answer } = await s.read(asked, params.zigzag ? zigzag(hits) : hits);
    answers.push(answer);
  }
  return { answers, passages };
}

/** The answer of a model that is asked in natural language. */
const conclusion = async (s: Steps, passages: readonly Hit[]): Promise<string> =>
  (
    await s.ask({
      of: 'draft',
      instruction: CONCLUDE,
      user: `${s.question}\n\n${s.passages(passages)}`,
      maxTokens: 48,
    })
  ).text;

/**
 * A plan at once, its sub-questions one by one, then the answer; with `verify` an answer that no passage holds sends the loop
 * back to search for the question with it.
 */
async function planned(s: Steps, params: Params): Promise<void> {
  await s.open();
  const plan = await planOf(s, params);
  if (!plan) return;
  const { answers, passages } = await workOff(s, plan, params);
  if (s.spelling === 'text' && answers.length > 0)
    s.hint(plan.map(({ text }, i) => `${text}: ${answers[i] ?? ''}`).join('\n'));
  for (let round = 0; round < params.verify && s.canSearch(); round++) {
    const draft =
      s.spelling === 'ids' ? (await s.wouldAnswer()).text : await conclusion(s, passages);
    const held = grounded(
      draft,
      passages.map(({ passage }) => `${passage.title} ${passage.text}`),
    );
    s.judged(draft, held ? 'its passages hold it' : 'no passage holds it; another search');
    if (held) break;
    passages.push(...(await s.search(`${s.question} ${draft}`.trim(), true)));
  }
  // It puts together what was found; what it asks for now is done.
  const wrote = await s.write('thought');
  if (wrote.ended === 'action' && (await wrote.act())) return;
  await s.answer();
}

export const hooks = (params: Params): LoopHooks => ({ program: (s) => planned(s, params) });
