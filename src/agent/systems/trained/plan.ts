import {
  grounded,
  planParts,
  planValid,
  readPlan,
  substituted,
  zigzag,
  type Plan,
  type SubQuestion,
} from '../../../recipes/methods/plan.ts';
import type { Hit } from '../../../records/hits.ts';
import type { Steps } from '../parts/steps.ts';

const DEFAULTS: Plan = { most: 4, substitute: true, zigzag: false, verify: 0 };

const DECOMPOSE = [
  'Break the question into a few simpler questions that can be answered one after another, one a line:',
  '1. first question [yes]',
  '2. second question, which may say #1 for the answer to the first [yes]',
  'Write [yes] behind a question that needs facts from an encyclopedia and [no] behind one that the answers before it suffice for. Write the lines alone.',
].join('\n');

const CONCLUDE =
  'Answer the question from what was found out. Write the answer in as few words as possible and nothing else.';

/** The plan as the policy writes it, the question itself where none can be read; null where the rollout is over. */
async function planOf(s: Steps, { most }: Plan): Promise<SubQuestion[] | null> {
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
  settings: Plan,
): Promise<{ answers: string[]; passages: Hit[] }> {
  const answers: string[] = [];
  const passages: Hit[] = [];
  for (const [i, { text, search }] of plan.entries()) {
    const question = settings.substitute ? substituted(text, answers) : text;
    const searches = search && s.canSearch();
    const hits = searches ? await s.search(question, true) : [];
    passages.push(...hits);
    // The last answer is the rollout's own.
    if (s.spelling === 'ids' && i === plan.length - 1) break;
    const said = plan.slice(0, i).map((one, n) => `${one.text}: ${answers[n] ?? ''}`);
    const asked = search ? question : `${said.join('\n')}\n${question}`;
    const { text: answer } = await s.read(asked, settings.zigzag ? zigzag(hits) : hits);
    answers.push(answer);
  }
  return { answers, passages };
}

/**
 * A plan at once, its sub-questions one by one, then the answer (Collab-RAG, arXiv 2504.04915); with `verify` an answer
 * that no passage holds sends the loop back to search for the question with it (ComposeRAG, 2506.00232).
 */
export async function planned(s: Steps): Promise<void> {
  const settings = s.method.plan ?? DEFAULTS;
  await s.open();
  const plan = await planOf(s, settings);
  if (!plan) return;
  const { answers, passages } = await workOff(s, plan, settings);
  if (s.spelling === 'text' && answers.length > 0)
    s.hint(plan.map(({ text }, i) => `${text}: ${answers[i] ?? ''}`).join('\n'));
  for (let round = 0; round < settings.verify && s.canSearch(); round++) {
    const draft =
      s.spelling === 'ids'
        ? (await s.wouldAnswer()).text
        : (await s.ask({ of: 'draft', instruction: CONCLUDE, user: `${s.question}\n\n${s.passages(passages)}`, maxTokens: 48 })).text; // prettier-ignore
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
