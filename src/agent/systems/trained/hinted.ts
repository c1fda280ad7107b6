import type { Steps } from '../parts/steps.ts';

/** The loop of the protocol with words put into the policy's mouth, at its beginning or in place of its answer. */
export async function hinted(s: Steps): Promise<void> {
  const { hint } = s.method;
  await s.open();
  if (hint?.where === 'open') s.begin(hint.text);
  let left = hint?.where === 'before-answer' ? hint.most : 0;
  for (;;) {
    const [next] = await s.propose(1);
    if (!next) return s.answer();
    if (hint && left > 0 && next.kind === 'answer') {
      left--;
      next.drop(`gives way to: ${hint.text}`);
      s.begin(hint.text);
      continue;
    }
    if (await next.adopt().act()) return;
  }
}
