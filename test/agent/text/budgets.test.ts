import { expect, it } from 'vitest';
import { budgetsInForce } from '../../../src/agent/budget.ts';
import { DEFAULT_SETTINGS, withOverrides } from '../../../src/recipes/parts/settings.ts';

const inForce = (
  spelling: 'ids' | 'text',
  maxContext: number,
  over: Parameters<typeof withOverrides>[1] = {},
  parameters = 0,
): number[] => {
  const settings = withOverrides(DEFAULT_SETTINGS, over);
  const { budgets, retrieval } = budgetsInForce(
    settings,
    over,
    { spelling },
    { maxContext, parameters },
  );
  return [budgets.tokens, budgets.stepTokens, budgets.answerTokens, retrieval.passageTokens];
};

it('leaves the budgets of a policy whose tags are tokens as the recipe has them', () => {
  expect(inForce('ids', 4096)).toEqual([512, 160, 48, 96]);
});

it('gives other policies more, as far as their context holds it', () => {
  expect(inForce('text', 4096)).toEqual([2048, 640, 128, 200]);
  // 1024 / 2, / 6 and / 32, / 20; never less than the recipe's own.
  expect(inForce('text', 1024)).toEqual([512, 170, 48, 96]);
});

it('takes what was set as it is', () => {
  const over = { budgets: { tokens: 300 }, retrieval: { passageTokens: 50 } };
  expect(inForce('text', 4096, over)).toEqual([300, 640, 128, 50]);
});

it('lets a small model write less in one step, unless more was set', () => {
  expect(inForce('text', 8192, {}, 135e6)[1]).toBe(192);
  expect(inForce('text', 8192, {}, 1.5e9)[1]).toBe(640);
  expect(inForce('text', 8192, { budgets: { stepTokens: 400 } }, 135e6)[1]).toBe(400);
  expect(inForce('text', 512, {}, 135e6)[1]).toBe(160);
});
