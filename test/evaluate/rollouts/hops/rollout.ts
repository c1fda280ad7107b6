import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import type { AgentEvent } from '../../../../src/records/events.ts';
import type { SearchTarget } from '../../../../src/records/hits.ts';
import type { ChainStep } from '../../../../src/records/records.ts';
import { rolloutOf } from '../lint/rollout.ts';

/** Rollouts made by hand: one search after another, each with its passages, then an answer. */

/** Who directed the film, and where that person was born. */
export const CHAIN: ChainStep[] = [
  {
    subject: 'Red Fog',
    relation: 'film.director',
    object: 'Ida Holm',
    title: 'Red Fog',
    passageId: 'local-1',
    passageIds: ['local-1', 'web-1'],
    query: 'director of the film Red Fog',
    source: 'both',
  },
  {
    subject: 'Ida Holm',
    relation: 'person.birthCity',
    object: 'Oslo',
    title: 'Ida Holm',
    passageId: 'web-2',
    passageIds: ['web-2'],
    query: 'birth city of Ida Holm',
    source: 'web',
    rivals: [{ object: 'Bergen', passageId: 'local-2', why: 'stale' }],
  },
];

type Passage = readonly [id: string, title: string, text: string];

export const FILM: Passage = ['local-1', 'Red Fog', 'Red Fog was directed by Ida Holm.'];
export const BORN: Passage = ['web-2', 'Ida Holm', 'Ida Holm was born in Oslo.'];
export const STALE: Passage = ['local-2', 'Ida Holm', 'Ida Holm was born in Bergen.'];
export const RAIN: Passage = ['local-9', 'Rain', 'It rains.'];

export interface Step {
  think?: string;
  query: string;
  source?: SearchTarget;
  hits: readonly Passage[];
  refused?: boolean;
}

const hit = ([id, title, text]: Passage) => ({
  passage: { id, title, text, sentences: [text] },
  score: 1,
  source: id.startsWith('web') ? ('web' as const) : ('local' as const),
});

export function searched(
  steps: readonly Step[],
  answer: string | null,
  question: Partial<ImportedRollout['question']> = {},
): ImportedRollout {
  const segments: ImportedRollout['segments'] = [
    { source: 'prompt', role: 'question', text: 'Where was the director of Red Fog born?' },
  ];
  const events: AgentEvent[] = [];
  for (const { think, query, source = 'local', hits, refused } of steps) {
    if (think) segments.push({ source: 'policy', role: 'think', text: `<think>${think}</think>` });
    segments.push({ source: 'policy', role: 'search', text: `<search>${query}</search>` });
    if (refused) {
      events.push({
        kind: 'verdict',
        t: 0,
        over: 'query',
        round: 1,
        mode: 'corrected',
        text: query,
        checks: [],
        aggDiff: null,
        valid: false,
        action: 'refused',
        reason: 'too near',
        counts: {},
        blocked: [],
      });
      continue;
    }
    const text = hits.map(([, title, body]) => `${title} : ${body}`).join('\n');
    segments.push({ source: 'environment', role: 'result', text: `<result>${text}</result>` });
    events.push({
      kind: 'retrieve',
      t: 0,
      segment: segments.length - 1,
      query,
      source,
      hits: hits.map(hit),
      latencyMs: 1,
      addedDelayMs: 0,
      newSupporting: null,
      duplicates: [],
      newEntities: 0,
    });
  }
  if (answer !== null)
    segments.push({ source: 'policy', role: 'answer', text: `<answer>${answer}</answer>` });
  return rolloutOf(segments, {
    events,
    answer,
    question: {
      id: 'q',
      text: 'Where was the director of Red Fog born?',
      answers: ['Oslo'],
      supporting: ['Red Fog', 'Ida Holm'],
      chain: CHAIN,
      ...question,
    },
  });
}

/** The same without events and chain, as other systems' files are. */
export const imported = (
  rollout: ImportedRollout,
  question: Partial<ImportedRollout['question']> = {},
): ImportedRollout => {
  const { id, text, answers, supporting } = rollout.question;
  const { events: _, ...rest } = rollout;
  return { ...rest, question: { id, text, answers, supporting, ...question } };
};
