import { beforeEach, expect, it, vi } from 'vitest';

/** Who summarizes where a recipe reads summaries, and where it does not. */

const kept = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
});
const { fitSummarizer, parseSetup, useSetup } =
  await import('../../../src/ui/setup/setup-store.ts');

const summarizer = () => useSetup.getState().setup.summarizer.kind;
const nextVisit = () => parseSetup(kept.get('forage.setup') ?? null).summarizer.kind;

beforeEach(() => useSetup.getState().change({ summarizer: { kind: 'off' } }));

it('is extraction as long as a recipe that reads summaries is chosen, and nobody after it', () => {
  fitSummarizer(false);
  expect(summarizer()).toBe('off');
  fitSummarizer(true);
  expect(summarizer()).toBe('extractive');
  // Other parts are chosen meanwhile.
  useSetup.getState().change({ judge: { kind: 'off' } });
  fitSummarizer(false);
  expect(summarizer()).toBe('off');
});

it('is only for this visit if a recipe chose it', () => {
  fitSummarizer(true);
  expect(nextVisit()).toBe('off');
  useSetup.getState().change({ summarizer: { kind: 'extractive' } });
  expect(nextVisit()).toBe('extractive');
});

it('stays whom the user chose, whatever recipe follows', () => {
  const model = { kind: 'model', policy: { kind: 'checkpoint', id: 'mine' } } as const;
  for (const own of [model, { kind: 'extractive' } as const]) {
    useSetup.getState().change({ summarizer: own });
    for (const reads of [true, false]) {
      fitSummarizer(reads);
      expect(useSetup.getState().setup.summarizer).toEqual(own);
    }
  }
});
