import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import type { Params as Chain } from '../../../src/systems/corag/system.ts';
import type { ActionWeights } from '../../../src/recipes/parts/reward-model.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import { eventsOf, expectSegments, QUESTION, retrieverOver, run as runScript } from '../helpers.ts';
import { ScriptedPolicy } from '../scripted-policy.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const OTHERWISE =
  'corag collab-rag rag-gym web-thinker rare start agent-distillation select2reason dto cort cir after-ctm ar-bench compose-rag'
    .split(' ')
    .map(getRecipe);

const at = { runId: 'r', groupId: 'g', rolloutId: 'x', step: 0, seed: 2 };
const supported: Question = { ...QUESTION, supporting: ['Old Wolf', 'Victor Kerlund'] };
const scripted = (
  overrides: SettingsOverride,
  probes: readonly (readonly string[])[],
): Promise<Rollout> =>
  runRollout(
    {
      policy: new ScriptedPolicy(
        { main: [], probes: probes.map((list) => list.map((text) => ({ text, logprob: -0.2 }))) },
        probes[0]?.length ?? 1,
      ),
      retriever: retrieverOver(),
      router: createRouter(),
      now: () => 0,
    },
    { ...at, question: supported, recipe: getRecipe('search'), overrides },
  );
const search = (query: string): string => `<think> t</think><search> ${query}</search>`;
const answer = (text: string): string =>
  `<think> t</think><short_answer> \\boxed{ ${text} }</short_answer>`;

describe('candidates for every step', () => {
  it('by what they bring: the query of the commonest first page, then the commonest answer', async () => {
    const rollout = await scripted(
      { loop: 'program', system: { id: 'rag-gym', n: 3, by: 'passages' } },
      [
        [search('Estdor Group'), search('author of Old Wolf'), search('Old Wolf')],
        [answer('Mondria'), answer('Borfield'), answer('Borfield')],
      ],
    );
    expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual(['author of Old Wolf']);
    expect(rollout.answer).toBe('Borfield');
    const actions = eventsOf(rollout, 'aside').filter(({ of }) => of === 'action');
    expect(actions.map(({ action, text }) => [action?.rank, text])).toEqual([
      [0, 'author of Old Wolf'],
      [1, 'Estdor Group'],
      [2, 'Old Wolf'],
      [0, 'Borfield'],
      [1, 'Mondria'],
      [2, 'Borfield'],
    ]);
    // What was taken is the rollout's own, after the context that it was sampled behind.
    const ids = rollout.segments.flatMap((segment) => segment.ids);
    for (const { action } of actions.filter((one) => one.action?.rank === 0))
      expect(ids.slice(action?.at, (action?.at ?? 0) + (action?.ids.length ?? 0))).toEqual(
        action?.ids,
      );
  });

  it('by the gold chain: what brings a supporting page comes before a wrong answer', async () => {
    const rollout = await scripted(
      { loop: 'program', system: { id: 'rag-gym', n: 2, by: 'gold' } },
      [
        [answer('Mondria'), search('author of Old Wolf')],
        [answer('Mondria'), answer('Borfield')],
      ],
    );
    expect(eventsOf(rollout, 'search')).toHaveLength(1);
    expect(rollout.answer).toBe('Borfield');
  });
});

describe('candidates by a process reward model', () => {
  const chosen = async (weights: ActionWeights): Promise<string[]> => {
    const rollout = await scripted(
      { loop: 'program', system: { id: 'rag-gym', n: 3, by: 'reward-model', weights } },
      [
        [answer('Mondria'), search('Estdor Group'), search('author of Old Wolf')],
        [answer('Mondria'), answer('Borfield'), answer('Victor Kerlund')],
      ],
    );
    return [...eventsOf(rollout, 'search').map(({ query }) => query), rollout.answer ?? ''];
  };
  it('takes the one with the greatest reward', async () => {
    expect(await chosen({ answers: -1, asksOfQuestion: 1, answersFromRead: 1 })).toEqual([
      'author of Old Wolf',
      'Victor Kerlund',
    ]);
    expect(await chosen({ answers: 1 })).toEqual(['Mondria']);
    expect(await chosen({ asksOfUnknown: 1, answersFromRead: -1 })).toContain('Estdor Group');
  });
});

