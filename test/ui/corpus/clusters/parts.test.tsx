import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP, type LocalSpec } from '../../../../src/records/setup.ts';
import type { ClusterLearning, ClusterOverview } from '../../../../src/lab/contract/clusters.ts';
import { SAMPLING_DEFAULTS } from '../../../../src/retrieval/cluster/options.ts';
import { Recent } from '../../../../src/ui/corpus/clusters/ClusterPage.tsx';
import {
  PartInSearch,
  SourceLine,
  WithoutVectorsNote,
} from '../../../../src/ui/corpus/clusters/Shown.tsx';
import { useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { changeSearch, searchCollections } from '../../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { buttonsIn, htmlOf, wordsIn } from '../../kit/render.tsx';
import { collection } from '../views.ts';

const local = (method: string): LocalSpec => ({
  kind: 'collections',
  ids: ['a'],
  method,
  encoder: 'built-in',
  reranker: null,
});

const asked = (query: number, text: string): ClusterLearning['recent'][number] => ({
  query,
  text,
  temperature: 1.2,
  candidates: 320,
  results: 5,
  sources: [{ cluster: 1, candidates: 320, results: 5 }],
});

const overview = (rest: Partial<ClusterOverview>, recent: ClusterLearning['recent'] = []) =>
  ({
    kind: 'clusters',
    method: 'cluster',
    answers: true,
    kept: true,
    encoder: 'built-in',
    passages: 320,
    dimensions: 96,
    bytes: 1,
    vectorBytes: 1,
    openedMs: 1,
    stored: false,
    subspaces: 8,
    refineBits: 4,
    dissolved: 0,
    choice: null,
    sampling: SAMPLING_DEFAULTS,
    clusters: [],
    learning: {
      queries: recent.length,
      weights: [],
      hits: [],
      recent,
      recallable: false,
      changes: 0,
    },
    ...rest,
  }) satisfies ClusterOverview;

beforeEach(() => {
  useSetup.setState({ setup: BUILT_IN_SETUP });
  useCollections.setState(
    { ...useCollections.getInitialState(), collections: [collection('a', { name: 'rivers' })] },
    true,
  );
  searchCollections(['a']);
});

describe('the clusters of an imported collection', () => {
  it('without vectors says how many passages have none, and makes the index answer', () => {
    const html = htmlOf(
      <WithoutVectorsNote
        local={local('lexical')}
        without={{
          kind: 'without-vectors',
          method: 'lexical',
          passages: 320,
          encoder: 'built-in',
        }}
        onEncode={() => undefined}
      />,
    );
    expect(wordsIn(html)).toContain('320 passages have no vectors');
    expect(buttonsIn(html).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Encode and cluster', 'Search by clusters']),
    );
    // What the second of them does.
    changeSearch({ method: 'cluster' });
    expect(useSetup.getState().setup.local).toEqual(local('cluster'));
  });

  it('are named by it, and say whether they answer its searches', () => {
    const source = htmlOf(<SourceLine local={local('cluster')} />, useCollections, useSetup);
    expect(source).toContain('<b data-testid="cluster-source">rivers</b>');
    const part = (method: string, answers: boolean) =>
      wordsIn(
        htmlOf(<PartInSearch local={local(method)} overview={overview({ method, answers })} />),
      );
    expect(part('cluster', true)).toContain('In use: this index answers the searches');
    expect(part('flat', false)).toContain('Searches do not use clusters');
  });

  it('lists the last queries as they are given, each to be asked again', () => {
    const recent = (rest: Partial<ClusterOverview>, queries: ClusterLearning['recent'] = []) =>
      htmlOf(
        <Recent overview={overview(rest, queries)} disabled={false} onAsk={() => undefined} />,
      );
    expect(wordsIn(recent({}))).toContain('None yet. Search here or on Corpus');
    expect(wordsIn(recent({ answers: false }))).toContain('None yet. Search above.');
    const html = recent({}, [asked(1, 'river 3'), asked(0, 'river 17')]);
    expect(buttonsIn(html).map(({ name }) => name)).toEqual(['river 3', 'river 17']);
    expect(wordsIn(html)).toMatch(/2 river 3 .* 1 river 17 /);
  });
});
