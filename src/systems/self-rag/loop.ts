import { contentWords, isMiss } from '../../agent/answers/evidence.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import { retrieveShare, type Steps } from '../../agent/steps.ts';
import { passagesAndQuestion, type Aside } from '../../agent/transcript/aside.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

export interface Judged {
  /** Mean natural-log probability of the continuation's tokens; 0 where a policy gives none. */
  meanLogprob: number;
  /** P(relevant) of the two. */
  relevant: number;
  /** P(fully supported) and P(partly supported) of the three. */
  full: number;
  partial: number;
  /** Expectation of −1, −½, 0, ½, 1 for usefulness 1 to 5. */
  use: number;
}

/** Usefulness from the probabilities of the grades 1 to 5. */
export const usefulness = (grades: readonly number[]): number =>
  [-1, -0.5, 0, 0.5, 1].reduce((sum, value, i) => sum + value * (grades[i] ?? 0), 0);

/** s = exp(mean log p) + w·relevant + w·(full + ½ partial) + w·use. */
export const segmentScore = (
  { meanLogprob, relevant, full, partial, use }: Judged,
  weights: Params['weights'],
): number =>
  Math.exp(meanLogprob) +
  weights.relevant * relevant +
  weights.supported * (full + 0.5 * partial) +
  weights.useful * use;

const NEEDED =
  'Does the next step of the reasoning need facts from an encyclopedia? Write yes or no and nothing else.';
const GRADE =
  'Grade the continuation. Write three words, separated by commas: whether the passage is relevant to the question (yes or no); how far the passage supports the continuation (fully, partly or not); how useful the continuation is as a step to the answer (1 to 5).';

/** P(retrieve) at this point. */
async function wish(s: Steps, thoughts: readonly string[]): Promise<number> {
  if (s.spelling === 'ids') {
    const share = await s.searchShare();
    if (share !== null) return share;
    throw new Error(
      'Self-RAG retrieves by probabilities, and this model gives none; choose a checkpoint, or a server that gives logprobs',
    );
  }
  const user = `Question: ${s.question}\n\nReasoning so far: ${thoughts.join(' ') || 'none'}`;
  const { text, meanLogprob } = await s.ask({
    of: 'judgement',
    instruction: NEEDED,
    user,
    maxTokens: 8,
  });
  const said = meanLogprob === null ? 1 : Math.exp(meanLogprob);
  return /\bno\b/iu.test(text) ? retrieveShare(1 - said, said) : retrieveShare(said, 1 - said);
}

/** Without tokens of reflection: by rules over the words of passage and continuation. */
function byRule(query: string, hit: Hit, { text, meanLogprob }: Aside): Judged {
  const passage = new Set(contentWords(`${hit.passage.title} ${hit.passage.text}`));
  const said = contentWords(text);
  const share = said.filter((word) => passage.has(word)).length / Math.max(1, said.length);
  return {
    meanLogprob: meanLogprob ?? 0,
    relevant: Number(!isMiss(query, [hit])),
    full: Number(share >= 0.8),
    partial: Number(share >= 0.4 && share < 0.8),
    use: 0,
  };
}

async function byPolicy(s: Steps, hit: Hit, { text, meanLogprob }: Aside): Promise<Judged> {
  const user = `${passagesAndQuestion(s.passages([hit]), s.question)}\n\nContinuation: ${text}`;
  const grades = await s.ask({ of: 'judgement', instruction: GRADE, user, maxTokens: 24 });
  const [relevant = '', supported = '', useful = ''] = grades.text.toLowerCase().split(/[,\n]/u);
  const grade = Number(/[1-5]/u.exec(useful)?.[0] ?? 3);
  return {
    meanLogprob: meanLogprob ?? 0,
    relevant: Number(relevant.includes('yes')),
    full: Number(supported.includes('full')),
    partial: Number(supported.includes('part')),
    use: usefulness([1, 2, 3, 4, 5].map((one) => Number(one === grade))),
  };
}

/** The passage after which the policy continues best. */
async function bestPassage(
  s: Steps,
  query: string,
  hits: readonly Hit[],
  { weights }: Params,
): Promise<Hit | undefined> {
  const scores: number[] = [];
  for (const hit of hits) {
    const said = await s.continuation(hit);
    const judged = s.spelling === 'ids' ? byRule(query, hit, said) : await byPolicy(s, hit, said);
    scores.push(segmentScore(judged, weights));
  }
  const best = hits[scores.indexOf(Math.max(...scores))];
  if (best)
    s.judged(
      scores.map((score) => score.toFixed(3)).join(' , '),
      `goes on behind ${best.passage.title}`,
    );
  return best;
}

/**
 * Reflection without its tokens: a thought; whether to retrieve; one continuation a passage, and the best one's passage
 * is read.
 */
async function reflect(s: Steps, params: Params): Promise<void> {
  const { segments, threshold, passages } = params;
  const thoughts: string[] = [];
  await s.open();
  for (let segment = 0; segment <= segments; segment++) {
    const wrote = await s.write('thought');
    if (wrote.thought !== null) thoughts.push(wrote.thought);
    if (wrote.ended === 'action') {
      if (await wrote.act()) return;
      continue;
    }
    if (!s.canSearch() || segment === segments) break;
    const share = await wish(s, thoughts);
    const retrieves = share > threshold;
    const outcome = retrieves ? 'retrieves' : 'goes on without';
    s.judged(`retrieve ${share.toFixed(3)}`, `${outcome}: threshold ${threshold}`);
    if (!retrieves) {
      if (s.spelling === 'ids') break;
      continue;
    }
    const own = s.spelling === 'ids' ? await s.askQuery() : null;
    const query = own ?? `${s.question} ${thoughts.at(-1) ?? ''}`.trim();
    const hits = (await s.find(query)).slice(0, passages);
    const best = await bestPassage(s, query, hits, params);
    s.show(best ? [best] : []);
  }
  await s.answer();
}

export const hooks = (params: Params): LoopHooks => ({ program: (s) => reflect(s, params) });
