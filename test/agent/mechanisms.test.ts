import { describe, expect, it } from 'vitest';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { eventLine } from '../../src/ui/kit/events/cards.ts';
import {
  contextText,
  eventsOf,
  faultsOf,
  LOCAL,
  retrieverOver,
  run,
  stopReason,
} from './helpers.ts';
import { THINK, FIRST, SECOND, ANSWER, LOOP, base, off } from './loop-script.ts';
import { tokenizer } from './tokenizer.ts';

const queries = async (secondStage: 'intention' | 'thought'): Promise<string[]> => {
  const overrides = { ...off, background: { secondStage } };
  const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
  return eventsOf(rollout, 'retrieve').map((e) => e.query);
};
const search = (n: number): string =>
  `<think> t</think><search> Borfield fact${n} thing${n}</search>`;
describe('RDRA in the loop', () => {
  it('retrieves D0 by the question and lets T read it', async () => {
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides: off });
    expect(rollout.segments.map((s) => s.role).slice(0, 3)).toEqual([
      'background',
      'question',
      'think',
    ]);
    const [background] = eventsOf(rollout, 'background');
    expect(background).toMatchObject({ mode: 'shown-and-used-by-T', query: rollout.question.text });
    expect(background?.hits).toHaveLength(2);
    // Old Wolf is among D0, Victor Kerlund perhaps: recall of the two supporting titles
    const titles = background?.hits.map((h) => h.passage.title) ?? [];
    const share = ['Old Wolf', 'Victor Kerlund'].filter((t) => titles.includes(t)).length / 2;
    expect(background?.relevance.supportingRecall).toBe(share);
    expect(background?.relevance.meanSimilarity).toBeNull();
    expect(background?.relevance.termOverlap).toBeGreaterThan(0);
    expect(eventsOf(rollout, 'think').map((e) => e.phase)).toEqual(['alignment', 'step', 'step']);
  });

  it('off: no background is retrieved or shown', async () => {
    const overrides = { ...off, background: { mode: 'off' as const } };
    const { rollout } = await run({ main: LOOP }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'background')).toEqual([]);
    expect(eventsOf(rollout, 'think')[0]?.phase).toBe('step');
    expect(rollout.segments[0]?.role).toBe('question');
  });

  it('shown: T thinks in a context without it; its thought is inserted and not trained', async () => {
    const overrides = { ...off, background: { mode: 'shown' as const } };
    const script = { thought: `${THINK}never read`, main: [FIRST, SECOND, ANSWER] };
    const { rollout, policy } = await run(script, { recipe: 'kunlun-baize', overrides });
    const [, other] = policy.sessions;
    expect(tokenizer.decode(other?.ids ?? [])).toBe(
      `<question> ${rollout.question.text}</question>${THINK}`,
    );
    expect(rollout.segments.map((s) => [s.role, s.source, s.mask]).slice(0, 4)).toEqual([
      ['background', 'environment', 0],
      ['question', 'prompt', 0],
      ['think', 'policy', 0],
      ['search', 'policy', 1],
    ]);
    expect(rollout.segments[2]?.text).toBe(THINK);
    expect(rollout.segments[2]?.logprobs).toBeUndefined();
    expect(eventsOf(rollout, 'think')[0]).toMatchObject({ phase: 'alignment' });
    expect(faultsOf(rollout)).toEqual([]);
  });

  it('shown: a T that writes no whole thought is a fault, and the policy thinks itself', async () => {
    const overrides = { ...off, background: { mode: 'shown' as const } };
    const script = { thought: 'no thought<|endoftext|>', main: LOOP };
    const { rollout } = await run(script, { recipe: 'kunlun-baize', overrides });
    expect(faultsOf(rollout)).toHaveLength(1);
    expect(rollout.answer).toBe('Borfield');
  });

  it('equation (3): retrieves by the intention, or by the text of t itself', async () => {
    expect(await queries('intention')).toEqual([
      'author of Old Wolf',
      'birth city of Victor Kerlund',
    ]);
    expect(await queries('thought')).toEqual([
      'plan : author , birth city .',
      'birth city of Victor Kerlund',
    ]);
  });

  it('goes on without a background that cannot be retrieved', async () => {
    const working = retrieverOver();
    let calls = 0;
    const retriever = {
      search: (...args: Parameters<typeof working.search>) =>
        ++calls === 1 ? Promise.reject(new Error('offline')) : working.search(...args),
    };
    const { rollout } = await run(
      { main: LOOP },
      { recipe: 'kunlun-baize', overrides: off, retriever },
    );
    expect(eventsOf(rollout, 'error')).toMatchObject([{ what: 'retrieval' }]);
    expect(rollout.segments[0]?.role).toBe('question');
    expect(rollout.answer).toBe('Borfield');
  });
});

