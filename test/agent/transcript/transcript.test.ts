import { describe, expect, it } from 'vitest';
import { applyUpdate } from '../../../src/agent/apply.ts';
import { Transcript } from '../../../src/agent/transcript/transcript.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { RolloutUpdate } from '../../../src/records/updates.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

const LETTERS = 'abcdefghij';
const decode = (ids: readonly number[]): string => ids.map((id) => LETTERS[id] ?? '?').join('');

function begin(pieces = false) {
  const clock = { now: 1000 };
  const updates: RolloutUpdate[] = [];
  const rollout = emptyRollout('r');
  const transcript = new Transcript(
    rollout,
    decode,
    () => clock.now,
    (update) => updates.push(structuredClone(update)),
    pieces,
  );
  return { clock, updates, rollout, transcript };
}

const rebuilt = (updates: readonly RolloutUpdate[]): Rollout | null =>
  updates.reduce<Rollout | null>((rollout, update) => applyUpdate(rollout, update), null);

describe('the record of a rollout', () => {
  it('stamps events with milliseconds since it began, and tells each', () => {
    const { clock, updates, transcript, rollout } = begin();
    clock.now = 1250;
    expect(transcript.elapsed).toBe(250);
    expect(transcript.event({ kind: 'stop', reason: 'answer', detail: 'a' })).toBe(0);
    clock.now = 1300;
    expect(transcript.event({ kind: 'stop', reason: 'answer', detail: 'b' })).toBe(1);
    expect(rollout.events.map(({ t }) => t)).toEqual([250, 300]);
    expect(updates.map(({ type }) => type)).toEqual(['started', 'event', 'event']);
    expect(updates[2]).toMatchObject({ rolloutId: 'r', index: 1, event: { detail: 'b', t: 300 } });
  });

  it('completes an event in its place and at its time', () => {
    const { clock, updates, transcript, rollout } = begin();
    const index = transcript.event({ kind: 'stop', reason: 'answer', detail: 'a' });
    clock.now = 1900;
    transcript.replaceEvent(index, (event) =>
      event.kind === 'stop' ? { ...event, detail: 'known now' } : event,
    );
    expect(rollout.events).toEqual([{ kind: 'stop', reason: 'answer', detail: 'known now', t: 0 }]);
    expect(updates.at(-1)).toMatchObject({
      type: 'event',
      index: 0,
      event: { detail: 'known now' },
    });
    const told = updates.length;
    transcript.replaceEvent(7, (event) => event);
    expect(updates).toHaveLength(told);
  });

  it('adds what was not sampled untrained, without log-probabilities', () => {
    const { updates, transcript, rollout } = begin();
    expect(transcript.lastSegment).toBe(-1);
    expect(transcript.add('prompt', 'question', [0, 1])).toBe(0);
    expect(transcript.add('environment', 'result', [2])).toBe(1);
    expect(transcript.lastSegment).toBe(1);
    expect(rollout.segments).toEqual([
      { source: 'prompt', role: 'question', text: 'ab', ids: [0, 1], mask: 0 },
      { source: 'environment', role: 'result', text: 'c', ids: [2], mask: 0 },
    ]);
    expect(updates.at(-1)).toMatchObject({ type: 'segment', index: 1 });
  });

  it('grows a sampled segment: whole at first, then by what was added', () => {
    const { updates, transcript, rollout } = begin();
    transcript.add('prompt', 'question', [9]);
    transcript.beginSampled('think');
    transcript.push({ id: 0, logprob: -1, entropy: 0.5 });
    transcript.flush();
    transcript.push({ id: 1, logprob: -2, entropy: 0.25 });
    transcript.push({ id: 2, logprob: -3, entropy: 0.125 });
    transcript.flush();
    // Nothing new: nothing told.
    transcript.flush();
    expect(updates.slice(2)).toEqual([
      {
        rolloutId: 'r',
        type: 'segment',
        index: 1,
        segment: {
          source: 'policy',
          role: 'think',
          text: 'a',
          ids: [0],
          logprobs: [-1],
          entropies: [0.5],
          mask: 1,
        },
      },
      {
        rolloutId: 'r',
        type: 'tokens',
        index: 1,
        ids: [1, 2],
        logprobs: [-2, -3],
        entropies: [0.25, 0.125],
        text: 'bc',
      },
    ]);
    expect(rollout.segments[1]).toMatchObject({ text: 'abc', ids: [0, 1, 2] });
  });

  it('ends a segment where another begins', () => {
    const { transcript, rollout } = begin();
    transcript.beginSampled('think');
    transcript.push({ id: 0, logprob: -1, entropy: 0 });
    transcript.beginSampled('search');
    transcript.push({ id: 1, logprob: -1, entropy: 0 });
    transcript.add('environment', 'result', [2]);
    // Sampled without being begun: a segment of its own.
    transcript.push({ id: 3, logprob: -1, entropy: 0 });
    transcript.finish();
    expect(rollout.segments.map(({ role, text, mask }) => [role, text, mask])).toEqual([
      ['think', 'a', 1],
      ['search', 'b', 1],
      ['result', 'c', 0],
      ['other', 'd', 1],
    ]);
  });

  it.each([
    ['log-probability', { logprob: undefined, entropy: 0.5 }, 'logprobs', 'entropies'],
    ['entropy', { logprob: -1, entropy: undefined }, 'entropies', 'logprobs'],
  ] as const)('one token without %s leaves the segment without', (_, without, gone, left) => {
    const { transcript, rollout, updates } = begin();
    transcript.beginSampled('think');
    transcript.push({ id: 0, logprob: -1, entropy: 0.5 });
    transcript.flush();
    const { logprob, entropy } = without;
    transcript.push({
      id: 1,
      logprob,
      entropy,
    });
    transcript.push({ id: 2, logprob: -1, entropy: 0.5 });
    transcript.flush();
    expect(rollout.segments[0]).not.toHaveProperty(gone);
    expect(rollout.segments[0]?.[left]).toHaveLength(3);
    expect(rebuilt(updates)?.segments).toEqual(rollout.segments);
    transcript.endSegment();
    expect(rebuilt(updates)?.segments).toEqual(rollout.segments);
  });

  it('keeps the text of each id where ids are pieces of text, and only there', () => {
    for (const pieces of [true, false]) {
      const { transcript, rollout, updates } = begin(pieces);
      transcript.add('prompt', 'question', [0, 1]);
      transcript.beginSampled('think');
      transcript.push({ id: 2 });
      transcript.finish();
      expect(rollout.segments.map(({ tokens }) => tokens)).toEqual(
        pieces ? [['a', 'b'], ['c']] : [undefined, undefined],
      );
      expect(rebuilt(updates)).toEqual(rollout);
    }
  });

  it('tells copies: what is told does not change with the record', () => {
    const told: RolloutUpdate[] = [];
    const rollout = emptyRollout('r');
    const transcript = new Transcript(
      rollout,
      decode,
      () => 0,
      (update) => told.push(update),
      true,
    );
    transcript.beginSampled('think');
    transcript.push({ id: 0, logprob: -1, entropy: 0 });
    transcript.flush();
    transcript.event({ kind: 'stop', reason: 'answer', detail: 'a' });
    const before = structuredClone(told);
    transcript.push({ id: 1, logprob: -1, entropy: 0 });
    transcript.replaceEvent(0, (event) => Object.assign(event, { detail: 'b' }));
    expect(told.slice(0, before.length)).toEqual(before);
    transcript.finish();
    const finished = told.at(-1);
    expect(finished?.type === 'finished' && finished.rollout).toEqual(rollout);
    expect(finished?.type === 'finished' && finished.rollout).not.toBe(rollout);
  });
});

