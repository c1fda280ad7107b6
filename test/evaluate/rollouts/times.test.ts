import { describe, expect, it } from 'vitest';
import { timesOf, type RolloutTimes } from '../../../src/evaluate/rollouts/times.ts';
import type { AgentEvent, RetrieveEvent } from '../../../src/records/events.ts';
import { eventsOfEveryKind } from '../../fixtures/events.ts';

/** In the order in which a record may have them; the stop last. */
const EVENTS: AgentEvent[] = Object.values(eventsOfEveryKind('x'));

const think = (t: number): AgentEvent => ({ kind: 'think', t, text: 'so', phase: 'step' });
const search = (t: number, round: number): AgentEvent => ({
  kind: 'search',
  t,
  query: 'q',
  round,
  tag: 'search',
});
const retrieve = (t: number, rest: Partial<RetrieveEvent> = {}): AgentEvent => ({
  kind: 'retrieve',
  t,
  query: 'q',
  source: 'local',
  hits: [],
  latencyMs: 0,
  addedDelayMs: 0,
  newSupporting: null,
  duplicates: [],
  newEntities: 0,
  ...rest,
});
const answer = (t: number): AgentEvent => ({
  kind: 'answer',
  t,
  text: 'a',
  form: 'short',
  by: 'policy',
});
const stop = (t: number): AgentEvent => ({ kind: 'stop', t, reason: 'answer', detail: '' });

const times = (events: AgentEvent[], seconds?: number): RolloutTimes => {
  const found = timesOf({ events, ...(seconds !== undefined && { metrics: { seconds } }) });
  if (found.kind === 'none') throw new Error(found.why);
  return found;
};

const lines = ({ spans }: RolloutTimes) =>
  spans.map(({ kind, start, ms, search: of }) => [kind, start, ms, of]);

describe('the time of a rollout', () => {
  it('goes to who was at work: the policy until it asked, the search that the call states, the policy again', () => {
    // 0–400 written; 400–1000: the web took 550, of which 300 were added; 1000–1500 written; closed at 1520.
    const found = times(
      [
        think(300),
        search(400, 1),
        retrieve(1000, { source: 'web', latencyMs: 550, addedDelayMs: 300 }),
        think(1400),
        answer(1500),
        stop(1500),
      ],
      1.52,
    );
    expect(lines(found)).toEqual([
      ['writes', 0, 400, 1],
      ['rest', 400, 50, 1],
      ['delay', 450, 300, 1],
      ['web', 750, 250, 1],
      ['writes', 1000, 500, null],
      ['rest', 1500, 20, null],
    ]);
    expect(found.totalMs).toBe(1520);
    expect(found.totals.map(({ kind, ms }) => [kind, ms])).toEqual([
      ['writes', 900],
      ['delay', 300],
      ['web', 250],
      ['rest', 70],
    ]);
    expect(found.clipped).toBe(0);
  });

  it('is never more than the record has, where a call states more than its span', () => {
    const found = times([search(100, 1), retrieve(150, { latencyMs: 400 }), stop(150)]);
    expect(lines(found)).toEqual([
      ['writes', 0, 100, 1],
      ['local', 100, 50, 1],
    ]);
    expect(found).toMatchObject({ clipped: 1, totalMs: 150 });
  });

  it('adds up to the last event in every record, also one whose clock runs backwards', () => {
    const all = EVENTS.map((event, i): AgentEvent => ({ ...event, t: 10 * (i + 1) }));
    const found = times(all);
    expect(found.totalMs).toBeCloseTo(10 * all.length, 6);
    let end = 0;
    for (const { start, ms } of found.spans) {
      expect(start).toBeCloseTo(end, 6);
      end = start + ms;
    }
    expect(times([think(100), search(40, 1), answer(130)]).totalMs).toBe(130);
  });

  it('counts probes and judgements of STIE, the router, and what was written beside the context, apart', () => {
    const kinds = (wanted: AgentEvent['kind'][]) =>
      times(
        EVENTS.filter(({ kind }) => wanted.includes(kind)).map((event, i): AgentEvent => ({
          ...event,
          t: 5 * (i + 1),
        })),
      ).totals.map(({ kind }) => kind);
    expect(kinds(['candidate'])).toEqual(['probes']);
    expect(kinds(['verdict'])).toEqual(['stie']);
    expect(kinds(['route'])).toEqual(['router']);
    expect(kinds(['aside'])).toEqual(['aside']);
  });

  it('says why the time is unknown', () => {
    expect(timesOf({})).toMatchObject({ kind: 'none', why: expect.stringMatching(/no events/) });
    expect(timesOf({ metrics: { seconds: 3.5 } })).toMatchObject({
      why: expect.stringMatching(/only the total: 3\.5 s/),
    });
    expect(timesOf({ events: [think(0), stop(0)] })).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/are at 0 ms/),
    });
  });
});
