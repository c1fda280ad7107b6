import { describe, expect, it } from 'vitest';
import { missingTitles, offerOf } from '../../../src/agent/fork/changes.ts';
import type { AgentEvent } from '../../../src/records/events.ts';
import type { SearchTarget } from '../../../src/records/hits.ts';
import { emptyRollout, hit, passage, retrieve, search } from '../../fixtures/rollouts.ts';

const GOLD = 'Victor Kerlund';

const route = (choice: SearchTarget, of?: 'background'): AgentEvent => ({
  t: 0,
  kind: 'route',
  by: 'router',
  choice,
  probabilities: { local: 0.5, web: 0.5 },
  features: [],
  reward: null,
  ...(of && { of }),
});
const refused: AgentEvent = {
  t: 0,
  kind: 'verdict',
  over: 'query',
  round: 2,
  mode: 'paper',
  text: 'who',
  checks: [],
  aggDiff: 0,
  valid: false,
  action: 'refused',
  reason: '',
  counts: {},
  blocked: [],
};

/** Two searches: the first in the local corpus, without gold; STIE refuses one; the second finds gold. */
const of = {
  question: emptyRollout('r').question,
  events: [
    route('web', 'background'),
    search(1),
    route('local'),
    retrieve([hit(passage('x', 'X'))]),
    search(2),
    refused,
    search(2, 'who else'),
    route('web'),
    retrieve([hit(passage('g', GOLD))], 'who else'),
    { t: 1, kind: 'answer', text: 'a', form: 'short', by: 'policy' },
    { t: 2, kind: 'stop', reason: 'answer', detail: '' },
  ] satisfies AgentEvent[],
};

describe('what can be done otherwise at an event', () => {
  it('is the other source of the search at hand: at its result it is made again from its route', () => {
    expect(offerOf(of, 3, 'source')).toEqual({
      possible: true,
      event: 2,
      source: 'web',
      what: 'who',
    });
    expect(offerOf(of, 2, 'source')).toMatchObject({ event: 2, source: 'web' });
    expect(offerOf(of, 1, 'source')).toMatchObject({ event: 1, source: 'web' });
  });

  it('is the other source of the next search; the background’s route is none', () => {
    expect(offerOf(of, 0, 'source')).toMatchObject({ event: 0, source: 'web', what: 'who' });
    expect(offerOf(of, 4, 'source')).toMatchObject({ event: 4, source: 'local', what: 'who else' });
    expect(offerOf(of, 9, 'source')).toEqual({ possible: false, why: 'no search follows' });
  });

  it('is gold as long as some is missing and a search follows', () => {
    expect(missingTitles(of, 8)).toEqual([GOLD]);
    expect(offerOf(of, 3, 'gold')).toEqual({ possible: true, event: 3, what: GOLD });
    expect(offerOf(of, 9, 'gold')).toEqual({ possible: false, why: 'no search follows' });
    const again = {
      ...of,
      events: [...of.events.slice(0, 9), search(3), ...of.events.slice(7, 9)],
    };
    expect(offerOf(again, 9, 'gold')).toMatchObject({ possible: false });
    const without = { ...of, question: { ...of.question, supporting: [] } };
    expect(offerOf(without, 3, 'gold')).toMatchObject({ possible: false });
  });

  it('is to let a refused query through, up to its refusal', () => {
    expect(offerOf(of, 5, 'admit')).toEqual({ possible: true, event: 5, what: 'who' });
    expect(offerOf(of, 1, 'admit')).toMatchObject({ possible: true, event: 1 });
    expect(offerOf(of, 6, 'admit')).toMatchObject({ possible: false });
  });

  it('is none of an answer that STIE replaced, and says that no words hang on it', () => {
    const events = [...of.events];
    events[8] = { ...refused, over: 'answer', action: 'replaced' } as AgentEvent;
    expect(offerOf({ ...of, events }, 8, 'admit')).toEqual({
      possible: false,
      why: 'the model does not read STIE’s candidate answers, and STIE refuses no query after this event',
    });
  });

  it('is nothing at the end', () => {
    for (const change of ['draw', 'temperature', 'policy', 'source'] as const)
      expect(offerOf(of, 10, change)).toMatchObject({ possible: false });
    expect(offerOf(of, 9, 'draw')).toEqual({ possible: true, event: 9 });
  });
});
