import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { RunStatus } from '../../../src/lab/contract/records/runs.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { closeBrowsers, openBrowser, openTrainingParts, shortRun } from './tabs.ts';

/** Runs that the page trains and stores, with what interrupts them. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let parts: Awaited<ReturnType<typeof openTrainingParts>>;
beforeAll(async () => {
  parts = await openTrainingParts();
});
afterEach(closeBrowsers);

/** A kill before anything is stored, and one between the files of a snapshot; the others are between other files. */
const WRITES = ALL_TESTS ? [0, 1, 2, 3, 5, 8] : [0, 5];

type Browser = ReturnType<typeof openBrowser>;
type Tab = ReturnType<Browser['tab']>;

const start = async (tab: Tab, settings: TrainSettings): Promise<string> =>
  (await tab.host.create(settings, 'mine', 'wasm', BUILT_IN_SETUP)).id;
const ends = (browser: Browser, id: string, status: RunStatus): Promise<void> =>
  expect.poll(() => browser.statusOf(id), { interval: 5 }).toBe(status);
const stepsOf = async ({ store }: Browser, id: string): Promise<number[]> =>
  (await store.steps(id)).map(({ step }) => step);
/** Resolves when the run has this many steps stored. */
const reaches = (browser: Browser, id: string, count: number): Promise<void> =>
  expect
    .poll(async () => (await stepsOf(browser, id)).length, { interval: 5 })
    .toBeGreaterThanOrEqual(count);

/** What must be equal of two runs: what steps measured, and the state to the bit. */
const outcome = async ({ store }: Browser, id: string) => ({
  steps: (await store.steps(id)).map(
    ({ step, reward, em, f1, loss, gradientNorm, searches, drawn }) => ({
      step,
      reward,
      em,
      f1,
      loss,
      gradientNorm,
      searches,
      drawn,
    }),
  ),
  state: { ...(await store.lastState(id)), elapsed: 0 },
});

