import type { AgentEvent } from '../../../../src/records/events.ts';
import { hit, passage, retrieve, search } from '../../../fixtures/rollouts.ts';

/** One event of every kind, in the order of a rollout. */

type Of<K extends AgentEvent['kind']> = Extract<AgentEvent, { kind: K }>;

const found = hit(passage('p1', 'Victor Kerlund', 'Victor Kerlund was born in Borfield.'));

export const background: Of<'background'> = {
  t: 0,
  kind: 'background',
  mode: 'shown',
  query: 'Where?',
  hits: [found],
  relevance: { meanSimilarity: null, termOverlap: 0.25, supportingRecall: 0.5 },
  latencyMs: 4.24,
};

export const think: Of<'think'> = { t: 1, kind: 'think', text: ' I look for him. ', phase: 'step' };

export const route: Of<'route'> = {
  t: 2,
  kind: 'route',
  by: 'router',
  choice: 'web',
  probabilities: { local: 0.25, web: 0.75 },
  features: [
    { name: 'names', value: 2, contribution: -0.5 },
    { name: 'length', value: 7, contribution: 1.25 },
    { name: 'digits', value: 0, contribution: 0.001 },
  ],
  reward: null,
};

export const summary: Of<'summarize'> = {
  t: 4,
  kind: 'summarize',
  query: 'who',
  by: 'extractive',
  passages: ['p1', 'gone'],
  text: 'Born in\nBorfield.',
  fallback: false,
  reason: '',
  latencyMs: 1500,
  cached: true,
};

export const candidates: Of<'candidate'> = {
  t: 5,
  kind: 'candidate',
  round: 1,
  candidates: [
    { text: 'Borfield', canonical: 'borfield', confidence: -0.5, count: 2, blocked: false },
    { text: ' ', canonical: '', confidence: -0.1, count: 1, blocked: true },
  ],
};

export const verdict: Of<'verdict'> = {
  t: 6,
  kind: 'verdict',
  over: 'answer',
  round: 2,
  mode: 'corrected',
  text: 'Borfield',
  checks: [
    { lag: 1, against: 'Bor', overlap: 0.75, diff: 0.25, threshold: 0.5, passed: false },
    { lag: 2, against: 'Lund', overlap: 0, diff: 1, threshold: 0.3, passed: true },
  ],
  aggDiff: 0.25,
  valid: false,
  action: 'replaced',
  replacement: 'Lund',
  reason: 'too near the last answer',
  counts: { Borfield: 4, Lund: 1 },
  blocked: ['Borfield'],
};

export const answer: Of<'answer'> = {
  t: 7,
  kind: 'answer',
  text: 'Lund',
  form: 'short',
  by: 'stie',
};

export const stop: Of<'stop'> = { t: 8, kind: 'stop', reason: 'answer', detail: 'after 2 rounds' };

export const fault: Of<'error'> = { t: 9, kind: 'error', what: 'retrieval', message: 'no answer' };

export const EVERY: readonly AgentEvent[] = [
  background,
  think,
  search(1, 'Victor Kerlund'),
  route,
  retrieve([found]),
  summary,
  candidates,
  verdict,
  answer,
  stop,
  fault,
];
