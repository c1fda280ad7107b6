import { lastThoughtQuery, saysAnswer } from '../../recipes/methods/draft-query.ts';
import type { Steps } from './parts/steps.ts';

/** The word with which the built-in policy ends its last thought. */
const isLast = (thought: string, spelling: Steps['spelling']): boolean =>
  saysAnswer(thought) || (spelling === 'ids' && /\bdone\s*\.?$/u.test(thought));

/** The built-in policy thinks `not found . try again .`, too: what names nothing is not a query. */
const looksUp = (thought: string, spelling: Steps['spelling']): boolean =>
  spelling === 'text' || /[\p{Lu}\p{N}]/u.test(thought);

/**
 * IRCoT (arXiv 2212.10509): passages for the question, then one thought, passages for that thought, and so on; the
 * answer at last.
 */
export async function interleave(s: Steps): Promise<void> {
  await s.open();
  const thoughts: string[] = [];
  for (let round = 0; round < (s.method.rounds ?? 10); round++) {
    const wrote = await s.write('thought');
    if (wrote.thought !== null && looksUp(wrote.thought, s.spelling)) thoughts.push(wrote.thought);
    if (wrote.ended === 'action') {
      if (await wrote.act()) return;
      continue;
    }
    if (wrote.thought === null) continue;
    if (isLast(wrote.thought, s.spelling) || !s.canSearch()) break;
    await s.search(lastThoughtQuery(thoughts, s.question), true);
  }
  await s.answer();
}
