import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import type { Params } from './system.ts';

const THINK =
  'Think step by step about the question, without looking anything up. Begin with what has to be found.';

/** The first paragraph of what the policy thinks about the question by itself. */
async function firstThought(s: Steps): Promise<string> {
  const thought =
    s.spelling === 'ids'
      ? await s.first('draft', 'think', 'think')
      : (await s.ask({ of: 'draft', instruction: THINK, user: s.question, maxTokens: 256 })).text;
  return thought.split(/\n\s*\n/u)[0]?.trim() ?? '';
}

/** The loop of the protocol with words put into the policy's mouth: at its beginning, after its results or in place of its answer. */
async function hinted(s: Steps, { hint }: Params): Promise<void> {
  await s.open();
  if (hint?.where === 'open') s.begin((hint.from && (await firstThought(s))) || hint.text);
  let left = hint && hint.where !== 'open' ? hint.most : 0;
  let results = s.results();
  for (;;) {
    const [next] = await s.propose(1);
    if (!next) return s.answer();
    if (hint?.where === 'before-answer' && left > 0 && next.kind === 'answer') {
      left--;
      next.drop(`gives way to: ${hint.text}`);
      s.begin(hint.text);
      continue;
    }
    if (await next.adopt().act()) return;
    const read = s.results() > results;
    results = s.results();
    if (hint?.where === 'after-result' && left > 0 && read) {
      left--;
      s.begin(hint.text);
    }
  }
}

export const hooks = (params: Params): LoopHooks => ({ program: (s) => hinted(s, params) });