const STIE = {
  background: { mode: 'off' as const },
  retrieval: { source: 'both' as const },
};
const quiet = { overlap: 'off' as const, confidence: false, newInformation: false };

describe('STIE over queries in the loop', () => {
  const repeated = [THINK + FIRST, `<think> again</think>${FIRST}`, SECOND, ANSWER];

  it('shows a repeated query, refuses it and answers with a hint', async () => {
    const overrides = { ...STIE, stie: { overAnswers: false } };
    const { rollout } = await run({ main: repeated }, { recipe: 'kunlun-baize', overrides });
    const verdicts = eventsOf(rollout, 'verdict');
    expect(verdicts.map((v) => v.action)).toEqual(['kept', 'refused', 'kept']);
    expect(verdicts[1]).toMatchObject({ over: 'query', text: 'author of Old Wolf', aggDiff: 0 });
    expect(eventsOf(rollout, 'search')).toHaveLength(3);
    expect(eventsOf(rollout, 'retrieve')).toHaveLength(2);
    expect(contextText(rollout)).toContain(`${FIRST}<hint> this search was made before`);
    expect(rollout.answer).toBe('Borfield');
  });

  it('asks for the answer after three refusals in a row', async () => {
    const again = `<think> again</think>${FIRST}`;
    const main = [THINK + FIRST, again, again, again, ' Borfield }</short_answer>'];
    const overrides = { ...STIE, stie: { overAnswers: false } };
    const { rollout } = await run({ main }, { recipe: 'kunlun-baize', overrides });
    const [end] = eventsOf(rollout, 'stop');
    expect(end).toMatchObject({
      reason: 'stie-overlap',
      clause: { rule: 'repeated-queries', value: 3, threshold: 3 },
    });
    expect(end && eventLine(end)).toContain('queries repeat');
    expect(rollout.answer).toBe('Borfield');
  });

  it('off: the repeated query is searched again', async () => {
    const overrides = { ...STIE, stie: { mode: 'off' as const } };
    const { rollout } = await run({ main: repeated }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'verdict')).toEqual([]);
    const second = eventsOf(rollout, 'retrieve')[1];
    expect(second?.duplicates).toHaveLength(second?.hits.length ?? -1);
  });
});

