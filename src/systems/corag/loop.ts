import { actionFeatures } from '../../agent/answers/action-features.ts';
import { normalise, SQUAD } from '../../agent/answers/normalisers.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import type { Branch, ProposedAction, Steps } from '../../agent/steps.ts';
import { mean } from '../../base/statistics.ts';
import { actionReward } from '../../recipes/parts/reward-model.ts';
import type { Hit } from '../../records/hits.ts';
import type { ChainScorer, Params } from './system.ts';

/** Less the share of the answers that are the same, of each; an empty one is nobody's. */
export function disagreement(
  answers: readonly string[],
  same = (text: string): string => text,
): number[] {
  const all = answers.map(same);
  return all.map((own) =>
    own === '' ? 0 : -all.filter((other) => other === own).length / all.length,
  );
}

/** The place of the lowest score; the earlier one of equals. @throws RangeError without scores */
export function lowest(scores: readonly number[]): number {
  if (scores.length === 0) throw new RangeError('there is no chain to choose from');
  return scores.indexOf(Math.min(...scores));
}

/** The place of the child whose rollouts have the lowest mean score. */
export const lowestMean = (children: readonly (readonly number[])[]): number =>
  lowest(children.map((scores) => scores.reduce((sum, one) => sum + one, 0) / scores.length));

/** Steps that were written in a branch, in order. */
interface Walk {
  branch: Branch;
  steps: ProposedAction[];
  /** What its searches brought, in order. */
  hits: Hit[];
  /** Of its steps, where a reward model tells chains apart. */
  rewards: number[];
  /** It answered, or wrote no action. */
  ended: boolean;
}

/** What CoRAG's code takes the likelihood of (corag_agent.py). */
const NO_INFORMATION = 'No relevant information found';

const scorerOf = ({ scorer = 'confidence' }: Pick<Params, 'scorer'>): ChainScorer => scorer;

/** Whether a scorer needs a chain without an answer, because it scores text at the place of the answer. */
const needsOpenAnswer = (chain: Pick<Params, 'scorer'>): boolean =>
  ['no-information', 'gold', 'vote'].includes(scorerOf(chain));

/** What the reward model says of the next step of a walk. */
function rewardOf(s: Steps, walk: Walk, step: ProposedAction, { weights = {} }: Params): number {
  const own = walk.steps.flatMap(({ kind, text }) => (kind === 'search' ? [text] : []));
  const read = [...s.foundAll(), ...walk.hits].map(
    ({ passage }) => `${passage.title} . ${passage.text}`,
  );
  const state = { question: s.question, queries: [...s.queries(), ...own], passages: read };
  const { kind, text, ids } = step;
  return actionReward(weights, actionFeatures({ kind, text, tokens: ids.length }, state));
}

/** What is measured of one walk: its score, or the answer that is voted for. */
type Measured = number | string;

/** How unsure the policy is of the answer that it would give after a chain: −ln p a token, the less the better. */
const unsureOf = async ({ branch }: Walk): Promise<number> =>
  -((await branch.wouldAnswer()).meanLogprob ?? 0);

/** @throws Error where the policy cannot say what the scorer asks for */
async function measure(s: Steps, walk: Walk, chain: Params): Promise<Measured> {
  switch (scorerOf(chain)) {
    case 'confidence':
      return unsureOf(walk);
    case 'no-information':
      return walk.branch.likelihood(NO_INFORMATION);
    case 'gold': {
      const gold = s.gold();
      return gold === null ? 0 : -(await walk.branch.likelihood(gold));
    }
    case 'vote':
      return (await walk.branch.wouldAnswer()).text;
    case 'reward-model':
      return walk.rewards.length === 0 ? 0 : -mean(walk.rewards);
    case 'random':
      return s.chance();
  }
}

/** Scores of walks that are distinguished together. */
function scoresOf(measured: readonly Measured[]): number[] {
  const answers = measured.filter((one) => typeof one === 'string');
  const votes = disagreement(answers, (text) => normalise(text, SQUAD));
  let at = 0;
  return measured.map((one) => (typeof one === 'string' ? (votes[at++] ?? 0) : one));
}

/** The next step of a walk. If the scorer needs a chain without an answer, an answer is tried in a fork and dropped. */
async function nextStep(walk: Walk, chain: Params, temperature?: number): Promise<ProposedAction> {
  if (!needsOpenAnswer(chain)) return walk.branch.act(temperature);
  const ahead = await walk.branch.fork();
  const step = await ahead.act(temperature).catch((error: unknown) => {
    ahead.close();
    throw error;
  });
  const left = step.kind === 'search' ? walk.branch : ahead;
  if (step.kind === 'search') walk.branch = ahead;
  left.close();
  return step;
}

/** How a walk continues. */
interface Pace {
  chain: Params;
  /** Most searches more. */
  most: number;
  /** Its first step is greedy, and all that follow. */
  greedy?: boolean;
}

/** Continues in its branch by at most this many searches. */
async function walkOn(s: Steps, walk: Walk, { chain, most, greedy }: Pace): Promise<Walk> {
  const temperature = greedy === true ? 0 : chain.temperature;
  for (let i = 0; i < most && !walk.ended; i++) {
    const step = await nextStep(walk, chain, temperature);
    if (scorerOf(chain) === 'reward-model') walk.rewards.push(rewardOf(s, walk, step, chain));
    walk.steps.push(step);
    if (step.kind !== 'search') {
      walk.ended = true;
      continue;
    }
    const hits = await s.look(step.text);
    walk.hits.push(...hits);
    walk.branch.read(hits);
  }
  return walk;
}

