import { canonicalAnswer } from '../../agent/answers/normalisers.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import { passagesAndQuestion } from '../../agent/transcript/aside.ts';
import { ROLES, type Params } from './system.ts';

type RoleName = (typeof ROLES)[number];

/** What most say; of equals, what was said first. Null of none. */
export function vote(
  answers: readonly string[],
  same = (text: string): string => text,
): string | null {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(same(answer), (counts.get(same(answer)) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return answers.find((answer) => counts.get(same(answer)) === most) ?? null;
}

const THINK = 'Think step by step about the question in a few sentences, then give the answer.';

/** What each agent takes from the passages, in our words. */
const TASKS: Readonly<Record<RoleName, string>> = {
  anchoring: 'what in the passages is new to you, and was not in your first answer',
  associate: 'how the passages connect with what you knew, and what of it they deepen',
  logician: 'what follows from the passages by logic for this question',
  cognition: 'what in the passages contradicts your first answer, and what was a mistake',
};

const REVISE =
  'Revise your first answer with these notes. Write the final answer alone, in as few words as possible.';

/** One agent: it extracts, and revises. */
async function agent(s: Steps, role: RoleName, passages: string, first: string): Promise<string> {
  const user = `${passagesAndQuestion(passages, s.question)}\n\nYour first answer: ${first}`;
  const instruction = `Read the passages and write in a few sentences ${TASKS[role]}.`;
  const notes = await s.ask({ of: 'role', instruction, user, maxTokens: 160 });
  const { text } = await s.ask({
    of: 'revision',
    instruction: REVISE,
    user: `Question: ${s.question}\n\nYour first answer: ${first}\n\nNotes: ${notes.text}`,
    maxTokens: s.settings.budgets.answerTokens,
  });
  return text.split('\n')[0]?.trim() ?? '';
}

/** An answer by thought, four agents that each revise it with what they extract. */
async function roles(s: Steps, { answer }: Params): Promise<void> {
  const { text: first } = await s.ask({
    of: 'draft',
    instruction: THINK,
    user: s.question,
    maxTokens: 200,
  });
  const hits = s.canSearch() ? await s.find(s.question) : [];
  const passages = s.passages(hits);
  const answers: string[] = [];
  for (const role of answer === 'vote' ? ROLES : [answer])
    answers.push(await agent(s, role, passages, first));
  await s.open();
  s.show(hits);
  const voted = vote(answers.filter(Boolean), canonicalAnswer);
  if (voted === null) await s.answer();
  else s.give(voted);
}

export const hooks = (params: Params): LoopHooks => ({ program: (s) => roles(s, params) });
