import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../../src/formats/rollouts/shape/imported.ts';
import type { Finding } from '../../../../src/evaluate/rollouts/lint/finding.ts';

/** A record of ours, with Forage's tags, from its segments. */
export const rolloutOf = (
  segments: ImportedSegment[],
  part: Partial<ImportedRollout> = {},
): ImportedRollout => ({
  format: 'forage.rollout/1',
  id: 'r',
  runId: 'run',
  step: 1,
  groupId: 'g',
  question: { id: 'q', text: 'Who?', answers: ['Ida Holm'], supporting: [] },
  segments,
  rewards: [],
  reward: null,
  baseline: null,
  advantage: null,
  metrics: null,
  answer: null,
  ...part,
});

type Part = Partial<ImportedSegment>;

export const prompt = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'prompt',
  role: 'instruction',
  text,
  ...part,
});
export const think = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'policy',
  role: 'think',
  text: `<think>${text}</think>`,
  ...part,
});
export const search = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'policy',
  role: 'search',
  text: `<search>${text}</search>`,
  ...part,
});
/** One passage per line: `Title : text`. */
export const result = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'environment',
  role: 'result',
  text: `<result>\n${text}\n</result>`,
  ...part,
});
export const background = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'environment',
  role: 'background',
  text: `<background>\n${text}\n</background>`,
  ...part,
});
export const answer = (text: string, part: Part = {}): ImportedSegment => ({
  source: 'policy',
  role: 'answer',
  text: `<short_answer>\\boxed{${text}}</short_answer>`,
  ...part,
});

/** What a finding points at, as text. */
export const pointedAt = (
  { segments }: Pick<ImportedRollout, 'segments'>,
  { where }: Finding,
): string[] =>
  where.map(({ segment, start, end }) => segments[segment]?.text.slice(start, end) ?? '');
