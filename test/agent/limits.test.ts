import { describe, expect, it } from 'vitest';
import type { Rollout, Segment } from '../../src/records/rollout.ts';
import { HINTS } from '../../src/records/protocol.ts';
import { runRollout } from '../../src/agent/run.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import { getRecipe } from '../../src/systems/index.ts';
import { eventsOf, faultsOf, QUESTION, retrieverOver, run, stopReason } from './helpers.ts';
import { base, THINK } from './loop-script.ts';
import { idsOf, ScriptedPolicy } from './scripted-policy.ts';
import { tokenizer } from './tokenizer.ts';

/** Limits of the loop, each met exactly. */

const ENDLESS = `<think>${' more'.repeat(900)}`;
const FIRST = '<search> author of Old Wolf</search>';
const ANSWER = '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>';
/** What the policy writes into a box that the environment opened. */
const FINISH = ' Borfield }</short_answer>';

const detailOf = (rollout: Rollout): string | undefined => eventsOf(rollout, 'stop')[0]?.detail;
const sampled = (rollout: Rollout): Segment[] => rollout.segments.filter(({ mask }) => mask === 1);
const lengthOf = (rollout: Rollout, role: Segment['role']): number =>
  rollout.segments.find((segment) => segment.role === role)?.ids.length ?? 0;

describe('tokens that the policy may write', () => {
  it.each([
    // Tokens in all, and of one step; which of them ends it, and after how many.
    [12, 300, 12, 'the policy wrote its 12 tokens'],
    [300, 9, 9, 'one step took 9 tokens'],
    [9, 9, 9, 'the policy wrote its 9 tokens'],
    [10, 9, 9, 'one step took 9 tokens'],
  ])('%i in all, %i a step: ends at %i', async (tokens, stepTokens, wanted, detail) => {
    const { rollout } = await run(
      { main: [ENDLESS, FINISH] },
      { overrides: { ...base, budgets: { tokens, stepTokens } } },
    );
    expect(sampled(rollout)[0]?.ids).toHaveLength(wanted);
    expect(stopReason(rollout)).toBe('token-budget');
    expect(detailOf(rollout)).toBe(detail);
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics?.tokens).toBe(wanted + idsOf(FINISH).length);
  });

  it('count over all steps: what one has written, the next has no more', async () => {
    const first = idsOf(THINK + FIRST).length;
    const { rollout } = await run(
      { main: [THINK + FIRST, ENDLESS, FINISH] },
      { overrides: { ...base, budgets: { tokens: first + 5, stepTokens: 300 } } },
    );
    expect(sampled(rollout).map(({ ids }) => ids.length)).toEqual([
      idsOf(THINK).length,
      idsOf(FIRST).length,
      5,
      idsOf(FINISH).length,
    ]);
    expect(stopReason(rollout)).toBe('token-budget');
  });

  it('none left at the start of a step: it is not begun', async () => {
    const first = idsOf(THINK + FIRST).length;
    const { rollout } = await run(
      { main: [THINK + FIRST, FINISH] },
      { overrides: { ...base, budgets: { tokens: first } } },
    );
    expect(sampled(rollout)).toHaveLength(3);
    expect(stopReason(rollout)).toBe('token-budget');
    expect(rollout.answer).toBe('Borfield');
  });
});

/** Kept free: hint, opening of the answer, the answer, and a closing tag for it and for an open block. */
const reserveOf = (rollout: Rollout, answerTokens: number): number =>
  lengthOf(rollout, 'hint') + lengthOf(rollout, 'answer') + answerTokens + 2;

