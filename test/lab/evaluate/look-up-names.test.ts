import { describe, expect, it } from 'vitest';
import type {
  EvaluationSpec,
  QuestionsSource,
  RetrievalChange,
} from '../../../src/evaluate/systems/spec.ts';
import { lookUpNames } from '../../../src/lab/evaluate/look-up-names.ts';
import type { SetParts } from '../../../src/lab/evaluate/sets.ts';
import { NamesHost } from '../../../src/lab/corpus/retrieval/names-host.ts';
import type { NamesRequest } from '../../../src/lab/contract/retrieval.ts';
import { mentionsIn } from '../../../src/retrieval/lexical/mentions.ts';
import { SPEC } from '../../evaluate/systems/small-evaluation.ts';
import { passage } from '../../retrieval/passages.ts';

/** Names of the questions of an evaluation, over the real look-up. */

const OWN = [[passage('a', 'Amber Town', 'Its mayor is Ida Holm.')]];
const WEB = [passage('w', 'Low Tide', 'A film by Ida Holm.')];
const names = new NamesHost({
  passages: ({ kind }) => (kind === 'collections' ? OWN : []),
  web: async ({ kind }) => (kind === 'built-in' ? mentionsIn(WEB) : null),
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
    collections: () => Promise.resolve([{ passages: 1 }]),
    names: {
      unknownOfAll: (request, ...rest) => {
        asked.push(request);
        return names.unknownOfAll(request, ...rest);
      },
    },
  };
  const { signal } = new AbortController();
  const found = await lookUpNames({ ...SPEC, ...change }, parts, () => undefined, signal);
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
    // But in passages of one's own they are.
    const moved = await lookedUp({
      systems: ['naive-rag'],
      questions: [built],
      retrieval: [{ local: own }],
    });
    expect(moved.found.map(({ naming }) => naming)).toEqual([2]);
  });
});
