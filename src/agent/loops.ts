import type { RecipeSettings } from '../recipes/parts/settings.ts';
import type { Steps } from './steps.ts';

/** The two baselines without a loop: one retrieval with the question, or none (where it may not retrieve, too), then the answer. */
async function naive(s: Steps): Promise<void> {
  await s.open();
  if (s.settings.loop === 'naive-rag' && s.canSearch()) await s.search(s.question, false);
  await s.answer();
}

/** Chain of thought (arXiv 2201.11903): thoughts, then the answer; of a policy that knows only the protocol one thought. */
async function think(s: Steps): Promise<void> {
  await s.open();
  if (s.spelling === 'ids') {
    const wrote = await s.write('thought');
    if (wrote.ended === 'action' && (await wrote.act())) return;
    return s.answer();
  }
  for (;;) {
    const wrote = await s.write('action');
    if (wrote.ended === 'action' && (await wrote.act())) return;
  }
}

/** InstructRAG (arXiv 2406.13629): one retrieval, a rationale that judges each passage, then the answer. */
async function rationale(s: Steps): Promise<void> {
  await s.open();
  if (s.canSearch()) await s.search(s.question, false);
  const wrote = await s.write('thought');
  if (wrote.ended === 'action' && (await wrote.act())) return;
  await s.answer();
}

/** Every loop but the think–search–answer one and those that systems bring. */
export const LOOPS: Readonly<
  Record<Exclude<RecipeSettings['loop'], 'agent' | 'program'>, (steps: Steps) => Promise<void>>
> = { 'naive-rag': naive, 'naive-generation': naive, think, rationale };