describe('the context', () => {
  it('is full where only hint, opening, answer and two closing tags still fit', async () => {
    const { rollout } = await run(
      { main: [ENDLESS, FINISH], maxContext: 160 },
      { overrides: { ...base, budgets: { tokens: 900, stepTokens: 900, answerTokens: 24 } } },
    );
    expect(stopReason(rollout)).toBe('context-full');
    expect(detailOf(rollout)).toBe('the context of 160 tokens is full');
    const room = 160 - lengthOf(rollout, 'question') - reserveOf(rollout, 24);
    expect(sampled(rollout)[0]?.ids).toHaveLength(room);
  });

  it.each([
    [24, 1],
    [23, 0],
  ])('with %i tokens left behind a search makes %i search', async (left, searches) => {
    const script = [THINK + FIRST, ...(searches === 1 ? [ENDLESS] : []), FINISH];
    const budgets = { tokens: 900, stepTokens: 900, answerTokens: 12 };
    const overrides = { ...base, budgets };
    const wide = await run({ main: [ENDLESS, FINISH], maxContext: 200 }, { overrides });
    const written = lengthOf(wide.rollout, 'question') + idsOf(THINK + FIRST).length;
    const maxContext = written + reserveOf(wide.rollout, 12) + left;
    const { rollout } = await run({ main: script, maxContext }, { overrides });
    expect(eventsOf(rollout, 'route')).toHaveLength(searches);
    expect(stopReason(rollout)).toBe('context-full');
    if (searches === 0) expect(detailOf(rollout)).toBe('no room for another result');
    expect(rollout.segments.flatMap(({ ids }) => ids).length).toBeLessThanOrEqual(maxContext);
  });
});

describe('searches', () => {
  const again = `<think> more .</think>${FIRST}`;

  it.each([
    [1, [THINK + FIRST, again, FINISH], 1, 'all 1 searches are made'],
    [2, [THINK + FIRST, again, again, FINISH], 2, 'all 2 searches are made'],
    [0, [THINK + FIRST, FINISH], 0, 'no search is allowed here'],
  ])('at most %i', async (maxSearches, main, made, detail) => {
    const { rollout } = await run({ main }, { overrides: { ...base, retrieval: { maxSearches } } });
    expect(eventsOf(rollout, 'retrieve')).toHaveLength(made);
    expect(eventsOf(rollout, 'search').map(({ round }) => round)).toEqual(
      Array.from({ length: made + 1 }, (_, i) => i + 1),
    );
    expect(stopReason(rollout)).toBe('max-searches');
    expect(detailOf(rollout)).toBe(detail);
    expect(rollout.answer).toBe('Borfield');
    expect(faultsOf(rollout)).toEqual(maxSearches === 0 ? ['a search where none is allowed'] : []);
    const hints = rollout.segments.filter(
      ({ role, source }) => role === 'hint' && source === 'environment',
    );
    expect(hints.at(-1)?.text).toContain(HINTS.answerNow.split(' ')[0]);
  });

  it('without words are no search: a hint says so, and the policy goes on', async () => {
    const { rollout } = await run(
      { main: ['<think> a .</think><search> </search>', ANSWER] },
      { overrides: base },
    );
    expect(faultsOf(rollout)).toEqual(['the search is empty']);
    expect(eventsOf(rollout, 'search')).toEqual([]);
    const hint = rollout.segments.find(({ role }) => role === 'hint');
    expect(hint?.ids).toEqual(idsOf(`<hint> ${HINTS.emptyQuery}</hint>`));
    expect(rollout.answer).toBe('Borfield');
    expect(stopReason(rollout)).toBe('answer');
  });
});

describe('StepSearch’s last turn', () => {
  const hints = async (maxSearches: number, lastTurn?: 'warn'): Promise<string[]> => {
    const main = [`${THINK}${FIRST}`, `${THINK}<search> Victor Kerlund</search>`, ANSWER];
    const system = { id: 'step-search', lastTurn };
    const { rollout } = await run(
      { main },
      { overrides: { ...base, retrieval: { maxSearches }, system } },
    );
    expect(rollout.answer).toBe('Borfield');
    const all = rollout.segments.filter(({ role }) => role === 'hint');
    expect(all.map(({ source, mask }) => [source, mask])).toEqual(
      all.map(() => ['environment', 0]),
    );
    return all.map(({ text }) => text);
  };

  it('is told behind its result, where that is wanted, and no earlier', async () => {
    expect(await hints(2, 'warn')).toEqual([`<hint> ${HINTS.answerNow}</hint>`]);
    expect(await hints(3, 'warn')).toEqual([]);
    expect(await hints(2)).toEqual([]);
  });
});