describe('words that the loop puts into the policy’s mouth', () => {
  const hint = { where: 'before-answer', text: 'search again', most: 1 } as const;

  it('stand in place of its answer once, and are not learned', async () => {
    const rollout = await scripted({ loop: 'program', system: { id: 'start', hint } }, [
      [answer('Mondria')],
      [' t</think><search> author of Old Wolf</search>'],
      [answer('Borfield')],
    ]);
    expect(rollout.answer).toBe('Borfield');
    const words = rollout.segments.find(({ text }) => text.includes('search again'));
    expect([words?.source, words?.role, words?.mask]).toEqual(['policy', 'think', 0]);
    expect(rollout.segments.some(({ text }) => text.includes('Mondria'))).toBe(false);
    const [dropped] = eventsOf(rollout, 'aside');
    expect(dropped?.outcome).toBe('gives way to: search again');
  });

  it('begin its thoughts behind results, as often as they may', async () => {
    const behind = async (most: number): Promise<string[]> => {
      const system = {
        id: 'start',
        hint: { where: 'after-result', text: 'check the other name', most },
      } as const;
      const goesOn = (text: string, after: string): string =>
        most >= Number(after) ? ` so .</think>${text}` : `<think> so .</think>${text}`;
      const rollout = await scripted({ loop: 'program', system }, [
        [search('author of Old Wolf')],
        [goesOn('<search> Victor Kerlund</search>', '1')],
        [goesOn('<short_answer> \\boxed{ Borfield }</short_answer>', '2')],
      ]);
      expect([rollout.answer, eventsOf(rollout, 'retrieve').length]).toEqual(['Borfield', 2]);
      const given = rollout.segments.filter(({ text }) => text.includes('check the other name'));
      expect(given.map(({ source, mask }) => [source, mask])).toEqual(
        given.map(() => ['policy', 0]),
      );
      return eventsOf(rollout, 'think').map(({ text }) => text);
    };
    const hinted = 'check the other name so .';
    expect(await behind(2)).toEqual(['t', hinted, hinted]);
    expect(await behind(1)).toEqual(['t', hinted, 'so .']);
  });

  it('are what it thinks by itself, where that is asked for', async () => {
    const of = async (thought: string): Promise<string[]> => {
      const goesOn = ' go on .</think><short_answer> \\boxed{ Borfield }</short_answer>';
      const { rollout } = await runScript(
        {
          main: [],
          asides: [`${thought}<short_answer> \\boxed{ x }</short_answer>`],
          probes: [[{ text: goesOn, logprob: -0.2 }]],
        },
        {
          recipe: 'search',
          overrides: {
            loop: 'program',
            system: {
              id: 'start',
              hint: { where: 'open', text: 'in steps', most: 1, from: 'first-thought' },
            },
          },
        },
      );
      return eventsOf(rollout, 'think').map(({ text }) => text);
    };
    expect(await of('<think> author first , then city .</think>')).toEqual([
      'author first , then city . go on .',
    ]);
    expect(await of('<think></think>')).toEqual(['in steps go on .']);
  });

  it('a thought that a limit cuts off ends as the limit does', async () => {
    const open = { ...hint, where: 'open' } as const;
    const thinks = ['<think> author of Old Wolf author of Old Wolf author of Old Wolf'];
    const rollout = await scripted(
      { loop: 'program', system: { id: 'start', hint: open }, budgets: { stepTokens: 6 } },
      [thinks, thinks],
    );
    expect(rollout.events.at(-1)).toMatchObject({
      kind: 'stop',
      reason: 'token-budget',
      detail: expect.stringMatching(/^one step took 6 tokens/) as string,
    });
  });
});

