import { promptFrame } from '../../../agent/transcript/prompt.ts';
import { readTags } from '../../../agent/transcript/tags.ts';
import type { Rollout, Segment } from '../../../records/rollout.ts';
import type { StartKind } from './kind.ts';

/**
 * Makes a policy that does not search from one that does: SFT on its thoughts and guesses under the hint that it
 * cannot search, after the prompt of a run that may search (context distillation). The guesses are the policy's own,
 * so no gold answer and no retrieved text enters the adapter. UR²'s stage 1 (arXiv 2508.06165, 3.2.2) needs such a
 * policy: it rewards the first queries.
 */

const promptSegment = (ids: readonly number[]): Segment[] =>
  ids.length === 0
    ? []
    : [{ source: 'prompt', role: 'instruction', text: '', ids: [...ids], mask: 0 }];

/**
 * A guess as a trajectory of a run that may search: its thought up to the first search, and its answer, as
 * if it had written all of both.
 * @returns null where it thought or answered nothing, or broke the protocol otherwise than by a search
 */
export function asTrajectory(
  guess: Rollout,
  frame: { before: readonly number[]; after: readonly number[] },
): Rollout | null {
  const { segments, answer, events } = guess;
  const broken = events.some(
    (event) =>
      event.kind === 'error' &&
      event.what === 'malformed' &&
      (event.segment === undefined || segments[event.segment]?.role !== 'search'),
  );
  const question = segments.find(({ role }) => role === 'question');
  const written = segments.filter(({ source, role }) => source !== 'prompt' && role !== 'hint');
  const searched = written.findIndex(({ role }) => role === 'search');
  const first = written.findIndex(({ role }) => role === 'answer');
  const thoughts = written.slice(0, searched < 0 ? first : Math.min(searched, first));
  if (broken || !question || answer === null || first < 0 || thoughts.length === 0) return null;
  const own = [...thoughts, ...written.slice(first).filter(({ role }) => role === 'answer')];
  return {
    ...guess,
    segments: [
      ...promptSegment(frame.before),
      question,
      ...promptSegment(frame.after),
      ...own.map((segment): Segment => ({ ...segment, source: 'policy', mask: 1 })),
    ],
  };
}

export const NOT_SEARCHING: StartKind = {
  suits: () => true,
  none: 'there are no training questions',
  onlyCorrect: false,
  most: 24,
  atOnce: 2,
  few: 3 / 8,
  least: 3 / 16,
  measured: { retrieval: { maxSearches: 1 } },
  async trajectories({ agent, questions, inForce, sample }) {
    // Guesses of the policy when it cannot search.
    const forbidden = questions.map((question) => ({ ...question, mayRetrieve: false }));
    const made = await sample(forbidden, 'guess');
    const frame = promptFrame(agent.policy, readTags(agent.policy.tokenizer), inForce);
    return made.flatMap((guess) => asTrajectory(guess, frame) ?? []);
  },
  keeps: ({ events }) => events.some(({ kind }) => kind === 'search'),
  said: ({ updates, from, kept, before, of }) =>
    `Handicapped start: taught to answer without searching (${updates} updates on ${from} guesses). ` +
    `${kept} of ${of} rollouts search now (${before} before).`,
};
