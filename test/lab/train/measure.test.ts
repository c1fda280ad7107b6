import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { tinySettings } from '../../learn/rl/helpers.ts';
import { closeBrowsers, openBrowser, openTrainingParts } from './tabs.ts';

/** A probe of this device before a run: what it says, that it is kept, and what is refused before anything is loaded. */

let parts: Awaited<ReturnType<typeof openTrainingParts>>;
beforeAll(async () => {
  parts = await openTrainingParts();
});
afterEach(closeBrowsers);

const settings = tinySettings({ steps: 2 });

describe('a probe', () => {
  it('says how long a step takes on this device, and what rollouts are like; it is kept', async () => {
    const { tab, started, store } = openBrowser(parts);
    const { host } = tab();
    const before = await host.estimate(settings, 'wasm', BUILT_IN_SETUP);
    // Nothing is promised from another machine.
    expect([before.time, before.probed, before.refusal]).toEqual([null, null, null]);
    const doing: string[] = [];
    const outcome = await host.measure(settings, 'wasm', BUILT_IN_SETUP, (line) =>
      doing.push(line),
    );
    if (outcome.status !== 'measured') throw new Error('it was cancelled');
    expect(doing.slice(0, 2)).toEqual(['starting the engines', 'decoding']);
    expect(doing.at(-1)).toBe('a backward pass');
    const { time, probed, memory } = outcome.estimate;
    expect(time?.secondsPerStep).toBeGreaterThan(0);
    expect(time?.basis).toMatch(/^measured on this device with \d+ rollouts/u);
    // The budget of a rollout is 48 tokens of the policy.
    expect(probed?.decoded).toBeGreaterThan(0);
    expect(probed?.decoded).toBeLessThanOrEqual(56);
    expect(probed?.tokensPerSecond).toBeGreaterThan(0);
    expect(probed?.trainedPerSecond).toBeGreaterThan(0);
    expect(probed?.bytes).toBeGreaterThan(0);
    expect(probed?.bytes).toBeLessThan(memory.engines * memory.limitBytes);
    expect(started()).toBe(1);
    // Another tab has it, and no run came of it.
    const again = await tab().host.estimate(settings, 'wasm', BUILT_IN_SETUP);
    expect(again.time).toEqual(time);
    expect(await store.runs()).toEqual([]);
    // More steps and questions are predicted from the same probe, another loop is not.
    const longer = { ...settings, questions: 2 * settings.questions, steps: 9 };
    const of = await host.estimate(longer, 'wasm', BUILT_IN_SETUP);
    expect(of.time?.secondsPerStep).toBeGreaterThan(time!.secondsPerStep);
    const other = { ...settings, recipe: 'naive-rag', overrides: {} };
    expect((await host.estimate(other, 'wasm', BUILT_IN_SETUP)).time).toBeNull();
  });

  it('can be cancelled, and leaves nothing', async () => {
    const { tab } = openBrowser(parts);
    const { host } = tab();
    const measuring = host.measure(settings, 'wasm', BUILT_IN_SETUP, (doing) => {
      if (doing === 'decoding') void host.cancelMeasure();
    });
    expect(await measuring).toEqual({ status: 'cancelled' });
    expect((await host.estimate(settings, 'wasm', BUILT_IN_SETUP)).time).toBeNull();
  });

  it('gives a run its time to go before the first step', async () => {
    const { tab, statusOf } = openBrowser(parts);
    const { host, told, open } = tab();
    await open();
    await host.measure(settings, 'wasm', BUILT_IN_SETUP, () => undefined);
    const { id } = await host.create(settings, 'mine', 'wasm', BUILT_IN_SETUP);
    await expect.poll(() => statusOf(id), { timeout: 60_000 }).toBe('finished');
    const [first] = told.flatMap((message) =>
      message.type === 'progress' && message.progress.step === 1 ? [message.progress] : [],
    );
    expect(first?.etaSeconds).toBeGreaterThan(0);
  });
});

describe('a run that nothing like was measured for', () => {
  it('begins with a measurement where it has ten steps or more, so that the time to go is known before step 1', async () => {
    const { tab, statusOf, started } = openBrowser(parts);
    const { host, told, open } = tab();
    await open();
    const long = { ...settings, steps: 10 };
    const { id } = await host.create(long, 'long', 'wasm', BUILT_IN_SETUP);
    const progress = () =>
      told.flatMap((message) => (message.type === 'progress' ? [message.progress] : []));
    await expect
      .poll(() => progress().some(({ phase }) => phase === 'rollouts'), { timeout: 60_000 })
      .toBe(true);
    await host.stop(id, true);
    await expect.poll(() => statusOf(id), { timeout: 60_000 }).toBe('stopped');
    const phases = progress().map(({ phase }) => phase);
    expect(phases).toContain('measuring');
    // Until then nothing is known.
    const measured = progress().filter(({ phase }) => phase === 'measuring');
    expect(measured.every(({ etaSeconds }) => etaSeconds === null)).toBe(true);
    const first = progress().slice(phases.lastIndexOf('measuring') + 1)[0];
    expect(first?.step).toBe(1);
    expect(first?.etaSeconds).toBeGreaterThan(0);
    // By the engines of the run, and stored for the next one.
    expect(started()).toBe(1);
    const { probed } = await host.estimate(long, 'wasm', BUILT_IN_SETUP);
    expect(probed?.rollouts).toBeGreaterThan(0);
  });

  it('begins with its steps where it has few', async () => {
    const { tab, statusOf } = openBrowser(parts);
    const { host, told, open } = tab();
    await open();
    const { id } = await host.create(settings, 'short', 'wasm', BUILT_IN_SETUP);
    await expect.poll(() => statusOf(id), { timeout: 60_000 }).toBe('finished');
    const phases = told.flatMap((message) =>
      message.type === 'progress' ? [message.progress.phase] : [],
    );
    expect(phases).not.toContain('measuring');
  });

  it('ends a measurement that is under way before it begins', async () => {
    const { tab, statusOf, started } = openBrowser(parts);
    const { host, open } = tab();
    await open();
    let ended = false;
    let create: Promise<{ id: string }> | null = null;
    const measuring = host
      .measure(settings, 'wasm', BUILT_IN_SETUP, (doing) => {
        if (doing !== 'decoding') return;
        create = host.create(settings, 'mine', 'wasm', BUILT_IN_SETUP).finally(() => {
          expect(ended).toBe(true);
        });
      })
      .finally(() => (ended = true));
    expect(await measuring).toEqual({ status: 'cancelled' });
    const { id } = await create!;
    await expect.poll(() => statusOf(id), { timeout: 60_000 }).toBe('finished');
    expect(started()).toBe(2);
  });
});

describe('a run that does not fit', () => {
  it('is refused before it is stored or measured, with what would fit', async () => {
    const { tab, started, store } = openBrowser(parts);
    // A megabyte of main memory.
    Object.assign(navigator, { deviceMemory: 2 ** -10 });
    const { host } = tab();
    const words = /^Training does not fit this device: with one rollout at a time it needs/u;
    const { refusal } = await host.estimate(settings, 'wasm', BUILT_IN_SETUP);
    expect(refusal).toMatch(words);
    await expect(host.create(settings, '', 'wasm', BUILT_IN_SETUP)).rejects.toThrow(words);
    await expect(host.measure(settings, 'wasm', BUILT_IN_SETUP, () => undefined)).rejects.toThrow(
      words,
    );
    expect(started()).toBe(0);
    expect(await store.runs()).toEqual([]);
  });
});
