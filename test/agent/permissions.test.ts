import { describe, expect, it } from 'vitest';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { readFacts } from '../../src/learn/rewards/parts/facts.ts';
import { scoreRollout, totalReward } from '../../src/learn/rewards/index.ts';
import type { Passage } from '../../src/records/records.ts';
import { contextText, eventsOf, faultsOf, QUESTION, retrieverOver, run } from './helpers.ts';

/** What a question and UR²'s own limits allow, from the question through the agent into record and reward. */

const ANSWER = '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>';
const search = (query: string): string => `<think> t</think><search> ${query}</search>`;
const words = (n: number): string => Array.from({ length: n }, () => 'wolf').join(' ');
const forbidden = { ...QUESTION, mayRetrieve: false };

describe('a question that may not retrieve', () => {
  it.each(['search', 'ur2', 'kunlun-baize', 'naive-rag'])(
    'brings nothing under %s',
    async (recipe) => {
      const main = recipe === 'naive-rag' ? [' Borfield }</short_answer>'] : [ANSWER];
      const { rollout } = await run({ main }, { recipe, question: forbidden });
      expect(
        rollout.events.filter(({ kind }) => kind === 'retrieve' || kind === 'background'),
      ).toEqual([]);
      expect(rollout.question.mayRetrieve).toBe(false);
      expect(rollout.recipe.settings).toMatchObject({ retrieval: { maxSearches: 0 } });
      expect(readFacts(rollout).mayRetrieve).toBe(false);
      expect(rollout.metrics).toMatchObject({ em: 1, searches: 0, formatValid: true });
    },
  );

  it('is told so before it begins, and a tool call is one fault', async () => {
    const main = [search('author of Old Wolf'), ' Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { recipe: 'ur2', question: forbidden });
    expect(rollout.segments[1]).toMatchObject({ source: 'prompt', role: 'hint', mask: 0 });
    expect(faultsOf(rollout)).toEqual(['a search where none is allowed']);
    // Stage 1: −1 for the one violation, nothing for the query. Stage 2: 2 for the answer, no format.
    expect(totalReward(scoreRollout(rollout, 'ur2-stage-1'))).toBe(-1);
    expect(totalReward(scoreRollout(rollout, 'ur2-stage-2'))).toBe(2);
  });

  it('a question that says nothing may, as far as its recipe searches', async () => {
    const { rollout } = await run({ main: [ANSWER] }, { recipe: 'ur2' });
    expect(rollout.question.mayRetrieve).toBeUndefined();
    expect(readFacts(rollout).mayRetrieve).toBe(true);
    // Stage 1: no retrieval is a violation, and pays nothing.
    expect(totalReward(scoreRollout(rollout, 'ur2-stage-1'))).toBe(-1);
  });
});

const SUMMARIES_OFF: SettingsOverride = { retrieval: { summarize: 'off' } };

describe('a query of UR²', () => {
  it.each([
    ['ur2', 19, 0],
    ['ur2', 20, 1],
    ['ur2-released', 20, 0],
    ['ur2-released', 21, 1],
    ['search', 40, 0],
  ])('under %s: %i words are %i faults', async (recipe, length, faults) => {
    const main = [search(words(length)), ANSWER];
    const { rollout } = await run({ main }, { recipe, overrides: SUMMARIES_OFF });
    expect(faultsOf(rollout)).toHaveLength(faults);
    expect(rollout.metrics?.formatValid).toBe(faults === 0);
    // It is answered all the same.
    expect(eventsOf(rollout, 'retrieve')).toHaveLength(1);
  });

  it('that is too long is one violation, not two, and no valid query', async () => {
    const main = [search(words(20)), search('Old Wolf'), ANSWER];
    const { rollout } = await run({ main }, { recipe: 'ur2', overrides: SUMMARIES_OFF });
    const clauses = scoreRollout(rollout, 'ur2-stage-1');
    expect(clauses.map(({ clause, value }) => [clause, value])).toEqual([
      ['format', -1],
      ['retrieval', 3],
      ['fallback', 0],
    ]);
    // 20 words are no fault of the released code, which counts tags: two of them.
    const released = scoreRollout(rollout, 'ur2-stage-1-released');
    expect(released.map(({ value }) => value)).toEqual([-1, 4, 0]);
  });

  it('may be the fourth, and the fifth asks for the answer', async () => {
    const five = ['Old Wolf', 'Victor Kerlund', 'Silent Harbor', 'Borfield', 'Mondria'].map(search);
    const main = [...five, ' Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { recipe: 'ur2', overrides: SUMMARIES_OFF });
    expect(rollout.metrics?.searches).toBe(4);
    expect(eventsOf(rollout, 'stop')[0]).toMatchObject({ reason: 'max-searches' });
  });
});

describe('k of UR²', () => {
  const many: Passage[] = Array.from({ length: 12 }, (_, i) => ({
    id: `p${i}`,
    title: `Old Wolf ${i}`,
    text: 'Old Wolf was written by Victor Kerlund in Borfield .',
    sentences: ['Old Wolf was written by Victor Kerlund in Borfield .'],
  }));
  const shown = async (maxContext: number, overrides: SettingsOverride) => {
    const main = [search('Old Wolf'), ANSWER];
    const retriever = retrieverOver(many, []);
    const { rollout } = await run({ main, maxContext }, { recipe: 'ur2', overrides, retriever });
    const [event] = eventsOf(rollout, 'retrieve');
    return { event, text: contextText(rollout) };
  };
  const shownIn = (text: string): number => text.match(/Old Wolf \d+ :/gu)?.length ?? 0;

  it('is 10 where the context holds them', async () => {
    const { event, text } = await shown(4096, SUMMARIES_OFF);
    expect(event?.hits).toHaveLength(10);
    expect(event).not.toHaveProperty('asked');
    expect(shownIn(text)).toBe(10);
  });

  it('gives way to what a small context holds, and the record says so', async () => {
    const { event, text } = await shown(480, SUMMARIES_OFF);
    expect(event?.asked).toBe(10);
    expect(event?.hits.length).toBeGreaterThan(0);
    expect(event?.hits.length).toBeLessThan(10);
    expect(shownIn(text)).toBe(event?.hits.length);
    expect(text).toContain('</result>');
    // Smaller still: one is shown at least.
    expect((await shown(260, SUMMARIES_OFF)).event?.hits.length).toBe(1);
  });

  it('stays 10 where the policy reads a summary of them, and with any recipe that does not fit it', async () => {
    const on: SettingsOverride = { retrieval: { summarize: 'on', fitK: false } };
    expect((await shown(480, on)).event?.hits).toHaveLength(10);
    expect((await shown(480, { retrieval: { summarize: 'on' } })).event?.hits).toHaveLength(10);
  });
});
