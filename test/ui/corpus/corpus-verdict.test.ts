import { describe, expect, it } from 'vitest';
import { corpusVerdict, type CorpusNow } from '../../../src/ui/corpus/corpus-verdict.ts';
import { collection, importRecord } from './views.ts';

const BUILT_IN: CorpusNow = {
  searched: '',
  asked: '',
  gone: false,
  source: 'recipe',
  status: 'ready',
  sources: { localPassages: 6895, webPassages: 9312, web: null },
  questions: 3000,
  collections: [],
};
const OWN: CorpusNow = {
  ...BUILT_IN,
  searched: 'wiki',
  asked: 'hotpot',
  source: 'local',
  sources: { localPassages: 994, webPassages: 9312, web: null },
  questions: 100,
  collections: [collection('a', { name: 'wiki' })],
};

describe('the verdict on Corpus', () => {
  it.each<[string, CorpusNow, string]>([
    [
      'only the built-in world is there',
      BUILT_IN,
      'clear: Runs search 6,895 built-in passages and 9,312 pages of the built-in web, and ask 3,000 built-in questions. Add your own passages and questions below.',
    ],
    [
      'a collection was imported and is not used',
      { ...BUILT_IN, collections: [collection('a', { name: 'wiki' })] },
      'clear: Runs search 6,895 built-in passages and 9,312 pages of the built-in web, and ask 3,000 built-in questions. “wiki” is not used: tick it and click “Use for search”.',
    ],
    [
      'own passages and questions are in use',
      OWN,
      'clear: Runs search 994 passages of “wiki”, and ask 100 questions of “hotpot”. Try a search below, then ask a question.',
    ],
    [
      'own passages are searched beside a search engine',
      { ...OWN, source: 'recipe', sources: { localPassages: 1, webPassages: null, web: 'a.test' } },
      'clear: Runs search 1 passage of “wiki” and a.test, and ask 100 questions of “hotpot”. Try a search below, then ask a question.',
    ],
    [
      'built-in questions are asked of own passages',
      { ...OWN, asked: '' },
      'warning: Runs search “wiki” but ask built-in questions, which these passages do not answer. Use or import questions about them, or type your own on Ask.',
    ],
    [
      'own questions are asked of the built-in world',
      { ...OWN, searched: '', source: 'recipe' },
      'warning: Runs ask questions of “hotpot” but search the built-in world, which does not answer them. Use or import passages about them, or set a web search engine.',
    ],
    [
      'the built-in web is searched beside own passages',
      { ...OWN, source: 'recipe' },
      'warning: Runs search “wiki” and the built-in web, which has no page about them. Set “Runs search” to these passages only, or set a web search engine.',
    ],
    [
      'passages are being indexed, and what the lab knows is of those before',
      { ...OWN, status: 'loading', sources: BUILT_IN.sources },
      'open: The passages of “wiki” are being prepared for search. You can import files meanwhile.',
    ],
    [
      'they could not be opened',
      { ...OWN, status: 'failed', sources: null },
      'warning: Nothing can be searched: the passages could not be opened. Load them again, or go back to the built-in world.',
    ],
    [
      'a collection in use was deleted in another tab',
      { ...OWN, gone: true, searched: 'a deleted collection' },
      'warning: A collection that runs use was deleted. Choose another, or go back to the built-in world.',
    ],
    [
      'an import stopped',
      {
        ...OWN,
        collections: [
          collection('b', { name: 'new' }),
          collection('a', { name: 'wiki', unfinished: [importRecord()] }),
        ],
      },
      'clear: Runs search 994 passages of “wiki”, and ask 100 questions of “hotpot”. The import of “wiki” stopped: continue it in its row.',
    ],
  ])('%s', (_, now, said) => {
    const { kind, sentence, next } = corpusVerdict(now);
    expect(`${kind}: ${sentence}. ${next}`).toBe(said);
  });
});