const begun = async (s: Steps, from?: Walk): Promise<Walk> => ({
  branch: await (from ? from.branch.fork() : s.branch()),
  steps: [],
  hits: [...(from?.hits ?? [])],
  rewards: [...(from?.rewards ?? [])],
  ended: from?.ended ?? false,
});

/** Whether the answer of a chain gives way to passages for the question, after which it is asked for. */
const givesWay = ({ closing = 0 }: Params, { kind }: ProposedAction): boolean =>
  closing > 0 && kind === 'answer';

/** Makes steps of a branch the rollout's own. @returns whether it is over */
async function adopt(steps: readonly ProposedAction[], chain: Params): Promise<boolean> {
  for (const step of steps) {
    if (givesWay(chain, step)) {
      step.count();
      return false;
    }
    if (await step.adopt().act()) return true;
  }
  return false;
}

const words = ({ steps }: Walk): string =>
  steps.map(({ kind, text }) => (kind === 'search' ? text : `(${kind})`)).join(' → ');

async function bestOf(s: Steps, chain: Params, n: number): Promise<boolean> {
  const walks: Walk[] = [];
  const { length: most, temperature } = chain;
  try {
    for (let i = 0; i < n; i++) {
      const walk = await begun(s);
      walks.push(walk);
      await walkOn(s, walk, { chain, most, greedy: i === 0 && temperature !== undefined });
    }
    const measured = [];
    for (const walk of walks) measured.push(await measure(s, walk, chain));
    const scores = scoresOf(measured);
    const kept = lowest(scores);
    walks.forEach((walk, i) => {
      const score = (scores[i] ?? 0).toFixed(3);
      s.judged(words(walk), `${score}${i === kept ? ', the lowest: kept' : ''}`);
      if (i !== kept) for (const step of walk.steps) step.count();
    });
    return await adopt(walks[kept]?.steps ?? [], chain);
  } finally {
    for (const { branch } of walks) branch.close();
  }
}

type Tree = Extract<Params['decode'], { kind: 'tree' }>;

/** One step of the tree: the children, each tried by rollouts; the best is made the rollout's own step. */
async function grow(
  s: Steps,
  chain: Params,
  left: number,
  { expand, rollouts, depth }: Tree,
): Promise<{ over: boolean; answered: boolean }> {
  const open: { branch: Branch }[] = [];
  try {
    const children: Walk[] = [];
    const measured = [];
    for (let i = 0; i < expand; i++) {
      const child = await begun(s);
      open.push(child);
      children.push(await walkOn(s, child, { chain, most: 1 }));
      for (let r = 0; r < rollouts; r++) {
        const tried = await begun(s, child);
        open.push(tried);
        await walkOn(s, tried, { chain, most: Math.min(depth, left - 1) });
        measured.push(await measure(s, tried, chain));
        for (const step of tried.steps) step.count();
      }
    }
    const all = scoresOf(measured);
    const scores = children.map((_, i) => all.slice(i * rollouts, (i + 1) * rollouts));
    const kept = lowestMean(scores);
    children.forEach((child, i) => {
      const shown = (scores[i] ?? []).map((score) => score.toFixed(3)).join(' , ');
      s.judged(words(child), `${shown}${i === kept ? ': kept' : ''}`);
      if (i !== kept) for (const step of child.steps) step.count();
    });
    const steps = children[kept]?.steps ?? [];
    const answered = steps.some((step) => givesWay(chain, step));
    return { over: await adopt(steps, chain), answered };
  } finally {
    for (const { branch } of open) branch.close();
  }
}

/** One search of a chain by itself. @returns whether the chain is at its end, and the rollout over */
async function oneStep(s: Steps, chain: Params): Promise<{ over: boolean; answered: boolean }> {
  if ((chain.closing ?? 0) === 0)
    return { over: await (await s.write('action')).act(), answered: false };
  const [next] = await s.propose(1);
  if (!next) return { over: false, answered: true };
  if (givesWay(chain, next)) {
    next.drop('gives way to passages for the question');
    return { over: false, answered: true };
  }
  return { over: await next.adopt().act(), answered: false };
}

/** The chain itself. @returns whether the rollout is over */
async function walked(s: Steps, chain: Params): Promise<boolean> {
  const { length, decode } = chain;
  if (decode.kind === 'best-of') return bestOf(s, chain, decode.n);
  for (let i = 0; i < length && s.canSearch(); i++) {
    const { over, answered } =
      decode.kind === 'tree' ? await grow(s, chain, length - i, decode) : await oneStep(s, chain);
    if (over || answered) return over;
  }
  return false;
}

/** Chain of retrieval, as `decode` finds it, then the answer. */
export const hooks = (params: Params): LoopHooks => ({
  async program(s) {
    await s.open();
    if (await walked(s, params)) return;
    const { closing = 0 } = params;
    if (closing > 0 && s.canSearch()) {
      const hits = await s.find(s.question);
      s.show(hits.slice(0, closing).toReversed());
    }
    await s.answer();
  },
});
