import { ROLES, vote, type RoleName } from '../../recipes/methods/vote.ts';
import { canonicalAnswer } from '../answers/answers.ts';
import { passagesAndQuestion } from '../transcript/aside.ts';
import type { Steps } from './parts/steps.ts';

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

/** ActiveRAG (arXiv 2402.13547): an answer by thought, four agents that each revise it with what they extract. */
export async function roles(s: Steps): Promise<void> {
  const wanted = s.method.roles?.answer ?? 'vote';
  const { text: first } = await s.ask({
    of: 'draft',
    instruction: THINK,
    user: s.question,
    maxTokens: 200,
  });
  const hits = s.canSearch() ? await s.find(s.question) : [];
  const passages = s.passages(hits);
  const answers: string[] = [];
  for (const role of wanted === 'vote' ? ROLES : [wanted])
    answers.push(await agent(s, role, passages, first));
  await s.open();
  s.show(hits);
  const voted = vote(answers.filter(Boolean), canonicalAnswer);
  if (voted === null) await s.answer();
  else s.give(voted);
}
