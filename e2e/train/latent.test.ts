import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { unzipSync } from 'fflate';
import { expect } from 'vitest';
import { slow } from '../../test/slow/slow.ts';
import { faultsInBoth } from '../axe.ts';
import { openMore, runStatus, useStage } from '../browser.ts';
import { downloaded, status } from '../training.ts';

/** HRPO in the page: its gates are trained in the tab, drawn, taken along, and asked with. */

const stage = useStage();

slow(
  'test/lab/train/kinds-of-runs.test.ts > gates are trained beside an adapter, taken along, and asked with',
  'test/ui/train/store.test.ts > shows what gates let through and latent tokens of a run with gates, and of no other',
  'test/ui/ask/columns/verdict.test.tsx > says how many tokens were read as mixtures, of one that thought so',
  'test/ui/train/headline-runs.test.tsx > the form of HRPO has its gates, and where they begin',
  'e2e/train/finished-run.test.ts > has its held-out questions as a film and before | after, whose rollouts open and are asked with the adapter',
)(
  'trains gates beside an adapter, draws them, exports them and asks with them',
  async () => {
    const { page } = stage;
    await page.goto(`${stage.url}train?new=1&device=wasm`);
    await page.getByLabel('Recipe', { exact: true }).selectOption('hrpo/hrpo');
    await page.getByLabel('Steps', { exact: true }).fill('2');
    await page.getByLabel('Questions per step').fill('2');
    await page.getByLabel('Rollouts per question').fill('2');
    await page.getByText('Held-out score').click();
    await page.getByLabel('Held-out questions').fill('0');
    await page.getByText('Adapter (LoRA)').click();
    await page.getByLabel('a from').fill('0.9');
    expect(await page.getByLabel('Rate of Λ').inputValue()).toBe('0.01');
    expect(await faultsInBoth(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.waitForURL(/run=/);
    await status(page, 'finished');

    const chart = page.getByRole('region', { name: 'Gates: 1 − a' });
    await chart.waitFor();
    const svg = readFileSync(await downloaded(page, 'Gates: 1 − a: save as SVG')).toString();
    expect(svg).toContain('1 − a');
    expect(await faultsInBoth(page)).toEqual([]);

    const files = unzipSync(readFileSync(await downloaded(page, 'Download the adapter')));
    expect(Object.keys(files).map((path) => basename(path))).toContain('latent_gates.safetensors');

    await page.getByRole('button', { name: 'Ask with this adapter' }).click();
    await page.waitForURL(/\/ask\?/);
    await page.getByRole('button', { name: 'Run', exact: true }).first().click();
    await runStatus(page, 'done');
    await openMore(page);
    // From 0.9 to 0.999: it is read through the gates that were trained.
    await page.getByText(/^\d+, a 0\.9[45]\d\d$/).waitFor();
    expect(await faultsInBoth(page)).toEqual([]);
    expect(stage.faults).toEqual([]);
  },
  240_000,
);