describe('a run', () => {
  it('is trained, told step by step, and stored with each of its steps and their rollouts', async () => {
    const browser = openBrowser(parts);
    const tab = browser.tab();
    await tab.open();
    const heldOut = { questions: 2, every: 1, temperature: 0.3 };
    const id = await start(tab, shortRun({ steps: 2, heldOut }));
    await ends(browser, id, 'finished');
    const told = tab.told.flatMap((one) => (one.type === 'step' ? [one.step] : []));
    expect(told.map(({ step }) => step)).toEqual([1, 2]);
    expect(told[0]?.heldOutAtStart?.n).toBe(2);
    expect((await browser.store.run(id)).checkpointStep).toBe(2);
    expect(await browser.store.steps(id)).toEqual(told);
    expect(await tab.host.rollouts(id, 2)).toHaveLength(3);
    expect(await tab.host.rollouts(id, 0, 'held-out')).toHaveLength(2);
    const live = tab.told.flatMap((one) => (one.type === 'rollout' ? [one.rollout] : []));
    // The score before the first step comes first; then its rollouts, before the step itself is told.
    expect(live.slice(0, 3).map(({ of, step }) => [of, step])).toEqual([
      ['held-out', 0],
      ['held-out', 0],
      ['step', 1],
    ]);
    const first = tab.told.findIndex(({ type }) => type === 'step');
    const before = tab.told.slice(0, first).filter(({ type }) => type === 'rollout');
    expect(before.length).toBeGreaterThanOrEqual(5);
  });

  it('takes another learning rate, pauses with nothing lost, and goes on behind its step in another tab', async () => {
    const browser = openBrowser(parts);
    const [a, b] = [browser.tab(), browser.tab()];
    await a.open();
    const id = await start(a, shortRun({ steps: 400 }));
    await reaches(browser, id, 1);
    await a.host.setLearningRate(id, 5e-4);
    const { length } = await stepsOf(browser, id);
    await reaches(browser, id, length + 2);
    await a.host.pause(id);
    await ends(browser, id, 'paused');
    const paused = await browser.store.steps(id);
    const { warmUpSteps } = shortRun().optimizer;
    // The rate rises over the first steps, whatever it is.
    const last = paused.at(-1);
    expect(last?.learningRate).toBeCloseTo(5e-4 * Math.min(1, (last?.step ?? 0) / warmUpSteps), 9);
    expect((await browser.store.run(id)).checkpointStep).toBe(paused.length);

    await b.open();
    await b.host.resume(id);
    await reaches(browser, id, paused.length + 1);
    await b.host.stop(id, true);
    expect(await browser.statusOf(id)).toBe('stopped');
    const kept = await browser.store.steps(id);
    expect(kept.slice(0, paused.length)).toEqual(paused);
    expect(kept.map(({ step }) => step)).toEqual(kept.map((_, i) => i + 1));
    expect(kept[paused.length]?.learningRate).toBeGreaterThan(0);
  });

  it.each(WRITES)(
    'killed at its write %i, and again, loses no step that was told as stored, and ends in the bits of one that nobody disturbed',
    async (write) => {
      const settings = shortRun({ steps: 4 });
      const calm = openBrowser(parts);
      const quiet = calm.tab();
      await quiet.open();
      const wanted = await start(quiet, settings);
      await ends(calm, wanted, 'finished');

      const browser = openBrowser(parts);
      const first = browser.tab();
      await first.open();
      first.blobs.writesLeft = write;
      const id = await start(first, settings);
      await first.death;
      first.kill(id);
      const shown = await stepsOf(browser, id);
      const second = browser.tab();
      const [run] = await second.open();
      expect(run).toMatchObject({ status: 'paused' });
      expect(await stepsOf(browser, id)).toEqual(shown);
      second.blobs.writesLeft = 4;
      await second.host.resume(id);
      await second.death;
      second.kill(id);
      const third = browser.tab();
      await third.open();
      expect((await stepsOf(browser, id)).length).toBeGreaterThanOrEqual(shown.length);
      await third.host.resume(id);
      await ends(browser, id, 'finished');

      const [killed, undisturbed] = await Promise.all([
        outcome(browser, id),
        outcome(calm, wanted),
      ]);
      expect(undisturbed.steps).toHaveLength(4);
      // Else equal bits would say nothing: no update would have changed the state.
      expect(
        undisturbed.steps.filter(({ gradientNorm }) => (gradientNorm ?? 0) > 0).length,
      ).toBeGreaterThan(2);
      expect(killed).toEqual(undisturbed);
    },
  );
});

describe('what goes wrong while a run trains', () => {
  it('a lost worker: it goes on from the last snapshot, and says so', async () => {
    const browser = openBrowser(parts);
    const tab = browser.tab();
    await tab.open();
    const id = await start(tab, shortRun({ steps: 400 }));
    await reaches(browser, id, 1);
    browser.lose('it ended');
    await expect.poll(() => browser.started(), { interval: 5 }).toBe(2);
    const { length } = await stepsOf(browser, id);
    await reaches(browser, id, length + 1);
    const notice = tab.told.findLast((one) => one.type === 'progress')?.progress.notice;
    expect(notice).toMatch(/worker was lost: it ended; started again from the last snapshot\.$/);
    await tab.host.stop(id, true);
    const steps = await stepsOf(browser, id);
    expect(steps).toEqual(steps.map((_, i) => i + 1));
  });

  it('workers that are lost again and again: it ends, and says what to do', async () => {
    const browser = openBrowser(parts);
    const tab = browser.tab();
    await tab.open();
    const id = await start(tab, shortRun({ steps: 400 }));
    for (const attempt of [1, 2, 3]) {
      await expect.poll(() => browser.started(), { interval: 5 }).toBe(attempt);
      await reaches(browser, id, attempt);
      browser.lose('no memory');
    }
    await ends(browser, id, 'failed');
    expect((await browser.store.run(id)).failure?.message).toMatch(
      /no memory: 3 times within five minutes\. Start a run with fewer questions/,
    );
    expect((await browser.store.lastState(id))?.step).toBe((await stepsOf(browser, id)).length);
  });

  it('a full disk: it pauses, says what it needs and what can be deleted, and goes on when there is room', async () => {
    const browser = openBrowser(parts);
    const tab = browser.tab();
    await tab.open();
    const id = await start(tab, shortRun({ steps: 400 }));
    await reaches(browser, id, 1);
    browser.disk.quota = 1000;
    await ends(browser, id, 'paused');
    const { failure } = await browser.store.run(id);
    expect(failure?.message).toMatch(
      /storage is full: this snapshot needs [\d.]+ MB more.*rollouts of past steps take [\d.]+ MB.*nothing before this step is lost/,
    );
    const kept = await stepsOf(browser, id);
    expect(kept.length).toBeGreaterThan(0);
    browser.disk.quota = Infinity;
    await tab.host.resume(id);
    await reaches(browser, id, kept.length + 1);
    await tab.host.stop(id, true);
    expect((await browser.store.run(id)).failure).toBeNull();
    const steps = await stepsOf(browser, id);
    expect(steps).toEqual(steps.map((_, i) => i + 1));
  });
});

