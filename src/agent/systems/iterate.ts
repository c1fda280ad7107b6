import { questionAndDraft } from '../../recipes/methods/draft-query.ts';
import type { Hit } from '../../records/hits.ts';
import { passagesAndQuestion } from '../transcript/aside.ts';
import type { Steps } from './parts/steps.ts';

const GENERATE =
  'Answer the question with the help of the passages. Reason in one or two sentences that name whoever and whatever the answer depends on, then write "So the answer is" and the answer.';

/** y_t: what the policy says to the question with these passages. */
async function generation(s: Steps, hits: readonly Hit[]): Promise<string> {
  if (s.spelling === 'ids') return (await s.read(s.question, hits)).text;
  const user = passagesAndQuestion(s.passages(hits), s.question);
  const maxTokens = s.method.query?.maxTokens ?? 128;
  return (await s.ask({ of: 'generation', instruction: GENERATE, user, maxTokens })).text;
}

/**
 * Iter-RetGen (arXiv 2305.15294): retrieve with the question and the last generation, generate again; the last
 * round is the record's context.
 */
export async function iterate(s: Steps): Promise<void> {
  let draft = '';
  for (let round = 1; round < (s.method.rounds ?? 3) && s.canSearch(); round++) {
    const hits = await s.find(questionAndDraft(s.question, draft));
    draft = await generation(s, hits);
  }
  await s.open();
  if (s.canSearch()) await s.search(questionAndDraft(s.question, draft), false);
  await s.answer();
}
