import { basename } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { RunStatus } from '../../../src/lab/contract/records/runs.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { RunPolicies } from '../../../src/lab/ask/run-policies.ts';
import type { PolicyParts } from '../../../src/lab/models/serving/find-policy.ts';
import type { LoraValues, Policy } from '../../../src/policy/policy.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { closeBrowsers, openBrowser, openTrainingParts, shortRun } from './tabs.ts';

/** Runs of the page that learn from more than their rewards, and what becomes of their adapters. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let parts: Awaited<ReturnType<typeof openTrainingParts>>;
beforeAll(async () => {
  parts = await openTrainingParts();
});
afterEach(closeBrowsers);

type Browser = ReturnType<typeof openBrowser>;
type Tab = ReturnType<Browser['tab']>;

const ends = (browser: Browser, id: string, status: RunStatus): Promise<void> =>
  expect.poll(() => browser.statusOf(id), { interval: 5 }).toBe(status);
const trained = async (browser: Browser, tab: Tab, settings: TrainSettings, file?: Blob) => {
  const { id } = await tab.host.create(settings, 'mine', 'wasm', BUILT_IN_SETUP, file);
  await ends(browser, id, 'finished');
  return id;
};
/** What the adapter's archive holds, by file name. */
const adapterOf = async (tab: Tab, id: string): Promise<Map<string, Uint8Array>> => {
  const [zip] = await tab.host.download(id, 'peft');
  const files = unzipSync(new Uint8Array(await zip!.blob.arrayBuffer()));
  return new Map(Object.entries(files).map(([path, bytes]) => [basename(path), bytes]));
};
const namesOf = async (tab: Tab, id: string): Promise<string[]> =>
  [...(await adapterOf(tab, id)).keys()].toSorted();

it('a warm-up learns from the trajectories of a file before the first step; that is told of the run, also after it went on', async () => {
  const browser = openBrowser(parts);
  const tab = browser.tab();
  await tab.open();
  const made = await trained(browser, tab, shortRun({ steps: 1 }));
  const rollouts = await tab.host.rollouts(made, 1);
  const file = new Blob(rollouts.slice(0, 2).map((rollout) => `${JSON.stringify(rollout)}\n`));
  const warmUp = { length: { updates: 3 }, batch: 2, learningRate: 1e-2, onlyCorrect: false };
  const settings = shortRun({ steps: 1, warmUp });
  await expect(tab.host.create(settings, '', 'wasm', BUILT_IN_SETUP)).rejects.toThrow(
    'The warm-up needs a file of trajectories',
  );
  const id = await trained(browser, tab, settings, file);
  const line = /^Cold start: 3 of 3 updates on 2 demonstrations, loss [\d.]+ → [\d.]+/;
  const before = async () => (await browser.store.run(id)).before ?? [];
  expect(await before()).toEqual([expect.stringMatching(line)]);
  expect((await browser.store.lastState(id))?.warmedUp).toBe(3);
  await expect(tab.host.resume(id, undefined, 1)).rejects.toThrow('has made 1 step;');
  await tab.host.resume(id, undefined, 2);
  await expect.poll(async () => (await browser.store.steps(id)).length, { interval: 5 }).toBe(2);
  await ends(browser, id, 'finished');
  expect(await before()).toEqual([expect.stringMatching(line)]);
  expect((await browser.store.lastState(id))?.warmedUp).toBe(3);
  expect(await namesOf(tab, id)).toEqual([
    'README.md',
    'adapter_config.json',
    'adapter_model.safetensors',
  ]);
});

it('gates are trained beside an adapter, taken along, and asked with', async () => {
  const browser = openBrowser(parts);
  const tab = browser.tab();
  await tab.open();
  const short = shortRun({ steps: 2, groupSize: 8, temperature: 0.8 });
  const gates = { id: 'hrpo', rMin: 0.9, rMax: 0.95, learningRate: 0.05, lambdaLearningRate: 0.1 };
  const id = await trained(browser, tab, {
    ...short,
    overrides: {
      ...short.overrides,
      loop: 'rationale',
      background: { mode: 'off' },
      stie: { mode: 'off' },
      system: { id: 'hrpo' },
    },
    adapter: { ...short.adapter, gates },
    objective: {
      ...short.objective,
      clip: null,
      kl: { form: 'k3', place: 'loss', coefficient: 0.005 },
    },
  });
  // What each token had left of itself, where something was thought.
  const read = (await browser.store.steps(id)).flatMap(({ latent }) => latent ?? []);
  expect(read.length).toBeGreaterThan(0);
  for (const { gate } of read) {
    expect(gate).toBeGreaterThan(0.85);
    expect(gate).toBeLessThan(1);
  }
  expect(await namesOf(tab, id)).toEqual([
    'README.md',
    'adapter_config.json',
    'adapter_model.safetensors',
    'latent_gates.safetensors',
  ]);
  const file = (await adapterOf(tab, id)).get('latent_gates.safetensors')!;
  const lambda = [...readSafetensors(file)].find(([name]) => name.endsWith('Lambda'));
  expect(lambda?.[1].data.length).toBe(parts.weights.config.hiddenSize);

  // The page's policy is given factors and gates alike.
  const given: (LoraValues | null)[] = [];
  const policy = {
    setAdapter: (adapter: LoraValues | null) => {
      given.push(adapter);
      return Promise.resolve();
    },
  } as Partial<Policy> as Policy;
  const asked: PolicyParts = {
    runs: browser.store,
    facts: () =>
      Promise.resolve({ id: 'tiny', revision: '0', config: parts.weights.config }) as never,
    endpointOf: () => null,
    openApart: () => Promise.reject(new Error('another policy was asked for')),
  };
  const own = { ref: BUILT_IN_SETUP.policy, policy };
  await new RunPolicies(asked, 'wasm', own, () => undefined).get({
    kind: 'run',
    run: id,
    step: null,
  });
  const state = await browser.store.lastState(id);
  expect(given).toHaveLength(1);
  expect(given[0]?.spec.gates).toEqual(gates);
  expect(given[0]?.flat).toEqual(state?.adapter);
});

it('another tab is told of each step as it is made, and ends it there; both then tell the same steps', async () => {
  const browser = openBrowser(parts);
  const [a, b] = [browser.tab(), browser.tab()];
  await a.open();
  const { id } = await a.host.create(shortRun({ steps: 400 }), '', 'wasm', BUILT_IN_SETUP);
  expect((await b.open()).map(({ status }) => status)).toEqual(['running']);
  const toldTo = (tab: Tab) =>
    tab.told.flatMap((one) => (one.type === 'step' ? [one.step.step] : []));
  await expect.poll(() => toldTo(b).length, { interval: 5 }).toBeGreaterThan(1);
  expect(b.told.some((one) => one.type === 'progress' && one.progress.status === 'running')).toBe(
    true,
  );
  await b.host.stop(id, true);
  expect(await browser.statusOf(id)).toBe('stopped');
  const steps = async (tab: Tab) => (await tab.host.steps(id)).map(({ step }) => step);
  expect(await steps(b)).toEqual(await steps(a));
  expect(await steps(a)).toEqual(toldTo(a));
  await expect
    .poll(() => b.told.findLast((one) => one.type === 'run')?.run.status, { interval: 5 })
    .toBe('stopped');
});