it('a sweep trains its runs one after another; interrupted, it begins none until it is told to, and then goes on with the one that was', async () => {
  const browser = openBrowser(parts);
  const first = browser.tab();
  await first.open();
  const axes = [
    { path: 'optimizer.learningRate', values: [1e-3, 2e-3] },
    { path: 'groupSize', values: [2, 3] },
  ];
  const sweep = await first.host.createSweep(
    { name: 'grid', axes },
    shortRun({ steps: 1, heldOut: { questions: 1, every: 1, temperature: 0.3 } }),
    'wasm',
    BUILT_IN_SETUP,
  );
  const cells = async () =>
    (await browser.store.runs()).toSorted((a, b) => a.name.localeCompare(b.name));
  const states = async () => (await cells()).map(({ status }) => status);
  await expect.poll(states, { interval: 5 }).toEqual(['finished', 'running', 'paused', 'paused']);
  const [, under] = await cells();
  first.kill(under?.id ?? '');
  const second = browser.tab();
  await second.open();
  expect(await states()).toEqual(['finished', 'paused', 'paused', 'paused']);
  const dropped = await second.host.dropRest(sweep);
  expect(dropped).toHaveLength(3);
  for (const id of dropped) await second.host.restore(id);
  await second.host.goOnWithSweep(sweep);
  await expect
    .poll(states, { interval: 5 })
    .toEqual(['finished', 'finished', 'finished', 'finished']);
  expect((await cells()).map(({ name }) => name)).toEqual([
    'grid: lr 0.001 · group 2',
    'grid: lr 0.001 · group 3',
    'grid: lr 0.002 · group 2',
    'grid: lr 0.002 · group 3',
  ]);
  for (const { id, settings } of await cells())
    expect(await browser.store.rollouts(id, 1)).toHaveLength(settings.groupSize);
});

