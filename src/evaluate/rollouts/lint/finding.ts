import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { itemAt } from '../../../base/items.ts';
import type { TextSpan } from '../../../formats/rollouts/rounds.ts';

/** What a check found, where, and why it matters. */

/** Faults of an implementation, docs/methods.md section 6, and ways in which a policy searches badly. */
export const LINTS = {
  'environment-trained': {
    kind: 'fault',
    title: 'Environment text trained as the policy’s own',
    why: 'The loss pulls the policy towards writing documents itself, and the gradient is swamped by text it did not choose.',
  },
  'own-text-masked': {
    kind: 'fault',
    title: 'The policy’s own text masked',
    why: 'A mask found by matching tags lets a tag that the policy invents take its own text out of the loss.',
  },
  retokenized: {
    kind: 'fault',
    title: 'Trained tokens differ from sampled tokens',
    why: 'Ratios and log-probabilities then belong to tokens that were never sampled; the importance ratio is meaningless.',
  },
  'reward-misplaced': {
    kind: 'fault',
    title: 'Reward of another rollout',
    why: 'After a batch is reordered, credit goes to the wrong text: the policy learns from noise.',
  },
  'reward-scaled-twice': {
    kind: 'fault',
    title: 'Reward scaled twice',
    why: 'A per-step reward shared by two lists was multiplied in both: its weight is the square of what was set.',
  },
  'answer-from-prompt': {
    kind: 'fault',
    title: 'Answer extracted from the prompt',
    why: 'The example in the prompt is scored in place of what the policy said.',
  },
  'observation-cut': {
    kind: 'fault',
    title: 'Observation cut, closing tag lost',
    why: 'What the policy writes next stands inside the result block: it is read, and masked, as a document.',
  },
  'result-ended-early': {
    kind: 'fault',
    title: 'A tag in retrieved text ended the result block',
    why: 'The rest of the document then counts as the policy’s words: trained on, and open to injected answers.',
  },
  'greedy-box': {
    kind: 'fault',
    title: 'Greedy match over two boxes',
    why: 'The extracted answer runs from the first box to the last, so that a right answer scores as wrong.',
  },
  'difficulty-inverted': {
    kind: 'fault',
    title: 'The difficulty filter drops the wrong tail',
    why: 'Questions that the policy answers are thrown away and those it cannot answer are kept, or the labels are swapped.',
  },
  'over-search': {
    kind: 'behaviour',
    title: 'Searched for nothing new',
    why: 'A search that brings only known passages, or comes after all evidence is there, costs latency and context.',
  },
  'under-search': {
    kind: 'behaviour',
    title: 'Answered without evidence',
    why: 'The answer is in none of the results: it is memory or a guess.',
  },
  'copied-query': {
    kind: 'behaviour',
    title: 'Query copied',
    why: 'Asking the whole question or the same query again does not decompose it.',
  },
  'answer-seen-not-given': {
    kind: 'behaviour',
    title: 'Answer seen but not given',
    why: 'Retrieval did its part; reading or reasoning failed. Wrong by cover-EM (SQuAD’s normaliser), and no judge says right.',
  },
  'evidence-ignored': {
    kind: 'behaviour',
    title: 'Evidence ignored',
    why: 'Nothing that a search brought is ever used again.',
  },
  'answer-not-closed': {
    kind: 'behaviour',
    title: 'Answer not closed',
    why: 'A limit cut it off, or its end is missing in the file. It is scored as shown here; code that looks for the closing tag finds no answer.',
  },
  'contradicts-evidence': {
    kind: 'behaviour',
    title: 'Contradicts the evidence',
    why: 'The answer is a number that no passage holds, where a passage on the same matter holds another.',
  },
} as const satisfies Record<string, { kind: 'fault' | 'behaviour'; title: string; why: string }>;

export type LintCode = keyof typeof LINTS;

export interface Finding {
  code: LintCode;
  /** Rollout that it is about. */
  rollout: string;
  /** This case in one sentence. */
  message: string;
  /** Spans of segments' text; empty where the finding is about the rollout as a whole. */
  where: TextSpan[];
  /** Tokens of one segment, `from` up to but without `to`. */
  tokens?: { segment: number; from: number; to: number };
}

export const finding = (
  rollout: Pick<ImportedRollout, 'id'>,
  code: LintCode,
  message: string,
  where: TextSpan[] = [],
  tokens?: Finding['tokens'],
): Finding => ({ code, rollout: rollout.id, message, where, ...(tokens && { tokens }) });

/** A segment from end to end. */
export const wholeSpan = (
  rollout: Pick<ImportedRollout, 'segments'>,
  segment: number,
): TextSpan => ({
  segment,
  start: 0,
  end: itemAt(rollout.segments, segment, 'segments').text.length,
});
