import type { Steps } from './parts/steps.ts';

/** The two baselines without a loop: one retrieval with the question, or none (where it may not retrieve, too), then the answer. */
export async function naive(s: Steps): Promise<void> {
  await s.open();
  if (s.settings.loop === 'naive-rag' && s.canSearch()) await s.search(s.question, false);
  await s.answer();
}
