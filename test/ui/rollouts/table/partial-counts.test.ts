import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { FilterField } from '../../../../src/ui/rollouts/file/FilterField.tsx';
import { PARTIAL, PARTIAL_NOTE } from '../../../../src/ui/rollouts/words.ts';
import type { FileRecord } from '../../../../src/lab/contract/records/rollout-files.ts';

/** What is beside the filter of a file of which 1,024 rollouts are read, 12 of them selected. */
const said = (status: FileRecord['status'], filter: string): string => {
  const html = renderToStaticMarkup(
    createElement(FilterField, {
      filter,
      setFilter: () => undefined,
      known: () => [],
      matched: filter === '' ? 1024 : 12,
      total: 1024,
      partial: PARTIAL[status],
      loading: false,
    }),
  );
  return /role="status">([^<]*)</.exec(html)?.[1] ?? '';
};

it('marks counts of a file that is being read, or was not read to its end', () => {
  expect(said('ready', '')).toBe('1,024 rollouts');
  expect(said('importing', '')).toBe('1,024 rollouts so far');
  expect(said('importing', 'em = 0')).toBe('12 of 1,024 so far');
  expect(said('interrupted', '')).toBe('1,024 rollouts, not all');
  expect(PARTIAL_NOTE.ready).toBeNull();
  expect(PARTIAL_NOTE.importing).toContain('still being read');
});
