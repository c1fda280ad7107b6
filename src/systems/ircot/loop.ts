import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import type { Params } from './system.ts';

const REASONING = /^(?:thus|so|therefore|hence)\b|^that is,/iu;
const ARITHMETIC = /\d\s*[-+*/×−]\s*\d[\d.,]*\s*=/u;
const ASKING = new Set(['who', 'whom', 'whose', 'what', 'when', 'where', 'why', 'which', 'how']);

/** A conclusion or a sum: it names nothing to look up. */
const isReasoning = (sentence: string): boolean =>
  REASONING.test(sentence.trim()) || ARITHMETIC.test(sentence);

/** Whether a thought ends IRCoT's chain. */
export const saysAnswer = (sentence: string): boolean => /\banswer is\b/iu.test(sentence);

/** IRCoT: the last thought that is not a conclusion, words that ask left out; without one, the question. */
export function lastThoughtQuery(thoughts: readonly string[], question: string): string {
  const last = thoughts.findLast((thought) => thought.trim() !== '' && !isReasoning(thought));
  const kept = (last ?? '')
    .split(/\s+/u)
    .filter((word) => !ASKING.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, '')));
  return kept.join(' ').trim() || question;
}

/** The word with which the built-in policy ends its last thought. */
const isLast = (thought: string, spelling: Steps['spelling']): boolean =>
  saysAnswer(thought) || (spelling === 'ids' && /\bdone\s*\.?$/u.test(thought));

/** The built-in policy thinks `not found . try again .`, too: what names nothing is not a query. */
const looksUp = (thought: string, spelling: Steps['spelling']): boolean =>
  spelling === 'text' || /[\p{Lu}\p{N}]/u.test(thought);

/** Passages for the question, then one thought, passages for that thought, and so on; the answer at last. */
async function interleave(s: Steps, { rounds }: Params): Promise<void> {
  await s.open();
  const thoughts: string[] = [];
  for (let round = 0; round < rounds; round++) {
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

export const hooks = (params: Params): LoopHooks => ({ program: (s) => interleave(s, params) });
