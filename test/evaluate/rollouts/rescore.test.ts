import { describe, expect, test } from 'vitest';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { DisagreementQueue } from '../../../src/evaluate/rollouts/rescore/disagreement.ts';
import { rescore } from '../../../src/evaluate/rollouts/rescore/rescore.ts';
import { scorerById, SCORERS } from '../../../src/evaluate/rollouts/rescore/scorers.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { r1Searcher, verl } from '../../fixtures/inspect/records.ts';
import { importOne, ownLines, rolloutsOf } from '../../formats/rollouts/helpers.ts';
import { REWARD_IDS, type RewardId } from '../../../src/learn/rewards/list.ts';

const totals = (rollout: ImportedRollout): Record<string, number> =>
  Object.fromEntries(rescore(rollout).map(({ scorer, total }) => [scorer, total]));

/** The text that each clause points at. */
const matched = (rollout: ImportedRollout, scorer: string): Record<string, string[]> =>
  Object.fromEntries(
    rescore(rollout, [scorerById(scorer)!])[0]!.clauses.map(({ clause, evidence }) => [
      clause,
      evidence.map(({ segment, start, end }) => rollout.segments[segment]!.text.slice(start, end)),
    ]),
  );

const verlWith = (output: string): Promise<ImportedRollout> => importOne({ ...verl, output });

describe('records of our own', () => {
  test('score as the trainer scores them', async () => {
    const own = await rolloutsOf(new Blob([ownLines().join('\n')]));
    for (const rollout of own)
      for (const { scorer, total, lacks } of rescore(rollout)) {
        if (!(REWARD_IDS as readonly string[]).includes(scorer)) continue;
        const reward = scorer as RewardId;
        expect(lacks).toEqual([]);
        expect(total).toBe(totalReward(scoreRollout(rollout as Rollout, reward)));
      }
  });

  test('every reward of the trainer is there', () => {
    expect(SCORERS.map(({ id }) => id)).toEqual(expect.arrayContaining([...REWARD_IDS]));
  });
});

