import type { Page } from 'playwright-core';
import type { StrictServer } from '../../../test/policy/remote/endpoint/strict-server.ts';
import { openPage, type Stage } from '../../browser.ts';

/** Ask in a context of its own, whose policy is a model of a server that it knows already. */
export const askServed = async (
  stage: Pick<Stage, 'browser' | 'faults' | 'url'>,
  { url }: Pick<StrictServer, 'url'>,
  model: string,
  recipe: string,
): Promise<Page> => {
  const page = await openPage(stage);
  const endpoint = { id: 's', url, model, api: 'completions', maxContext: 4096 };
  await page.addInitScript(
    (text) => localStorage.setItem('forage.resources', text),
    JSON.stringify({ endpoints: [endpoint], webllm: [], mirror: {} }),
  );
  await page.goto(`${stage.url}ask?device=wasm&recipe=${recipe}&n=1`);
  await page.locator('.works-with summary').click();
  await page
    .getByLabel('Model', { exact: true })
    .selectOption({ label: `${model} at ${new URL(url).host}` });
  return page;
};
