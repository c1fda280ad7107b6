/**
 * Terms with an explanation, by id, and the acronyms and symbols that texts are scanned for. Their
 * texts are in `glossary.ts`, which is loaded when one is first opened.
 */
export const TERM_IDS = [
  'em',
  'f1',
  'cover-em',
  'sub-em',
  'recall',
  'format',
  'reward',
  'r-fmt',
  'r-len',
  'r-acc',
  'r-struct',
  'advantage',
  'rouge-l',
  'supported',
  'judge',
  'rdra',
  'd0',
  'stie',
  'candidate',
  'diff',
  'agg-diff',
  'delta',
  'blocked',
  'nlr',
  'router-odds',
  'beta',
  'gold',
  'hop',
  'rollout',
  'group',
  'fork',
  'round',
  'mask',
  'recipe',
  'log-probability',
  'grpo',
  'dr-grpo',
  'rloo',
  'reinforce',
  'dapo',
  'ppo',
  'gae',
  'gamma',
  'gppo',
  'fspo',
  'hrpo',
  'sft',
  'dpo',
  'ur2',
  'kl',
  'clip',
  'gap',
  'lora',
  'webgpu',
  'snapshot',
  'held-out',
  'warm-up',
  'curriculum',
  'temperature',
  'k',
  'bm25',
  'hnsw',
  'rag',
  'interval',
  'holm',
] as const;
/** A term that has an entry in the glossary. */
export type TermId = (typeof TERM_IDS)[number];

/** Longer ones first: "cover-EM" is not an EM. */
const IN_TEXT: readonly [name: string, id: TermId][] = [
  ['|Δ log-probability|', 'gap'],
  ['REINFORCE++', 'reinforce'],
  ['cover-EM', 'cover-em'],
  ['R_struct', 'r-struct'],
  ['π(local)', 'router-odds'],
  ['AggDiff', 'agg-diff'],
  ['ROUGE-L', 'rouge-l'],
  ['Dr. GRPO', 'dr-grpo'],
  ['π(web)', 'router-odds'],
  ['WebGPU', 'webgpu'],
  ['sub-EM', 'sub-em'],
  ['R_fmt', 'r-fmt'],
  ['R_len', 'r-len'],
  ['R_acc', 'r-acc'],
  ['BM25', 'bm25'],
  ['GRPO', 'grpo'],
  ['GPPO', 'gppo'],
  ['FSPO', 'fspo'],
  ['HRPO', 'hrpo'],
  ['HNSW', 'hnsw'],
  ['DAPO', 'dapo'],
  ['RDRA', 'rdra'],
  ['STIE', 'stie'],
  ['RLOO', 'rloo'],
  ['LoRA', 'lora'],
  ['PPO', 'ppo'],
  ['GAE', 'gae'],
  ['SFT', 'sft'],
  ['DPO', 'dpo'],
  ['RAG', 'rag'],
  ['UR²', 'ur2'],
  ['NLR', 'nlr'],
  ['Holm', 'holm'],
  ['β1', 'beta'],
  ['β2', 'beta'],
  ['EM', 'em'],
  ['F1', 'f1'],
  ['KL', 'kl'],
  ['D0', 'd0'],
];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const PATTERN = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${IN_TEXT.map(([name]) => escaped(name)).join('|')})(?![\\p{L}\\p{N}])`,
  'gu',
);
const ID_OF: ReadonlyMap<string, TermId> = new Map(IN_TEXT);

/** A text in pieces; explained pieces have an id. */
export function termsIn(text: string): { text: string; id: TermId | null }[] {
  const pieces: { text: string; id: TermId | null }[] = [];
  let at = 0;
  for (const match of text.matchAll(PATTERN)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), id: null });
    pieces.push({ text: match[0], id: ID_OF.get(match[0]) ?? null });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), id: null });
  return pieces;
}
