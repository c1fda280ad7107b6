import { afterEach, expect, it, vi } from 'vitest';
import { NewRun } from '../../../src/ui/train/form/NewRun.tsx';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { buttonsIn, htmlOf, wordsIn } from '../kit/render.tsx';

const form = (): string => {
  useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true);
  return htmlOf(<NewRun />, useTrain);
};
const canStart = (html: string): boolean =>
  buttonsIn(html).some(({ name, disabled }) => name === 'Start training' && !disabled);

afterEach(() => vi.unstubAllGlobals());

it('says beside the button what a browser without files lacks, and what to do', () => {
  vi.stubGlobal('navigator', {});
  const html = form();
  expect(wordsIn(html)).toMatch(
    /Training cannot start: this browser keeps no files for pages.*Open this page in Firefox, Chrome, Edge or Safari/,
  );
  // An estimate would never come.
  expect(wordsIn(html)).not.toContain('in a moment');
  expect(canStart(html)).toBe(false);
});

it('starts where it keeps files', () => {
  vi.stubGlobal('navigator', { storage: {} });
  const html = form();
  expect(wordsIn(html)).not.toContain('cannot start');
  expect(canStart(html)).toBe(true);
});