describe('STIE over queries after a search that brought nothing', () => {
  const again = `<think> again</think>${FIRST}`;
  const actions = (rollout: Rollout): string[] =>
    eventsOf(rollout, 'verdict').map((verdict) => verdict.action);

  it('lets a search that failed be made again, as its hint invites', async () => {
    const working = retrieverOver();
    let calls = 0;
    const retriever = {
      search: (...args: Parameters<typeof working.search>) =>
        ++calls === 1 ? Promise.reject(new Error('offline')) : working.search(...args),
    };
    const overrides = { ...STIE, stie: { overAnswers: false } };
    const main = [THINK + FIRST, again, SECOND, ANSWER];
    const { rollout } = await run({ main }, { recipe: 'kunlun-baize', overrides, retriever });
    expect(actions(rollout)).toEqual(['kept', 'kept', 'kept']);
    expect(contextText(rollout)).not.toContain('<hint> this search was made before');
  });

  it('sends a repeated query to the other source, and refuses it once both have answered', async () => {
    const ask = (tag: string): string => `<think> t</think><${tag}> author of Ghost</${tag}>`;
    const overrides = {
      background: { mode: 'off' as const },
      stie: { overAnswers: false, maxRefusals: 9 },
    };
    const options = { recipe: 'kunlun-baize', overrides };
    const plain = [ask('search'), ask('search'), ask('search'), ANSWER];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { rollout } = await run({ main: plain }, { ...options, seed });
      const [first, second, ...rest] = eventsOf(rollout, 'route');
      expect(rest).toEqual([]);
      expect(second?.choice).toBe(first?.choice === 'local' ? 'web' : 'local');
      expect([first?.by, second?.by]).toEqual(['router', 'fixed']);
      expect(actions(rollout)).toEqual(['kept', 'kept', 'refused']);
    }
    const local = [ask('local_search'), ask('local_search'), ask('web_search'), ANSWER];
    const { rollout } = await run({ main: local }, options);
    expect(actions(rollout)).toEqual(['kept', 'refused', 'kept']);
  });
});

const probe = (text: string, logprob: number): { text: string; logprob: number } => ({
  text: ` ${text} }</short_answer>`,
  logprob,
});

