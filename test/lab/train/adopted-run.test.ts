import { openAsBlob } from 'node:fs';
import { unzipSync } from 'fflate';
import { afterEach, expect, it, vi } from 'vitest';
import { openArchive } from '../../../src/handover/adopt/open-archive.ts';
import { readSafetensors } from '../../../src/policy/checkpoint/safetensors.ts';
import { madeWeights } from '../../handover/adopt/made-policy.ts';
import { ARCHIVE, REVISION } from '../../handover/adopt/returned.ts';
import { closeBrowsers, openBrowser, openTrainingParts } from './tabs.ts';

/** A run that a cluster made, in a browser that continues with it. */

vi.setConfig({ testTimeout: 240_000 });
afterEach(closeBrowsers);

it('has the adapter that TRL saved and the rollouts of its steps, and goes on behind them', async () => {
  const browser = openBrowser(
    await openTrainingParts({ weights: madeWeights(), revision: REVISION }),
  );
  const tab = browser.tab();
  await tab.open();
  const blob = await openAsBlob(ARCHIVE);
  const told: [number, number][] = [];
  const outcome = await tab.host.adopt('job', [{ path: 'x.tar.gz', blob }], (...at) => {
    told.push(at);
  });
  if (outcome.status !== 'ready') throw new Error(outcome.status);
  const { id, name, status, notice } = outcome.run;
  expect([name, status]).toEqual(['search-r1/grpo, seed 3, on TRL', 'finished']);
  expect(notice).toContain('moments are not in the folder');
  expect(told.at(-1)?.[1]).toBe(2);

  const [zip] = await tab.host.download(id, 'peft');
  const files = unzipSync(new Uint8Array((await zip?.blob.arrayBuffer()) ?? []));
  const mine = Object.entries(files).find(([path]) => path.endsWith('.safetensors'))?.[1];
  const saved = readSafetensors(mine ?? new Uint8Array());
  const packed = (await openArchive('x.tar.gz', blob)) ?? [];
  const theirs = packed.find(({ path }) => path.endsWith('out/adapter/adapter_model.safetensors'));
  const wanted = readSafetensors(new Uint8Array((await theirs?.blob.arrayBuffer()) ?? []));
  expect(wanted.size).toBeGreaterThan(0);
  expect([...saved.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
  for (const [tensor, { data }] of wanted)
    expect(Array.from(saved.get(tensor)?.data ?? [])).toEqual(Array.from(data));
  expect(await tab.host.rollouts(id, 2)).toHaveLength(8);

  const adapterNow = async () => (await browser.store.lastState(id))?.adapter ?? [];
  const given = await adapterNow();
  await tab.host.resume(id, undefined, 3);
  await expect.poll(() => browser.statusOf(id), { interval: 20 }).toBe('finished');
  const steps = await tab.host.steps(id);
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
  // From theirs on: the first update of AdamW moves no value by more than its rate.
  const learningRate = steps.at(-1)?.learningRate ?? 0;
  expect(learningRate).toBeGreaterThan(0);
  const now = await adapterNow();
  const moves = Array.from(now, (value, i) => Math.abs(value - (given[i] ?? 0)));
  expect(moves.length).toBeGreaterThan(0);
  expect(moves.reduce((most, one) => Math.max(most, one))).toBeLessThan(1.1 * learningRate);
  expect(await tab.host.rollouts(id, 3)).not.toHaveLength(0);
});
