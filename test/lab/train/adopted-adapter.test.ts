import { afterEach, expect, it, vi } from 'vitest';
import type { AdoptFile } from '../../../src/handover/adopt/folder.ts';
import { loraSize } from '../../../src/policy/lora/spec.ts';
import { writePeft } from '../../../src/policy/lora/peft.ts';
import type { PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { BUILT_IN_SETUP, type Setup } from '../../../src/records/setup.ts';
import { tinyWeights } from '../../learn/rl/helpers.ts';
import { closeBrowsers, openBrowser, openTrainingParts, shortRun } from './tabs.ts';

/** An adapter that is published without its run, imported as one. */

vi.setConfig({ testTimeout: 240_000 });
afterEach(closeBrowsers);

const { config } = tinyWeights();
const settings = shortRun({ steps: 0, warmUp: null });
const experiment = {
  schema: 'forage.experiment/1',
  runId: 'tiny-cold-start',
  published: { name: 'Tiny cold start', before: ['Cold start on 3 demonstrations.'] },
  settings,
  // Of the same model in another precision.
  policy: { id: 'tiny', revision: '123456789abc', vocabulary: config.vocabSize },
  world: { folder: null, seed: 20250619 },
  corpus: null,
  engine: null,
};
const setup: Setup = { ...BUILT_IN_SETUP, source: 'local' };

/** The folder of an adapter for a model, and its values. */
const adapterOf = (shape: PolicyConfig): { flat: Float32Array; files: AdoptFile[] } => {
  const size = loraSize(shape, settings.adapter);
  const flat = Float32Array.from({ length: size }, (_, i) => Math.sin(i) / 16);
  const files = writePeft(shape, settings.adapter, flat, 'tiny').map(({ name, bytes }) => ({
    path: name,
    blob: new Blob([bytes]),
  }));
  const described = { path: 'experiment.json', blob: new Blob([JSON.stringify(experiment)]) };
  return { flat, files: [...files, described] };
};

const openTab = async () => {
  const browser = openBrowser(await openTrainingParts());
  const tab = browser.tab();
  await tab.open();
  return { browser, host: tab.host };
};

it('is a run of the chosen model, whatever its precision, that RL continues', async () => {
  const { browser, host } = await openTab();
  const { flat, files } = adapterOf(config);
  const outcome = await host.adopt('job', files, () => undefined, setup);
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  const { run } = outcome;
  expect(run).toMatchObject({
    name: 'Tiny cold start',
    tags: [],
    status: 'finished',
    policy: { id: 'tiny', revision: '0' },
    setup,
    before: ['Cold start on 3 demonstrations.'],
    notice: null,
  });
  // Ask and Evaluate list it by these.
  expect(await browser.store.adapterSteps(run.id)).toEqual([0]);
  expect((await browser.store.adapterAt(run.id, 0)).adapter).toEqual(flat);

  await host.resume(run.id, undefined, 1);
  await expect.poll(() => browser.statusOf(run.id), { interval: 20 }).toBe('finished');
  const [step] = await host.steps(run.id);
  const rate = step?.learningRate ?? 0;
  const now = (await browser.store.lastState(run.id))?.adapter ?? new Float32Array();
  const moves = Array.from(now, (value, i) => Math.abs(value - (flat[i] ?? 0)));
  expect(Math.max(...moves)).toBeGreaterThan(0);
  // An update of AdamW moves a value by about its rate at most, and the values are a hundred times as large.
  expect(Math.max(...moves)).toBeLessThan(2 * settings.updates * rate);
});

it('of another model, or damaged, is refused with the reason, and nothing is stored', async () => {
  const { browser, host } = await openTab();
  const import_ = (files: AdoptFile[], of?: Setup) => host.adopt('job', files, () => undefined, of);
  const deeper = adapterOf({ ...config, layers: 2 });
  await expect(import_(deeper.files, setup)).rejects.toThrow(
    /^The adapter in the folder itself cannot be used: .* is of layer 1; this policy has 1 layers\.$/,
  );
  const wider = adapterOf({ ...config, hiddenSize: 48 });
  await expect(import_(wider.files, setup)).rejects.toThrow(/has shape .*, this policy needs/);
  const { files } = adapterOf(config);
  const cut = files.map(({ path, blob }) => ({ path, blob: blob.slice(0, blob.size - 1) }));
  await expect(import_([...cut.slice(0, -1), files.at(-1)!], setup)).rejects.toThrow(
    /adapter_model\.safetensors/,
  );
  // Dropped on Runs, it is for the weights that were trained.
  await expect(import_(files)).rejects.toThrow(
    /^The adapter was not imported: it was trained on tiny \(weights 123456789abc\)/,
  );
  expect(await browser.store.runs()).toEqual([]);
});
