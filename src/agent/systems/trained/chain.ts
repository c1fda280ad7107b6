import { lowest, lowestMean, type Chain } from '../../../recipes/methods/chain.ts';
import type { Branch, Proposed, Steps } from '../parts/steps.ts';

const DEFAULTS: Chain = { length: 3, decode: { kind: 'one' } };

/** Steps that were written in a branch, in order. */
interface Walk {
  branch: Branch;
  steps: Proposed[];
  /** It answered, or wrote no action. */
  ended: boolean;
}

/** Goes on in its branch by at most so many searches. */
async function walkOn(s: Steps, walk: Walk, most: number): Promise<Walk> {
  for (let i = 0; i < most && !walk.ended; i++) {
    const step = await walk.branch.act();
    walk.steps.push(step);
    if (step.kind !== 'search') walk.ended = true;
    else walk.branch.read(await s.look(step.text));
  }
  return walk;
}

const begun = async (s: Steps, from?: Branch): Promise<Walk> => ({
  branch: await (from ? from.fork() : s.branch()),
  steps: [],
  ended: false,
});

/** How unsure the policy is of the answer that it would give behind a chain: −ln p a token, the less the better. */
const unsureOf = async ({ branch }: Walk): Promise<number> =>
  -((await branch.wouldAnswer()).meanLogprob ?? 0);

/** Makes steps of a branch the rollout's own. @returns whether it is over */
async function adopt(steps: readonly Proposed[]): Promise<boolean> {
  for (const step of steps) if (await step.adopt().act()) return true;
  return false;
}

const words = ({ steps }: Walk): string =>
  steps.map(({ kind, text }) => (kind === 'search' ? text : `(${kind})`)).join(' → ');

async function bestOf(s: Steps, length: number, n: number): Promise<boolean> {
  const walks: Walk[] = [];
  try {
    for (let i = 0; i < n; i++) walks.push(await walkOn(s, await begun(s), length));
    const scores: number[] = [];
    for (const walk of walks) scores.push(await unsureOf(walk));
    const kept = lowest(scores);
    walks.forEach((walk, i) => {
      const score = (scores[i] ?? 0).toFixed(3);
      s.judged(words(walk), `${score}${i === kept ? ', the lowest: kept' : ''}`);
      if (i !== kept) for (const step of walk.steps) step.count();
    });
    return await adopt(walks[kept]?.steps ?? []);
  } finally {
    for (const { branch } of walks) branch.close();
  }
}

type Tree = Extract<Chain['decode'], { kind: 'tree' }>;

/** One step of the tree: the children, each tried by rollouts; the best is made the rollout's own step. */
async function grow(s: Steps, left: number, { expand, rollouts, depth }: Tree): Promise<boolean> {
  const open: Branch[] = [];
  try {
    const children: Walk[] = [];
    const scores: number[][] = [];
    for (let i = 0; i < expand; i++) {
      const child = await begun(s);
      open.push(child.branch);
      children.push(await walkOn(s, child, 1));
      const own: number[] = [];
      for (let r = 0; r < rollouts; r++) {
        const tried: Walk = { ...(await begun(s, child.branch)), ended: child.ended };
        open.push(tried.branch);
        own.push(await unsureOf(await walkOn(s, tried, Math.min(depth, left - 1))));
        for (const step of tried.steps) step.count();
      }
      scores.push(own);
    }
    const kept = lowestMean(scores);
    children.forEach((child, i) => {
      const shown = (scores[i] ?? []).map((score) => score.toFixed(3)).join(' , ');
      s.judged(words(child), `${shown}${i === kept ? ': kept' : ''}`);
      if (i !== kept) for (const step of child.steps) step.count();
    });
    return await adopt(children[kept]?.steps ?? []);
  } finally {
    for (const branch of open) branch.close();
  }
}

/** Chain of retrieval, as `method.chain.decode` finds it, then the answer. */
export async function chain(s: Steps): Promise<void> {
  const { length, decode } = s.method.chain ?? DEFAULTS;
  await s.open();
  if (decode.kind === 'best-of') {
    if (await bestOf(s, length, decode.n)) return;
    return s.answer();
  }
  for (let i = 0; i < length && s.canSearch(); i++) {
    if (decode.kind === 'tree') {
      if (await grow(s, length - i, decode)) return;
      continue;
    }
    const wrote = await s.write('action');
    if (await wrote.act()) return;
  }
  await s.answer();
}