describe('the shipped policy in the shipped world', () => {
  const world = new URL('../../../public/world/', import.meta.url);
  const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, world));
  let policy: Policy;
  let retriever: Retriever;
  let question: Question;
  beforeAll(async () => {
    policy = await openPolicy({ device: 'wasm' });
    const loaded = await loadWorld(fetchFile);
    const found = loaded.questions.find(({ split, type }) => split === 'test' && type === 'bridge');
    question = found ?? loaded.questions[0] ?? QUESTION;
    retriever = openWorldRetriever(loaded, fetchFile);
  });
  afterAll(() => policy.dispose());
  const run = (id: string, overrides: SettingsOverride = {}): Promise<Rollout> =>
    runRollout(
      { policy, retriever, router: createRouter(), now: Date.now },
      { ...at, question, recipe: getRecipe(id), rolloutId: id, overrides },
    );

  it('every system that is trained otherwise runs by its own way', async () => {
    const ran = await Promise.all(OTHERWISE.map(({ id }) => run(id)));
    const byId = new Map(ran.map((rollout) => [rollout.recipe.id, rollout]));
    for (const rollout of ran) {
      expectSegments(rollout, policy.tokenizer);
      expect(eventsOf(rollout, 'error').filter(({ what }) => what !== 'malformed')).toEqual([]);
      expect(['error', 'cancelled']).not.toContain(eventsOf(rollout, 'stop')[0]?.reason);
    }
    const of = <K extends Parameters<typeof eventsOf>[1]>(id: string, kind: K) =>
      eventsOf(byId.get(id) ?? { ...at, ...ran[0] } as Rollout, kind); // prettier-ignore
    expect(of('dto', 'candidate').length).toBe(of('dto', 'retrieve').length);
    expect(of('collab-rag', 'search').every((event) => 'by' in event && event.by === 'loop')).toBe(
      true,
    );
    expect(of('rare', 'retrieve')).toHaveLength(1);
    expect(of('web-thinker', 'summarize').length).toBe(of('web-thinker', 'retrieve').length);
  });

  it('Collab-RAG puts answers into later sub-questions, which its released code does not', async () => {
    const queries = async (change: SettingsOverride): Promise<string[]> =>
      eventsOf(await run('collab-rag', change), 'retrieve').map(({ query }) => query);
    const own = await queries({});
    const released = await queries({ system: { substitute: false } });
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter((query) => query.includes('#'))).toEqual([]);
    expect(released[0]).toBe(own[0]);
    expect(released[1]).toMatch(/#\s*1/u);
  });

  it('the kept chain of several is the one whose answer it is least unsure of', async () => {
    const chainOf = (decode: Chain['decode']): Promise<Rollout> =>
      run('corag', { sampling: { temperature: 1 }, system: { decode } });
    const best = await chainOf({ kind: 'best-of', n: 3 });
    expectSegments(best, policy.tokenizer);
    const judged = eventsOf(best, 'aside').filter(
      ({ of, outcome }) => of === 'judgement' && /^-?\d/u.test(outcome ?? ''),
    );
    const scores = judged.map(({ outcome }) => Number.parseFloat(outcome ?? ''));
    const kept = judged.findIndex(({ outcome }) => outcome?.endsWith('kept'));
    expect(scores).toHaveLength(3);
    expect(scores[kept]).toBe(Math.min(...scores));
    const queries = eventsOf(best, 'search').map(({ query }) => query);
    expect(judged[kept]?.text.startsWith(queries.join(' → '))).toBe(true);
    const tree = await chainOf({ kind: 'tree', expand: 2, rollouts: 2, depth: 1 });
    expectSegments(tree, policy.tokenizer);
    expect(tree.answer).not.toBeNull();
  });

  /** Scores of the three chains of a rollout, and which is kept. */
  async function threeChains(change: Partial<Chain>) {
    const rollout = await run('corag', {
      sampling: { temperature: 1 },
      system: { decode: { kind: 'best-of', n: 3 }, ...change },
    });
    expectSegments(rollout, policy.tokenizer);
    const judged = eventsOf(rollout, 'aside').filter(({ of }) => of === 'judgement');
    const told = judged.filter(({ outcome }) => /^-?\d/u.test(outcome ?? ''));
    const scores = told.map(({ outcome }) => Number.parseFloat(outcome ?? ''));
    const kept = told.findIndex(({ outcome }) => outcome?.endsWith('kept'));
    expect(scores).toHaveLength(3);
    expect(kept).toBe(scores.indexOf(Math.min(...scores)));
    return { rollout, judged, scores, kept };
  }
  const forcedTexts = (judged: { text: string; outcome?: string }[]): string[] =>
    judged.filter(({ outcome }) => outcome?.startsWith('ln p')).map(({ text }) => text);

  it('chains are told apart by the likelihood of a forced answer, the paper’s or the gold one', async () => {
    const paper = await threeChains({ scorer: 'no-information' });
    expect(forcedTexts(paper.judged)).toEqual(
      Array.from({ length: 3 }, () => 'No relevant information found'),
    );
    // ln p: below 0, and of the shipped policy far below.
    expect(Math.max(...paper.scores)).toBeLessThan(-1);
    const gold = await threeChains({ scorer: 'gold' });
    expect(new Set(forcedTexts(gold.judged))).toEqual(new Set(question.answers.slice(0, 1)));
    expect(Math.min(...gold.scores)).toBeGreaterThanOrEqual(0);
  });

  it('chains are told apart by a vote, by a reward model, or by chance alone', async () => {
    const vote = await threeChains({ scorer: 'vote' });
    expect(vote.scores.every((score) => [-1, -0.667, -0.333, 0].includes(score))).toBe(true);
    const weights: ActionWeights = { tokens: -1 };
    const { scores } = await threeChains({ scorer: 'reward-model', weights });
    // Less −tokens / 32: how long its steps are.
    expect(Math.min(...scores)).toBeGreaterThan(0);
    const chance = await threeChains({ scorer: 'random' });
    expect(new Set(chance.scores).size).toBe(3);
    expect(await threeChains({ scorer: 'random' })).toMatchObject({ scores: chance.scores });
  });

  it('with a temperature the first of several chains is greedy, as in CoRAG’s code', async () => {
    const firstQuery = (rollout: Rollout): string | undefined =>
      eventsOf(rollout, 'aside')
        .find(({ outcome }) => /^-?\d/u.test(outcome ?? ''))
        ?.text.split(' → ')
        .at(0);
    const greedy = await run('corag', { sampling: { temperature: 0 } });
    const [own] = eventsOf(greedy, 'search');
    const { rollout } = await threeChains({ temperature: 0.7 });
    expect(firstQuery(rollout)).toBe(own?.query);
  });

  it('passages for the question itself stand before the answer, the best last', async () => {
    const rollout = await run('corag', { system: { closing: 2 } });
    expectSegments(rollout, policy.tokenizer);
    const last = eventsOf(rollout, 'retrieve').at(-1);
    expect(last?.query).toBe(question.text);
    const found = last?.hits.slice(0, 2) ?? [];
    const results = rollout.segments.filter(({ role }) => role === 'result');
    const shown = policy.tokenizer.decode(results.at(-1)?.ids ?? []);
    const [best, second] = found.map(({ passage }) => shown.indexOf(passage.title));
    expect(second).toBeGreaterThan(0);
    expect(best).toBeGreaterThan(second ?? 0);
    expect(rollout.answer).not.toBeNull();
  });
});
