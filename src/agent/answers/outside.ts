import { outsideAnswer } from '../../records/outside-answer.ts';
import { readProseAnswer } from '../transcript/boxed.ts';
import { type Checkable, questionScores } from './checked.ts';

/** Words after which models give a short answer in prose. */
const PHRASES = ['answer is:', 'answer is', 'answer:'];

/** The answer that prose gives: its last box, what follows a phrase such as "the answer is", or all of it. */
function shortened(prose: string): string {
  for (const phrase of PHRASES) {
    const found = readProseAnswer(prose, phrase);
    if (found !== null) return found.replaceAll(/^[\s*"'`:]+|[\s*"'`]+$/gu, '');
  }
  return prose;
}

/**
 * EM and F1 of what a rollout without an answer wrote outside its tags, in [0, 1]; null where it wrote nothing there, or the
 * question has no gold answer. It does not count as an answer: rewards and the scores of answers leave it out.
 */
export function outsideScores(
  rollout: Parameters<typeof outsideAnswer>[0] & { question: Checkable },
): { em: number; f1: number } | null {
  const prose = outsideAnswer(rollout);
  if (prose === null || rollout.question.answers.length === 0) return null;
  const { em, f1 } = questionScores(shortened(prose), rollout.question);
  return { em, f1 };
}
