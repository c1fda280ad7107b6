import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import { passagesAndQuestion } from '../../agent/transcript/aside.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

/** y_{t−1} after q, as its equation (1) joins them; only the question before there is one. */
export const questionAndDraft = (question: string, draft: string): string =>
  `${question} ${draft.trim()}`.trim();

const GENERATE =
  'Answer the question with the help of the passages. Reason in one or two sentences that name every person and thing that the answer depends on, then write "So the answer is" and the answer.';

/** y_t: what the policy says to the question with these passages. */
async function generation(s: Steps, hits: readonly Hit[], maxTokens: number): Promise<string> {
  if (s.spelling === 'ids') return (await s.read(s.question, hits)).text;
  const user = passagesAndQuestion(s.passages(hits), s.question);
  return (await s.ask({ of: 'generation', instruction: GENERATE, user, maxTokens })).text;
}

/** Retrieves with the question and the last generation, generates again; the last round is the record's context. */
export const hooks = ({ rounds, maxTokens }: Params): LoopHooks => ({
  async program(s) {
    let draft = '';
    for (let round = 1; round < rounds && s.canSearch(); round++) {
      const hits = await s.find(questionAndDraft(s.question, draft));
      draft = await generation(s, hits, maxTokens);
    }
    await s.open();
    if (s.canSearch()) await s.search(questionAndDraft(s.question, draft), false);
    await s.answer();
  },
});