describe('applying updates', () => {
  const event = { kind: 'stop', reason: 'answer', detail: 'a', t: 0 } as const;

  it('needs a record to begin with', () => {
    expect(applyUpdate(null, { rolloutId: 'r', type: 'event', index: 0, event })).toBeNull();
  });

  it('leaves the old record as it was and shares what did not change', () => {
    const old: Rollout = {
      ...emptyRollout('r'),
      segments: [{ source: 'policy', role: 'think', text: 'a', ids: [0], logprobs: [-1], mask: 1 }],
      events: [event],
    };
    const before = structuredClone(old);
    const grown = applyUpdate(old, {
      rolloutId: 'r',
      type: 'tokens',
      index: 0,
      ids: [1],
      logprobs: [-2],
      entropies: [],
      text: 'b',
    });
    expect(old).toEqual(before);
    expect(grown?.events).toBe(old.events);
    expect(grown?.segments).toEqual([
      { source: 'policy', role: 'think', text: 'ab', ids: [0, 1], logprobs: [-1, -2], mask: 1 },
    ]);
    const other = { ...event, detail: 'b' };
    const changed = applyUpdate(old, { rolloutId: 'r', type: 'event', index: 0, event: other });
    expect(changed?.events).toEqual([other]);
    expect(changed?.segments).toBe(old.segments);
  });

  it('of tokens of an unknown segment changes nothing', () => {
    const old = emptyRollout('r');
    const update = { ids: [1], logprobs: [], entropies: [], text: 'b' };
    expect(applyUpdate(old, { rolloutId: 'r', type: 'tokens', index: 3, ...update })).toBe(old);
  });
});
