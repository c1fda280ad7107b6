import { expect, it } from 'vitest';
import { AskAtStep } from '../../../../src/ui/train/beside/AskAtStep.tsx';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { buttonsIn, htmlOf } from '../../kit/render.tsx';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';

/** What leads from a step of a run to Ask. */

const names = (step: number, question: string | null, steps: number[] | null): string[] => {
  const run = { id: 'run-a', name: 'mine', recipe: 'search', overrides: {} };
  useAsk.setState({ adapters: steps && [{ ...run, steps }] });
  const html = htmlOf(<AskAtStep run={runRecord()} step={step} question={question} />, useAsk);
  return buttonsIn(html).map(({ name }) => name);
};

it('names the step whose adapter is asked, or the nearest that is kept', () => {
  expect(names(2, 'q', [3, 2, 1])).toEqual(['Ask it now with the adapter of step 2']);
  expect(names(1, null, [3, 2, 1])).toEqual(['Ask with the adapter of step 1']);
  expect(names(1, null, [3, 2])).toEqual([
    'Ask with the adapter of step 2, the nearest that is kept',
  ]);
  // The earlier of two that are as near.
  expect(names(3, null, [4, 2])).toEqual([
    'Ask with the adapter of step 2, the nearest that is kept',
  ]);
});

it('is not there before the first step, before any is kept, and until they were looked for', () => {
  expect(names(0, 'q', [2, 1])).toEqual([]);
  expect(names(2, 'q', [])).toEqual([]);
  expect(names(2, 'q', null)).toEqual([]);
});
