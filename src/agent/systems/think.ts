import type { Steps } from './parts/steps.ts';

/** Chain of thought (arXiv 2201.11903): thoughts, then the answer; of a policy that knows only the protocol one thought. */
export async function think(s: Steps): Promise<void> {
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