describe('faults', () => {
  const fault = '<think> a .</think></result>';

  it.each([
    [1, [fault], 'malformed', '1 faults against the protocol'],
    [2, [fault, fault], 'malformed', '2 faults against the protocol'],
    [3, [fault, fault, ANSWER], 'answer', 'the policy answered'],
  ])('at most %i end it', async (maxFaults, main, reason, detail) => {
    const { rollout } = await run({ main }, { overrides: { ...base, budgets: { maxFaults } } });
    expect([stopReason(rollout), detailOf(rollout)]).toEqual([reason, detail]);
  });
});

describe('repeated queries', () => {
  const again = `<think> more .</think>${FIRST}`;
  const strict = {
    background: { mode: 'off' as const },
    stie: { mode: 'paper' as const, overAnswers: false, overQueries: true },
    retrieval: { source: 'local' as const },
  };

  it.each([
    [1, 1],
    [2, 2],
  ])('refused %i times in a row end it', async (maxRefusals, refused) => {
    const { rollout } = await run(
      { main: [THINK + FIRST, ...Array.from({ length: refused }, () => again), FINISH] },
      { overrides: { ...strict, stie: { ...strict.stie, maxRefusals } } },
    );
    const verdicts = eventsOf(rollout, 'verdict').map(({ action }) => action);
    expect(verdicts).toEqual(['kept', ...Array.from({ length: refused }, () => 'refused')]);
    const [stop] = eventsOf(rollout, 'stop');
    expect(stop).toMatchObject({
      reason: 'stie-overlap',
      detail: `${refused} repeated queries in a row`,
      clause: { rule: 'repeated-queries', value: refused, threshold: maxRefusals },
    });
  });

  it('count from 0 again once another query was let through', async () => {
    const other = '<think> b .</think><search> birth city Borfield Mondria</search>';
    const { rollout } = await run(
      { main: [THINK + FIRST, again, other, again, ANSWER] },
      { overrides: { ...strict, stie: { ...strict.stie, maxRefusals: 2 } } },
    );
    expect(eventsOf(rollout, 'verdict').map(({ action }) => action)).toEqual([
      'kept',
      'refused',
      'kept',
      'refused',
    ]);
    expect(stopReason(rollout)).toBe('answer');
  });
});

it('a question that is too long is cut, its closing tag is not', async () => {
  const question = {
    id: 'q',
    text: 'which city '.repeat(200),
    answers: ['x'],
    supporting: [],
  };
  const { rollout } = await run({ main: [FINISH], maxContext: 120 }, { question, overrides: base });
  const ids = rollout.segments[0]?.ids ?? [];
  expect(ids.at(-1)).toBe(tokenizer.specialId('</question>'));
  expect(stopReason(rollout)).toBe('context-full');
  expect(rollout.segments.flatMap((segment) => segment.ids).length).toBeLessThanOrEqual(120);
});

it('is timed in seconds, from its beginning', async () => {
  let now = 5000;
  const policy = new ScriptedPolicy({ main: [ANSWER] });
  const rollout = await runRollout(
    { policy, retriever: retrieverOver(), router: createRouter(), now: () => (now += 250) },
    {
      question: QUESTION,
      recipe: getRecipe('search'),
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
  // The clock is looked at when the record is begun, when its events come and when it is scored.
  const last = rollout.events.at(-1)?.t ?? Number.NaN;
  expect(rollout.metrics?.seconds).toBe((last + 250) / 1000);
});
