import { describe, expect, it } from 'vitest';
import type {
  EvaluationSpec,
  QuestionsSource,
  RetrievalChange,
} from '../../../src/evaluate/systems/spec.ts';
import { NamesLookUp } from '../../../src/lab/evaluate/look-up-names.ts';
import type { SetParts } from '../../../src/lab/evaluate/sets.ts';
import { NamesHost } from '../../../src/lab/corpus/retrieval/names-host.ts';
import type { WorldSeed, NamesRequest } from '../../../src/lab/contract/retrieval.ts';
import { mentionsIn } from '../../../src/retrieval/lexical/mentions.ts';
import { SPEC } from '../../evaluate/systems/small-evaluation.ts';
import { passage } from '../../retrieval/passages.ts';

/** Names of the questions of an evaluation, over the real look-up. */

const OWN = [[passage('a', 'Amber Town', 'Its mayor is Ida Holm.')]];
const WEB = [passage('w', 'Low Tide', 'A film by Ida Holm.')];
const names = new NamesHost({
  passages: ({ kind }) => (kind === 'collections' ? OWN : []),
  web: async ({ kind }) => (kind === 'built-in' ? mentionsIn(WEB) : null),
  made: () => Promise.reject(new Error('a world was made where the page’s questions are answered')),
});
const unreached = (): Promise<never> => Promise.reject(new Error('not asked for'));
const question = (text: string, answers = ['x']) => ({ id: text, text, answers, split: 'dev' });
const QUESTIONS = [
  question('Who is the mayor of Amber Town?'),
  question('Who is the mayor of Quilted Harbor?'),
  question('Who directed Low Tide?'),
  question('Who is the mayor of Nowhere At All?', []),
];

const lookedUp = async (change: Partial<EvaluationSpec>) => {
  const asked: NamesRequest[] = [];
  const parts: SetParts = {
    sourcesFor: () => Promise.resolve({ seed: 1, questions: QUESTIONS }) as never,
    startWorld: unreached,
    startNames: () => {
      throw new Error('not asked for');
    },
    collections: () => Promise.resolve([{ passages: 1 }]),
    names: {
      questionsOf: (...args) => names.questionsOf(...args),
      unknownOfAll: (request, ...rest) => {
        asked.push(request);
        return names.unknownOfAll(request, ...rest);
      },
    },
  };
  const { signal } = new AbortController();
  const found = await new NamesLookUp(parts).lookUp(
    { ...SPEC, ...change },
    () => undefined,
    signal,
  );
  return { found, asked };
};

const imported: QuestionsSource = { kind: 'collections', ids: ['i'], split: 'all', limit: null };
const own: RetrievalChange['local'] = {
  kind: 'collections',
  ids: ['i'],
  method: 'lexical',
  encoder: 'built-in',
  reranker: null,
};

describe('names of the questions of an evaluation', () => {
  it('are looked up in what its systems search, once for settings that search alike', async () => {
    const { found, asked } = await lookedUp({
      systems: ['naive-rag'],
      questions: [imported],
      retrieval: [{ local: own }, { local: own, k: 2 }, { local: own, source: 'both' }],
    });
    expect(asked.map((one) => one.asked)).toEqual([['local'], ['local', 'web']]);
    expect(asked[0]?.passages).toBe(1);
    // The one without a gold answer is not asked.
    expect(
      found.map(({ set, retrievals, questions, naming }) => ({
        set,
        retrievals,
        questions,
        naming,
      })),
    ).toEqual([
      { set: 0, retrievals: [0, 1], questions: 3, naming: 2 },
      { set: 0, retrievals: [2], questions: 3, naming: 1 },
    ]);
    expect(found.map(({ first }) => first.map((one) => one.names))).toEqual([
      [['Quilted Harbor'], ['Low Tide']],
      [['Quilted Harbor']],
    ]);
  });

  it('are not, of a world in its own passages, nor where nothing is searched or a search engine is', async () => {
    const built = { kind: 'built-in', split: 'all', limit: null } as const;
    expect((await lookedUp({ questions: [built] })).asked).toEqual([]);
    const without = { systems: ['naive-generation'], questions: [imported] };
    expect((await lookedUp(without)).asked).toEqual([]);
    const engine = { kind: 'searxng', url: 'http://localhost:1/' } as const;
    const there = { systems: ['naive-rag'], questions: [imported] };
    expect((await lookedUp({ ...there, retrieval: [{ web: engine }] })).found).toEqual([]);
    // But in passages of your own they are.
    const moved = await lookedUp({
      systems: ['naive-rag'],
      questions: [built],
      retrieval: [{ local: own }],
    });
    expect(moved.found.map(({ naming }) => naming)).toEqual([2]);
  });
});

