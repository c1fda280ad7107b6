import { describe, expect, test } from 'vitest';
import { alignGroup, groupCredit, tokenCredit } from '../../../src/evaluate/rollouts/align.ts';
import { compareRuns } from '../../../src/evaluate/rollouts/compare-runs.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { whatIfSettings } from '../../fixtures/what-if.ts';
import { loggingBoard, verl } from '../../fixtures/inspect/records.ts';
import { blobOf, rolloutsOf } from '../../formats/rollouts/helpers.ts';

const output = (...searches: [query: string, title: string][]): string =>
  searches
    .map(
      ([query, title]) =>
        `<think>x</think><search>${query}</search>` +
        `<information>Doc 1(Title: ${title}) About ${title}.</information>`,
    )
    .join('') + '<think>y</think><answer> Ida Holm </answer>';

const siblings = () =>
  rolloutsOf(
    blobOf(
      { ...verl, output: output(['author of Low Tide', 'Low Tide'], ['Ida Holm', 'Ida Holm']) },
      { ...verl, output: output(['Low Tide: author of?', 'Low Tide']) },
      {
        ...verl,
        output: output(['tides', 'Tide'], ['tides again', 'Tide']).replace(' Ida Holm ', 'moon'),
      },
    ),
  );

describe('siblings by round', () => {
  test('same queries, passages of one sibling alone, and repeated ones', async () => {
    const group = alignGroup(await siblings())!;
    expect(group.siblings.map(({ em }) => em)).toEqual([1, 1, 0]);
    expect(group.rows.map((row) => row.map((cell) => cell !== null))).toEqual([
      [true, true, true],
      [true, true, true],
      [true, false, true],
    ]);
    const [first, second] = group.rows;
    expect(first!.map((cell) => cell!.sameQueryAs)).toEqual([[1], [0], []]);
    const titles = (row: typeof first, of: 'onlyHere' | 'repeated') =>
      row!.map((cell) => cell![of].map(({ title }) => title));
    expect(titles(first, 'onlyHere')).toEqual([[], [], ['Tide']]);
    expect(titles(second, 'onlyHere')).toEqual([['Ida Holm'], [], ['Tide']]);
    expect(titles(second, 'repeated')).toEqual([[], [], ['Tide']]);
  });

  test('those that get no cell still count in what sets the others apart', async () => {
    const all = await siblings();
    const [whole, narrow] = [alignGroup(all)!, alignGroup(all, 1)!];
    expect(narrow.rows).toEqual(whole.rows.map((row) => row.slice(0, 1)));
    expect(narrow.rows[0]![0]!.sameQueryAs).toEqual([1]);
    expect(narrow.siblings).toEqual(whole.siblings);
  });

  test('no rollouts, no group', () => expect(alignGroup([])).toBeNull());
});

const settings = whatIfSettings({
  estimator: 'dr-grpo',
  aggregation: 'sequence-mean',
});

describe('from reward to token weights', () => {
  const group = (...rewards: number[]) =>
    rolloutsOf(blobOf(...rewards.map((reward) => ({ ...loggingBoard, reward }))));

  test('each step of the chain', async () => {
    const credit = groupCredit(await group(1, 0), settings);
    expect(credit.zeroVariance).toBe(false);
    expect(credit.chains[0]).toMatchObject({
      reward: 1,
      baseline: 0.5,
      advantage: 0.5,
      trainedTokens: 8,
      tokenWeight: 1 / 16,
      stored: { baseline: null, advantage: null },
    });
    // Eight tokens of weight 1/16, each pushed by half of it: up where it earned more, else down.
    expect(credit.chains[0]!.totalPush).toBeCloseTo(0.25, 6);
    expect(credit.chains[1]!.totalPush).toBeCloseTo(-0.25, 6);
  });

  test('the weights of one sibling’s tokens are those of the chain', async () => {
    const rollouts = await group(1, 0);
    const { outcome } = tokenCredit(rollouts, rollouts[1]!.id, settings);
    const tokens = outcome!.tokens!;
    expect([...tokens.push].reduce((sum, push) => sum + push, 0)).toBeCloseTo(-0.25, 6);
    expect(Math.max(...tokens.weight)).toBe(1 / 16);
    expect(tokenCredit(rollouts, 'none', settings).outcome).toBeNull();
  });

  test('equal rewards are flagged', async () => {
    const credit = groupCredit(await group(1, 1), settings);
    expect(credit.zeroVariance).toBe(true);
    expect(credit.chains.map(({ totalPush }) => totalPush)).toEqual([0, 0]);
  });
});

describe('two runs', () => {
  const answers = async (...given: string[]) =>
    (
      await rolloutsOf(
        blobOf(
          ...given.map((answer, i) => ({
            ...verl,
            question_id: `q${Math.min(i, 3)}`,
            output: `<think>x</think><answer>${answer}</answer>`,
          })),
        ),
      )
    ).map(readFactsOf);

  test('gained, lost, flipped, and what only one has', async () => {
    const a = await answers('no one', 'Ida Holm', 'Ida Holm', 'x', 'Ida Holm');
    const b = (await answers('Ida Holm', 'wrong', 'Ida Holm', 'Ida Holm', 'Ida Holm')).concat({
      ...a[0]!,
      questionId: 'new',
    });
    const compared = compareRuns(a, b);
    const ids = (list: { questionId: string }[]) => list.map(({ questionId }) => questionId);
    expect(ids(compared.gained)).toEqual(['q0', 'q3']);
    expect(ids(compared.lost)).toEqual(['q1']);
    expect(ids(compared.same)).toEqual(['q2']);
    // q3 went from one half to one: gained, but not flipped.
    expect(ids(compared.flipped)).toEqual(['q0', 'q1']);
    expect(compared.onlyB).toEqual(['new']);
    expect(compared.gained[1]).toMatchObject({ a: 0.5, b: 1, aIds: ['file:4', 'file:5'] });
    expect(compared.difference!.mean).toBeCloseTo((1 - 1 + 0 + 0.5) / 4, 12);
  });

  test('nothing shared: no difference', () => {
    expect(compareRuns([], []).difference).toBeNull();
  });
});