describe('STIE over answers in the loop', () => {
  it('probes candidates after each result, in forks that leave the context alone', async () => {
    const probes = [
      [probe('Victor Kerlund', -0.7), probe('Borfield', -1.2), probe('Victor Kerlund', -0.6)],
      [probe('Borfield', -0.2), probe('Borfield', -0.3), probe('Mondria', -0.9)],
    ];
    const overrides = { ...STIE, stie: { candidates: 3, stop: quiet } };
    const { rollout } = await run({ main: LOOP, probes }, { recipe: 'kunlun-baize', overrides });
    const [first, second] = eventsOf(rollout, 'candidate');
    expect(first?.candidates.map((c) => [c.canonical, c.confidence])).toEqual([
      ['victor kerlund', expect.closeTo(-0.6)],
      ['borfield', expect.closeTo(-1.2)],
    ]);
    expect(second?.candidates[0]).toMatchObject({ text: 'Borfield', count: 0, blocked: false });
    const answers = eventsOf(rollout, 'verdict').filter((v) => v.over === 'answer');
    expect(answers.map((v) => [v.text, v.action])).toEqual([
      ['Victor Kerlund', 'kept'],
      ['Borfield', 'kept'],
    ]);
    expect(answers[1]?.counts).toEqual({ 'victor kerlund': 1, borfield: 1 });
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ text: 'Borfield', by: 'policy' });
  });

  it('stops at the confidence ceiling and writes the answer as the environment', async () => {
    const probes = [[probe('Borfield', -0.000001)]];
    const overrides = { ...STIE, stie: { candidates: 1 } };
    const { rollout } = await run({ main: LOOP, probes }, { recipe: 'kunlun-baize', overrides });
    expect(stopReason(rollout)).toBe('stie-confidence');
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ text: 'Borfield', by: 'stie' });
    expect(rollout.segments.at(-1)).toMatchObject({
      source: 'environment',
      role: 'answer',
      mask: 0,
      text: '<short_answer> \\boxed{ Borfield }</short_answer>',
    });
    expect(rollout.metrics).toMatchObject({ formatValid: true, searches: 1 });
  });

  it('paper: two answers that differ end it by overlap below the threshold, which the stop says', async () => {
    // y1 = {borfield}: nothing before it. y2 = {mondria, city}: (6) 0/2, (7) 1 ≥ δ1 = 0.25, so (9)
    // holds; the mean overlap with M_2 = {y1} is 0, which "falls below" any threshold above 0. Final is
    // the more confident of the two, exp(−0.5) against exp(−0.7).
    const probes = [[probe('Borfield', -0.5)], [probe('Mondria City', -0.7)]];
    const overrides = { ...STIE, stie: { mode: 'paper' as const, candidates: 1 } };
    const { rollout } = await run({ main: LOOP, probes }, { recipe: 'kunlun-baize', overrides });
    const answers = eventsOf(rollout, 'verdict').filter(({ over }) => over === 'answer');
    expect(answers.map(({ valid, aggDiff }) => [valid, aggDiff])).toEqual([
      [true, null],
      [true, 1],
    ]);
    const [stop] = eventsOf(rollout, 'stop');
    expect(stop).toMatchObject({
      reason: 'stie-overlap',
      clause: { rule: 'overlap-below', value: 0, threshold: 0.9 },
    });
    expect(stop?.detail).toContain('mean overlap 0.00 with 1 earlier answer, below 0.9');
    expect(stop && eventLine(stop)).not.toMatch(/repeat/);
    expect(rollout.answer).toBe('Borfield');
  });

  it('paper: an answer that repeats goes on, and `above` is what stops at one', async () => {
    const four = [search(1), search(2), search(3), search(4)];
    const probes = four.map(() => [probe('Borfield', -0.5)]);
    const stop = { newInformation: false };
    const stie = { mode: 'paper' as const, overQueries: false, candidates: 1, stop };
    const paper = { ...STIE, stie };
    const main = [...four, ANSWER];
    const printed = await run({ main, probes }, { recipe: 'kunlun-baize', overrides: paper });
    expect(stopReason(printed.rollout)).toBe('answer');

    const above = {
      ...paper,
      stie: { ...paper.stie, stop: { ...stop, overlap: 'above' as const } },
    };
    const agreed = await run({ main, probes }, { recipe: 'kunlun-baize', overrides: above });
    // Three earlier answers, overlap 1 with each.
    const [event] = eventsOf(agreed.rollout, 'stop');
    expect(event?.clause).toEqual({ rule: 'overlap-above', value: 1, threshold: 0.9 });
    expect(event && eventLine(event)).toContain('repeats the earlier ones');
    expect(agreed.rollout.metrics?.searches).toBe(4);
  });

  it('stops where rounds bring nothing new: the first as printed, the second in a row when corrected', async () => {
    const retriever = retrieverOver(LOCAL.slice(0, 1), []);
    const again = (query: string) => `<think> b</think><search> ${query}</search>`;
    const main = [THINK + FIRST, again('writer that Old has'), again('Old'), ANSWER];
    const probes = ['A', 'B', 'C'].map((text) => [probe(text, -1)]);
    const ended = async (mode: 'paper' | 'corrected') => {
      const stie = { candidates: 1, mode, overQueries: false, stop: { overlap: 'off' as const } };
      const { rollout } = await run(
        { main, probes },
        { recipe: 'kunlun-baize', overrides: { ...STIE, stie }, retriever },
      );
      return [stopReason(rollout), rollout.metrics?.searches];
    };
    expect(await ended('paper')).toEqual(['stie-no-new-information', 2]);
    expect(await ended('corrected')).toEqual(['stie-no-new-information', 3]);
  });

  const same = (text: string) => Array.from({ length: 5 }, () => [probe(text, -0.1)]);
  const five = [search(1), search(2), search(3), search(4), search(5)];
  const agreeing = { ...STIE, stie: { candidates: 1, stop: { newInformation: false } } };

  it('stops once four rounds agree on an answer that passages support', async () => {
    const script = { main: [...five, ANSWER], probes: same('Borfield') };
    const { rollout } = await run(script, { recipe: 'kunlun-baize', overrides: agreeing });
    expect(stopReason(rollout)).toBe('stie-overlap');
    expect(rollout.metrics?.searches).toBe(4);
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ text: 'Borfield', by: 'stie' });
  });

  it('blocks an unsupported answer after four rounds, as in the example of the paper', async () => {
    const probes = same('Russia');
    probes[4] = [probe('Russia', -0.1), probe('France', -0.4)];
    const overrides = { ...agreeing, stie: { ...agreeing.stie, candidates: 2 } };
    const main = [...five, ANSWER.replace('Borfield', 'Russia (host)')];
    const { rollout } = await run({ main, probes }, { recipe: 'kunlun-baize', overrides });
    const answers = eventsOf(rollout, 'verdict').filter((verdict) => verdict.over === 'answer');
    expect(answers[3]?.blocked).toEqual(['russia']);
    expect(answers[4]).toMatchObject({ text: 'France', action: 'kept' });
    expect(rollout.answer).toBe('France');
    expect(stopReason(rollout)).toBe('answer');
  });

  it('replaces an answer that the policy gives although it is blocked', async () => {
    const main = [search(1), search(2), search(3), ANSWER.replace('Borfield', 'Rome')];
    const probes = [[probe('Rome', -0.5)], [probe('Rome (city)', -0.5)], [probe('Borfield', -0.6)]];
    const overrides = { ...STIE, stie: { candidates: 1, maxCount: 2, stop: quiet } };
    const { rollout } = await run({ main, probes }, { recipe: 'kunlun-baize', overrides });
    expect(eventsOf(rollout, 'verdict').at(-1)).toMatchObject({
      text: 'Rome',
      action: 'replaced',
      replacement: 'Borfield',
      blocked: ['rome'],
    });
    expect(rollout.answer).toBe('Borfield');
    expect(eventsOf(rollout, 'answer')[0]?.by).toBe('stie');
  });
});