describe('names of the questions of a fresh world', () => {
  const FRESH = { kind: 'fresh', seed: 7, split: 'test', limit: 2 } as const;
  const made = {
    local: [passage('l', 'Far Port', 'A harbor town.')],
    web: [passage('v', 'Grey Heron', 'A film about Far Port.')],
    questions: [
      question('Who is the mayor of Amber Town?'),
      question('Where is Far Port?'),
      question('Who directed Grey Heron?'),
      question('Who directed Low Tide?'),
    ].map((one, at) => ({ ...one, split: at === 0 ? 'train' : 'test' })),
  };

  /** Its own workers: how many were started, which of them still run, what worlds were made. */
  const counting = (wait: () => Promise<void> = () => Promise.resolve()) => {
    const state = { started: 0, running: 0, worlds: [] as WorldSeed[], stages: [] as string[] };
    const lookUp = new NamesLookUp({
      sourcesFor: unreached,
      startWorld: unreached,
      collections: () => Promise.resolve([{ passages: 1 }]),
      names: { questionsOf: unreached, unknownOfAll: unreached },
      startNames: () => {
        state.started += 1;
        state.running += 1;
        return {
          names: new NamesHost({
            passages: ({ kind }) => (kind === 'collections' ? OWN : []),
            web: async () => null,
            made: async (of) => {
              state.worlds.push(of);
              await wait();
              return made as never;
            },
          }),
          terminate: () => (state.running -= 1),
        };
      },
    });
    const look = (
      change: Partial<EvaluationSpec>,
      signal: AbortSignal = new AbortController().signal,
    ) => lookUp.lookUp({ ...SPEC, ...change }, (stage) => state.stages.push(stage), signal);
    return { state, look };
  };

  it('are looked up in one’s own passages, and in the web of that world and no other', async () => {
    const { state, look } = counting();
    const found = await look({
      systems: ['naive-rag'],
      questions: [FRESH],
      retrieval: [{ local: own }, { local: own, source: 'both' }],
    });
    // Two of its split are asked; its web is not searched under the first setting.
    expect(found).toMatchObject([
      { set: 0, retrievals: [0], questions: 2, naming: 2 },
      { set: 0, retrievals: [1], questions: 2, naming: 0 },
    ]);
    expect(found[0]?.first.map((one) => one.names)).toEqual([['Far Port'], ['Grey Heron']]);
    expect(state).toMatchObject({ started: 1, running: 0, worlds: [{ seed: 7 }] });
    expect(state.stages[0]).toBe('generating the world of seed 7');
  });

  it('are not made again for a change that asks the same', async () => {
    const { state, look } = counting();
    const asked = { systems: ['naive-rag'], questions: [FRESH], retrieval: [{ local: own }] };
    const found = await look(asked);
    expect(await look({ ...asked, retrieval: [{ local: own, k: 3 }] })).toEqual(found);
    expect(state.started).toBe(1);
    await look({ ...asked, questions: [{ ...FRESH, seed: 8 }] });
    expect(state).toMatchObject({ started: 2, running: 0 });
  });

  it('are not where it is searched for them itself', async () => {
    const { state, look } = counting();
    expect(await look({ systems: ['naive-rag'], questions: [FRESH] })).toEqual([]);
    expect(state.started).toBe(0);
  });

  it('are given up with the worker that makes the world', async () => {
    const abort = new AbortController();
    const { state, look } = counting(() => new Promise(() => undefined));
    const looking = look(
      { systems: ['naive-rag'], questions: [FRESH], retrieval: [{ local: own }] },
      abort.signal,
    );
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(state.running).toBe(1);
    abort.abort(new Error('something else was chosen'));
    expect(state.running).toBe(0);
    void looking.catch(() => undefined);
  });
});
