import { beforeEach, expect, it } from 'vitest';
import { useGone, useNames } from '../../../../src/ui/corpus/search-words.ts';
import { useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { textOf } from '../../kit/render.tsx';
import { collection } from '../views.ts';

const Words = ({ ids }: { ids: string[] }) => (
  <>
    {useNames(ids)} {useGone(ids) ? '(gone)' : ''}
  </>
);
const words = (...ids: string[]): string => textOf(<Words ids={ids} />, useCollections);

beforeEach(() => useCollections.setState(useCollections.getInitialState(), true));

it('collections are called by their names, in the order in which they were chosen', () => {
  useCollections.setState({
    status: 'ready',
    collections: [collection('a', { name: 'Notes' }), collection('b', { name: 'Papers' })],
  });
  expect(words('b', 'a')).toBe('Papers, Notes');
  expect(words()).toBe('');
  // Renamed, it is called so at once.
  useCollections.setState({ collections: [collection('a', { name: 'Diary' })] });
  expect(words('a')).toBe('Diary');
});

it('reports a deleted collection once the list is loaded', () => {
  expect(words('a')).not.toContain('(gone)');
  useCollections.setState({ status: 'ready', collections: [collection('b', { name: 'Papers' })] });
  expect(words('a', 'b')).toBe('a deleted collection, Papers (gone)');
  expect(words('b')).toBe('Papers');
});