describe('STIE over passages', () => {
  const sentence = 'The film Old Wolf follows the book.';
  const film = { id: 'l3', title: 'Old Wolf on screen', text: sentence, sentences: [sentence] };
  const retriever = retrieverOver([...LOCAL, film]);
  const quiet = { mode: 'corrected' as const, overQueries: false, overAnswers: false };
  const shown = async (
    stie: SettingsOverride['stie'],
    background: 'off' | 'shown-and-used-by-T',
  ) => {
    const overrides: SettingsOverride = {
      stie: { ...quiet, ...stie },
      background: { mode: background, k: 1, source: 'local' },
      retrieval: { k: 1, source: 'local', honourTags: false },
    };
    const main = [THINK + FIRST, `<think> again .</think>${FIRST}`, ANSWER];
    const { rollout } = await run({ main }, { overrides, retriever });
    return eventsOf(rollout, 'retrieve').map(({ hits }) =>
      hits.map(({ passage }) => passage.title),
    );
  };

  it('a query asked again brings the next best passage in place of the one that was shown', async () => {
    expect(await shown({}, 'off')).toEqual([['Old Wolf'], ['Old Wolf']]);
    expect(await shown({ overPassages: true }, 'off')).toEqual([['Old Wolf'], [film.title]]);
    expect(await shown({ mode: 'off', overPassages: true }, 'off')).toEqual([
      ['Old Wolf'],
      ['Old Wolf'],
    ]);
  });

  it('the record names what was left out, where something was', async () => {
    const overrides: SettingsOverride = {
      ...base,
      stie: { ...quiet, overPassages: true },
      retrieval: { k: 1, source: 'local', honourTags: false },
    };
    const main = [THINK + FIRST, `<think> again .</think>${FIRST}`, ANSWER];
    const { rollout } = await run({ main }, { overrides, retriever });
    expect(eventsOf(rollout, 'retrieve').map(({ leftOut }) => leftOut)).toEqual([
      undefined,
      ['l0'],
    ]);
  });

  it('what the background showed is left out, too', async () => {
    expect((await shown({ overPassages: true }, 'shown-and-used-by-T'))[0]).toEqual([film.title]);
  });
});
