import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord } from '../../../../src/lab/contract/records/rollout-files.ts';
import { useRollouts } from '../../../../src/ui/rollouts/store/rollouts-store.ts';
import {
  chooseDemonstrations,
  chooseStored,
  holdsDemonstrations,
  openDemonstrations,
} from '../../../../src/ui/train/store/demonstrations.ts';
import { weightsOf, weightsProblem } from '../../../../src/ui/train/store/reward-weights.ts';
import { frozenSeconds } from '../../../../src/ui/train/store/train-actions.ts';
import { emptyRollout, metrics, policySegment } from '../../../fixtures/rollouts.ts';
import { connectFake, stubPage } from '../../lab/fake-lab.ts';
import { fileRecord } from '../../rollouts/views.ts';
import { useTrainForm } from '../../../../src/ui/train/store/train-draft.ts';

const lines = (...ems: number[]): string =>
  ems
    .map((em, index) =>
      JSON.stringify({
        ...emptyRollout(`r${index}`),
        segments: [policySegment([1, 2])],
        metrics: metrics({ em }),
      }),
    )
    .join('\n');

const file = (text: string, name = 'd.jsonl'): File => new File([text], name);
const state = () => useTrainForm.getState().demonstrations;

beforeEach(async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
  await chooseDemonstrations(null);
});

/** The page is loaded again: what is in storage is left. */
const reload = (): void => {
  useTrainForm.setState(useTrainForm.getInitialState(), true);
  useRollouts.setState(useRollouts.getInitialState(), true);
};

/** A lab with these files on Rollouts, each of two rollouts. */
const withFiles = (files: readonly FileRecord[]) => {
  stubPage();
  return connectFake({
    rollouts: {
      files: () => Promise.resolve([...files]),
      lines: (id) =>
        Promise.resolve(files.some((one) => one.id === id) ? new Blob([lines(1, 0)]) : null),
    },
  });
};

describe('the file of a warm-up', () => {
  it('is counted: trajectories, and those that were right', async () => {
    await chooseDemonstrations(file(lines(1, 0, 1)));
    expect(state()).toMatchObject({ counts: { all: 3, right: 2 }, problem: null });
  });

  it('that cannot be read says why, and stays chosen so that it can be looked at', async () => {
    const bad = file('{"a":');
    await chooseDemonstrations(bad);
    expect(state()).toMatchObject({ file: bad, counts: null });
    expect(state().problem).toMatch(/\S/);
    await chooseDemonstrations(file(lines(1)));
    expect(state()).toMatchObject({ counts: { all: 1, right: 1 }, problem: null });
    await chooseDemonstrations(null);
    expect(state()).toEqual({ file: null, stored: null, counts: null, problem: null });
  });

  it('counts for the file that was chosen last, whichever is read first', async () => {
    const slow = file(lines(1, 1));
    let go: (text: string) => void = () => undefined;
    slow.text = () => new Promise((resolve) => (go = resolve));
    const first = chooseDemonstrations(slow);
    await chooseDemonstrations(file(lines(0)));
    go(lines(1, 1));
    await first;
    expect(state().counts).toEqual({
      of: 'rollouts',
      all: 1,
      right: 0,
      given: { count: 1, tokens: 2, written: 2 },
    });
  });
});

describe('a stored file of demonstrations', () => {
  const record = fileRecord('d', { layouts: { forage: 2 }, rollouts: 2 });

  it('is chosen by its id, and is still chosen after a reload', async () => {
    withFiles([record]);
    await chooseStored('d', 'd.jsonl');
    expect(state()).toMatchObject({ stored: 'd', counts: { all: 2, right: 1 } });
    expect(state().file?.name).toBe('d.jsonl');
    reload();
    await openDemonstrations();
    expect(state()).toMatchObject({ stored: 'd', counts: { all: 2, right: 1 }, problem: null });
    expect(await state().file?.text()).toBe(lines(1, 0));
  });

  it('that was deleted says what to do, and is read again once it was restored', async () => {
    withFiles([record]);
    await chooseStored('d', 'd.jsonl');
    withFiles([]);
    await openDemonstrations();
    expect(state()).toEqual({
      file: null,
      stored: null,
      counts: null,
      problem:
        '“d.jsonl” was deleted from Rollouts. Choose another file, or make demonstrations again.',
    });
    reload();
    await openDemonstrations();
    expect(state().problem).toContain('was deleted');
    withFiles([record]);
    await openDemonstrations();
    expect(state()).toMatchObject({ stored: 'd', counts: { all: 2 }, problem: null });
  });

  it('gives way to a file that is chosen while it is read', async () => {
    withFiles([record]);
    const first = chooseStored('d', 'd.jsonl');
    await chooseDemonstrations(file(lines(1)));
    await first;
    expect(state()).toMatchObject({ stored: null, counts: { all: 1 } });
  });

  it('is none of a file of the computer: a reload asks for that again, once', async () => {
    withFiles([]);
    await chooseDemonstrations(file(lines(1)));
    reload();
    await openDemonstrations();
    expect(state().problem).toMatch(/^“d.jsonl” was chosen before .* choose it again/);
    reload();
    await openDemonstrations();
    expect(state().problem).toBeNull();
  });

  it.each<[string, Partial<FileRecord>, boolean]>([
    ['with the tokens of a model', {}, true],
    ['still being read', { status: 'importing' }, false],
    ['of another system', { layouts: { verl: 2 } }, false],
    ['with lines of another system', { layouts: { forage: 1, verl: 1 } }, false],
    ['without tokens', { lacks: { tokens: 2 } }, false],
    ['without rollouts', { layouts: {}, rollouts: 0 }, false],
  ])('is a file %s', (_, rest, holds) => {
    expect(holdsDemonstrations({ ...record, ...rest })).toBe(holds);
  });
});

describe('the weights of a reward', () => {
  it.each(['kunlun-short', 'kunlun-long'])('%s has weights of its own that sum to 1', (reward) => {
    const own = Object.values(weightsOf(reward) ?? {});
    expect(own.length).toBeGreaterThan(1);
    expect(own.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
    expect(weightsProblem(reward, {})).toBeNull();
  });

  it('must sum to 1 together with those that were left as they are', () => {
    const own = weightsOf('kunlun-short') ?? {};
    const [first = ''] = Object.keys(own);
    expect(weightsProblem('kunlun-short', own)).toBeNull();
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 0.25 })).toBe(
      'The weights must sum to 1; they sum to 1.25.',
    );
    // Thirds as people type them are near enough only to six digits.
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 1e-7 })).toBeNull();
    expect(weightsProblem('kunlun-short', { [first]: (own[first] ?? 0) + 1e-4 })).not.toBeNull();
  });

  it('of a reward with fixed values are nobody’s to choose', () => {
    expect(weightsOf('em')).toBeNull();
    expect(weightsProblem('em', { em: 7 })).toBeNull();
  });
});

it('takes a silence for a frozen tab from twenty seconds on', () => {
  const hidden = { heardAt: 1000, hidden: true };
  expect(frozenSeconds(hidden, 20_999)).toBeNull();
  expect(frozenSeconds(hidden, 21_000)).toBe(20);
});
