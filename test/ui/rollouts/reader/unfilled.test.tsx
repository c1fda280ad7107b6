import { expect, it } from 'vitest';
import type { Reading } from '../../../../src/lab/contract/rollouts.ts';
import { unfilledViews, ViewTabs } from '../../../../src/ui/rollouts/reader/ViewTabs.tsx';
import { r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne } from '../../../formats/rollouts/helpers.ts';
import { htmlOf } from '../../kit/render.tsx';

it('views that a file cannot fill are grey, with the reason', async () => {
  const rollout = await importOne(r1Searcher);
  const one = { rollout, siblings: [{}] } as unknown as Reading;
  const views = unfilledViews(one);
  expect(Object.keys(views)).toEqual(['group', 'what-if', 'time']);
  const html = htmlOf(<ViewTabs view="rounds" unfilled={views} show={() => undefined} />);
  const time = /<button[^>]*id="tab-time"[^>]*>/.exec(html)?.[0] ?? '';
  expect(time).toContain('aria-disabled="true"');
  expect(time).toContain('title="The file has no times."');
  expect(/<button[^>]*id="tab-text"[^>]*>/.exec(html)?.[0]).toContain('aria-disabled="false"');
  // A dump of verl has a reward, and siblings.
  const trained = { rollout: await importOne(verl), siblings: [{}, {}] } as unknown as Reading;
  expect(Object.keys(unfilledViews(trained))).toEqual(['time']);
});
