import { askApart } from '../../agent/transcript/aside.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import type { Policy } from '../../policy/policy.ts';
import type { FormBlock } from '../../records/form-line.ts';
import { keyOf, type Episode, type Instruction } from './population.ts';

/** New instructions: those that the policy writes after reading what failed, else those of fixed lists. */

export const FIRST: Instruction = { text: '', blocks: [] };

/** For a policy that knows form lines: the blocks that need no tool. */
const BLOCKS: readonly FormBlock[] = [
  'plan',
  'judge',
  'refine',
  'evidence',
  'memory',
  'summary',
  'relevance',
  'important',
];

const TEXTS: readonly string[] = [
  'First name the single facts that the question asks for, then search for one of them at a time.',
  'After each result, say which fact it gave and which is still missing before you search again.',
  'If a result does not help, search for the same fact in other words instead of guessing.',
];

const REFLECT =
  'You improve the instruction of an agent that answers questions by searching. Read its instruction and some of its episodes, say to yourself why the poor ones failed, and write a better instruction of at most four sentences: strategy only, no example from the episodes, nothing about the format. Write the instruction and nothing else.';

export interface Proposing {
  policy: Policy;
  /** Keys that are in the population. */
  known: ReadonlySet<string>;
  /** The instruction that is improved. */
  parent: Instruction;
  episodes: readonly Episode[];
  count: number;
  tokens: number;
  seed: number;
  signal?: AbortSignal | undefined;
}

const listed = (isText: boolean): Instruction[] =>
  isText
    ? TEXTS.map((text) => ({ text, blocks: [] }))
    : BLOCKS.map((block) => ({ text: '', blocks: [block] }));

/** Episodes shown to the policy: the poorest ones, and last the best one. */
function shown(episodes: readonly Episode[]): string {
  const byReward = episodes.toSorted((a, b) => a.reward - b.reward);
  const best = byReward.length > 3 ? byReward.slice(-1) : [];
  return [...byReward.slice(0, 3), ...best]
    .map(({ text, reward }) => `${text}\nReward: ${reward}`)
    .join('\n\n');
}

async function reflected(of: Proposing, place: number): Promise<string> {
  const { policy, parent, episodes, tokens, seed, signal } = of;
  const { text } = await askApart(
    {
      policy,
      tags: readTags(policy.tokenizer),
      settings: { sampling: { temperature: 1, topK: 0, topP: 1 } },
      seed: deriveSeed(seed, 'reflect', place),
      ...(signal && { signal }),
    },
    {
      of: 'instruction',
      instruction: REFLECT,
      user: `Instruction: ${parent.text || 'none'}\n\n${shown(episodes)}`,
      maxTokens: tokens,
    },
  );
  return text.replaceAll(/\s+/gu, ' ').trim().slice(0, 2000);
}

/** Instructions that the population lacks, `count` of them or as many as there are. */
export async function propose(of: Proposing): Promise<Instruction[]> {
  const { policy, episodes, count, seed } = of;
  const isText = readTags(policy.tokenizer).spelling === 'text';
  const known = new Set(of.known);
  const found: Instruction[] = [];
  const add = (instruction: Instruction): void => {
    const key = keyOf(instruction);
    if (found.length === count || known.has(key)) return;
    known.add(key);
    found.push(instruction);
  };
  if (isText && episodes.length > 0)
    for (let i = 0; i < count; i++) add({ text: await reflected(of, i), blocks: [] });
  // What the policy left out, or repeated, comes from the list.
  known.add('');
  for (const one of new Random(deriveSeed(seed, 'list')).shuffle(listed(isText))) add(one);
  return found;
}
