import type { AgentEvent } from '../../src/data/events.ts';
import type { Hit } from '../../src/data/hits.ts';
import type { Passage } from '../../src/data/records.ts';
import type { Rollout, RolloutMetrics, Segment } from '../../src/data/rollout.ts';

/** Small records for tests of the interface. */

export const emptyRollout = (id: string): Rollout => ({
  format: 'forage.rollout/1',
  id,
  runId: 'run',
  step: 0,
  groupId: 'group',
  seed: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  question: { id: 'q', text: 'Where?', answers: ['Borfield'], supporting: ['Victor Kerlund'] },
  recipe: { id: 'search', version: '1', settings: {} },
  policy: { id: 'test', revision: '0' },
  segments: [],
  events: [],
  rewards: [],
  reward: null,
  baseline: null,
  advantage: null,
  metrics: null,
  answer: null,
});

export const policySegment = (ids: number[], role: Segment['role'] = 'think'): Segment => ({
  source: 'policy',
  role,
  text: ids.map((id) => `t${id}`).join(''),
  ids,
  logprobs: ids.map((id) => -id),
  entropies: ids.map((id) => id / 2),
  mask: 1,
});

export const readSegment = (ids: number[], role: Segment['role'] = 'result'): Segment => ({
  source: role === 'question' ? 'prompt' : 'environment',
  role,
  text: ids.map((id) => `t${id}`).join(''),
  ids,
  mask: 0,
});

export const passage = (id: string, title: string, ...sentences: string[]): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
});

export const hit = (of: Passage): Hit => ({ passage: of, score: 1, source: 'local' });

export const search = (round: number, query = 'who'): AgentEvent => ({
  t: round,
  kind: 'search',
  query,
  round,
  tag: 'search',
});

export const retrieve = (hits: Hit[], query = 'who'): AgentEvent => ({
  t: 1,
  kind: 'retrieve',
  query,
  source: 'local',
  hits,
  latencyMs: 3,
  addedDelayMs: 0,
  newSupporting: [],
  duplicates: [],
  newEntities: 0,
});

export const metrics = (part: Partial<RolloutMetrics>): RolloutMetrics => ({
  em: 0,
  f1: 0,
  cover_em: 0,
  recall: 0,
  searches: 0,
  tokens: 0,
  seconds: 0,
  formatValid: true,
  ...part,
});