describe('rollouts of other systems, worked by hand', () => {
  test('a clean Search-R1 rollout: right, one answered query', async () => {
    const rollout = await importOne(verl);
    expect(totals(rollout)).toMatchObject({
      em: 1,
      'cover-em': 1,
      'ur2-stage-1': 1 + 3,
      'ur2-stage-2': 2 + 1,
      'ur2-stage-2-released': 2 + 1,
      'r1-searcher-stage-1': 1,
      'r1-searcher-stage-1-released': 2,
      'r1-searcher-stage-2': 1,
      'search-r1-format': 1,
      research: 1,
      autorefine: 1,
      'r-search': 0.2 + 0 + 1,
    });
    expect(matched(rollout, 'ur2-stage-1').retrieval).toEqual([
      '<search> Low Tide author </search>',
    ]);
    expect(matched(rollout, 'em')).toEqual({ em: ['Ida Holm'] });
  });

  test('a thought that the prompt opened is no fault', async () => {
    const rollout = await importOne(r1Searcher);
    expect(totals(rollout)).toMatchObject({ 'r1-searcher-stage-2': 1, 'r1-searcher-stage-1': 1 });
  });

  test('a block that is not closed costs the format, and is pointed at', async () => {
    const rollout = await verlWith('<think>Hm.<answer> Ida Holm </answer>');
    expect(totals(rollout)).toMatchObject({
      'r1-searcher-stage-2': 1 - 2,
      'r1-searcher-stage-2-instruct': 1 - 1,
      'search-r1-format': 0.8,
      research: 0,
      // −1 for the fault, −1 for not searching.
      'ur2-stage-1': -2,
    });
    expect(matched(rollout, 'r1-searcher-stage-2').format).toEqual(['<think>Hm.']);
  });

  test.each([
    ['an environment tag of its own', '<think>x</information></think><answer>Ida Holm</answer>'],
    ['text between blocks', '<think>x</think> well <answer>Ida Holm</answer>'],
    ['an empty query', '<think>x</think><search> </search><answer>Ida Holm</answer>'],
  ])('%s is a fault', async (_what, output) => {
    expect(totals(await verlWith(output))['search-r1-format']).toBe(0.8);
  });

  test('AutoRefine pays 0.1 for a refinement that holds the answer', async () => {
    const output =
      '<think>x</think><search>q</search><documents>Ida Holm wrote it.</documents>' +
      '<refine>It was Ida Holm.</refine><answer>nobody</answer>';
    const rollout = await verlWith(output);
    expect(totals(rollout)['autorefine']).toBe(0.1);
    expect(matched(rollout, 'autorefine').refinement).toEqual([
      '<refine>It was Ida Holm.</refine>',
    ]);
  });

  test('R-Search pays for the evidence block and says what it cannot judge', async () => {
    const rollout = await verlWith(
      'Hm.<search>q</search><observation>d</observation>' +
        '<original_evidence>Ida Holm</original_evidence><answer>Ida Holm</answer>',
    );
    const [scored] = rescore(rollout, [scorerById('r-search')!]);
    expect(scored!.total).toBeCloseTo(1.4, 12);
    expect(scored!.lacks).toEqual([expect.stringMatching(/frozen model/)]);
  });

  test('StepSearch: gain of a supporting title, then nothing but what was known', async () => {
    const result = '<information>Doc 1(Title: Low Tide) By Ida Holm.\n</information>';
    const rollout = await verlWith(
      `<think>a</think><search>q1</search>${result}<think>b</think><search>q2</search>${result}` +
        '<think>c</think><answer>Ida Holm</answer>',
    );
    rollout.question.supporting = ['Low Tide', 'Ida Holm'];
    const [scored] = rescore(rollout, [scorerById('stepsearch')!]);
    expect(scored!.clauses.map(({ clause, value }) => [clause, value])).toEqual([
      ['answer', 1],
      ['information-gain', 0.5],
      ['redundancy', 0],
      ['information-gain', 0],
      ['redundancy', -1],
    ]);
    expect(scored!.lacks).toEqual([expect.stringMatching(/key match/)]);
  });

  test('without tokens the length clause is left out and named; without golds nothing is scored', async () => {
    const rollout = await importOne(verl);
    const [short] = rescore(rollout, [scorerById('kunlun-short')!]);
    expect(short!.clauses.map(({ clause }) => clause)).toEqual(['format', 'accuracy']);
    expect(short!.lacks).toEqual([expect.stringMatching(/^length/)]);
    rollout.question.answers = [];
    expect(rescore(rollout)).toEqual([]);
  });
});

describe('the queue of disagreements', () => {
  test('widest first; agreement is left out', async () => {
    const rollouts = await Promise.all([
      importOne(r1Searcher),
      importOne({ ...r1Searcher, gpt4o_output: 'False' }),
      importOne({ ...r1Searcher, answer: 'Oslo, Norway', gpt4o_output: 'True' }),
      importOne({ ...verl, output: '<answer>Ida Holm of Denmark, a novelist</answer>' }),
    ]);
    rollouts.forEach((rollout, i) => (rollout.id = `r${i}`));
    const queue = new DisagreementQueue();
    for (const rollout of rollouts) queue.add(rollout);
    const found = queue.result();
    expect(found.map(({ rollout }) => rollout)).toEqual(['r1', 'r2', 'r3']);
    expect(found[0]).toMatchObject({ spread: 1, harshest: { by: 'judge', share: 0 } });
    expect(found[2]).toMatchObject({ kindest: { by: 'cover-em' }, harshest: { by: 'em' } });
  });

  test('an unknown scorer is an error', () => {
    expect(() => new DisagreementQueue(['magic'])).toThrow(/no scorer "magic"/);
  });
});
