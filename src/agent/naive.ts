import { forceAnswer } from './answering.ts';
import { openContext } from './rdra.ts';
import { searchRound } from './searching.ts';
import type { RunState } from './state.ts';

/** The two baselines without a loop: one retrieval with the question, or none (where it may not retrieve, too), then the answer. */
export async function naiveLoop(state: RunState): Promise<void> {
  await openContext(state);
  const { loop, retrieval } = state.settings;
  if (loop === 'naive-rag' && retrieval.maxSearches > 0) {
    await searchRound(state, state.request.question.text, 'search');
  }
  await forceAnswer(state, { reason: 'answer', detail: 'the policy answered' }, false);
}