it('scores questions, then makes a step of each stage, and its rollouts read summaries', async () => {
  const browser = openBrowser(parts);
  const tab = browser.tab();
  await tab.open();
  const base = shortRun({ steps: 2 });
  const system = { id: 'ur2', pool: 4, scoringRollouts: 2, tasks: null, taskMixing: false };
  const settings: TrainSettings = {
    ...base,
    overrides: {
      ...base.overrides,
      budgets: { tokens: 120, stepTokens: 24, answerTokens: 8 },
      retrieval: { k: 1, source: 'local', maxSearches: 2, summarize: 'on' },
    },
    curriculum: { ...base.curriculum, system },
    stages: [
      { steps: 1, reward: 'ur2-stage-1', weights: {} },
      { steps: 1, reward: 'ur2-stage-2', weights: {} },
    ],
  };
  const setup = { ...BUILT_IN_SETUP, summarizer: { kind: 'extractive' as const } };
  const { id } = await tab.host.create(settings, '', 'wasm', setup);
  await ends(browser, id, 'finished');
  const steps = await browser.store.steps(id);
  expect(steps.map(({ step }) => step)).toEqual([1, 2]);
  // What earns differs from stage to stage.
  const clauses = steps.map(({ reward }) => Object.keys(reward.clauses).toSorted().join());
  expect(clauses[0]).not.toBe(clauses[1]);
  const scored = tab.told.flatMap((one) =>
    one.type === 'progress' && one.progress.phase === 'scoring-questions'
      ? [one.progress.done]
      : [],
  );
  expect(scored.at(-1)).toBe(4);
  const rollouts = [...(await tab.host.rollouts(id, 1)), ...(await tab.host.rollouts(id, 2))];
  const events = rollouts.flatMap((rollout) => rollout.events.map(({ kind }) => kind));
  const searches = events.filter((kind) => kind === 'retrieve').length;
  expect(searches).toBeGreaterThan(0);
  expect(events.filter((kind) => kind === 'summarize')).toHaveLength(searches);
});

it('starts from the adapter of another run: with its shape and its weights, also when that run is gone', async () => {
  const browser = openBrowser(parts);
  const tab = browser.tab();
  await tab.open();
  const { adapter } = shortRun();
  const source = await start(
    tab,
    shortRun({ steps: 1, adapter: { ...adapter, rank: 3, alpha: 6 } }),
  );
  await ends(browser, source, 'finished');
  const { adapter: trained } = await browser.store.adapterAt(source, 1);
  // Steps that move nothing: what comes out is what went in.
  const still = shortRun({ steps: 1, optimizer: { ...shortRun().optimizer, learningRate: 1e-12 } });
  const from = { run: source, step: null };
  const run = await tab.host.create(still, 'on top', 'wasm', BUILT_IN_SETUP, undefined, from);
  expect(run.startedFrom).toEqual({ run: source, step: 1, name: 'mine' });
  expect(run.settings.adapter).toMatchObject({ rank: 3, alpha: 6 });
  expect(await browser.store.startAdapter(run.id)).toEqual(trained);
  await ends(browser, run.id, 'finished');
  const { adapter: after } = await browser.store.adapterAt(run.id, 1);
  expect(after).toHaveLength(trained.length);
  expect(Math.max(...after.map((value, i) => Math.abs(value - (trained[i] ?? 0))))).toBeLessThan(
    1e-6,
  );
  // A new adapter changes nothing at first, and this one does.
  expect(trained.some((value, i) => value !== 0 && after[i] !== 0)).toBe(true);

  await browser.store.purge(source);
  expect(await browser.store.startAdapter(run.id)).toEqual(trained);
  await tab.host.resume(run.id, undefined, 2);
  await ends(browser, run.id, 'finished');
});

it('starts from no adapter of another model, or of a run without one', async () => {
  const browser = openBrowser(parts);
  const tab = browser.tab();
  await tab.open();
  const source = await start(tab, shortRun({ steps: 1 }));
  await ends(browser, source, 'finished');
  const record = await browser.store.run(source);
  const create = (run: string): Promise<unknown> =>
    tab.host.create(shortRun(), '', 'wasm', BUILT_IN_SETUP, undefined, { run, step: null });
  await browser.store.put({ ...record, id: 'bare', name: 'bare', checkpointStep: null });
  await expect(create('bare')).rejects.toThrow('“bare” has no adapter that was trained');
  await browser.store.change(source, { policy: { id: 'other', revision: 'x' } });
  await expect(create(source)).rejects.toThrow(
    'was trained on other, and this run trains tiny. Choose that model, or start from a new adapter.',
  );
  const runs = await browser.store.runs();
  expect(runs.map(({ id }) => id).toSorted()).toEqual(['bare', source].toSorted());
});
