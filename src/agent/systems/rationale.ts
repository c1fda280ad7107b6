import type { Steps } from './parts/steps.ts';

/** InstructRAG (arXiv 2406.13629): one retrieval, a rationale that judges each passage, then the answer. */
export async function rationale(s: Steps): Promise<void> {
  await s.open();
  if (s.canSearch()) await s.search(s.question, false);
  const wrote = await s.write('thought');
  if (wrote.ended === 'action' && (await wrote.act())) return;
  await s.answer();
}
