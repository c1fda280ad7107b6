import { expect, it } from 'vitest';
import { runStatus, useStage } from '../browser.ts';

const stage = useStage();

const ask = async (question: string): Promise<string[]> => {
  const { page } = stage;
  const address = new URLSearchParams({
    ask: question,
    form: '2',
    recipe: 'naive-rag',
    device: 'wasm',
    run: '1',
  });
  await page.goto(`${stage.url}ask?${address}`);
  await runStatus(page, 'done');
  return page.getByTestId('unknown-names').allTextContents();
};

it('says beside the answer which name of a question no passage mentions', async () => {
  expect(await ask('Who directed Quilted Harbor?')).toEqual([
    'No passage that can be searched mentions “Quilted Harbor”: what is answered about it has no support there.',
  ]);
  expect(await stage.page.getByTestId('verdict').textContent()).toContain('no gold known');
  expect(stage.faults).toEqual([]);
});

it('says nothing of a name that the local corpus or the web has', async () => {
  expect(await ask('Where was the star of Velvet Lantern born?')).toEqual([]);
});
