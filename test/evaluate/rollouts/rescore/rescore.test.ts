import { describe, expect, test } from 'vitest';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { DisagreementQueue } from '../../../../src/evaluate/rollouts/rescore/disagreement.ts';
import { rescore } from '../../../../src/evaluate/rollouts/rescore/rescore.ts';
import { scorerById, SCORERS } from '../../../../src/evaluate/rollouts/rescore/scorers.ts';
import { scoreRollout, totalReward } from '../../../../src/learn/rewards/index.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne, ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';
import { OUTCOME, PUBLISHED } from '../../../../src/systems/rewards.ts';

/** Rewards that any record can be scored by; others ask for what only a run of their own writes down. */
const OF_ANY_RECORD = [...PUBLISHED, ...OUTCOME].map(({ id }) => id);

const totals = (rollout: ImportedRollout): Record<string, number | null> =>
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
        const reward = OF_ANY_RECORD.find((id) => id === scorer);
        if (reward === undefined) continue;
        expect(lacks).toEqual([]);
        expect(total).toBe(totalReward(scoreRollout(rollout as Rollout, reward)));
      }
  });

  test('every reward of the trainer that any record can be scored by is there', () => {
    expect(SCORERS.map(({ id }) => id)).toEqual(expect.arrayContaining(OF_ANY_RECORD));
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
    expect(scored!.total).toBeNull();
    expect(scored!.clauses.map(({ clause, value }) => [clause, value])).toEqual([
      ['answer-format', 0.2],
      ['evidence-format', 0.2],
      ['answer', 1],
    ]);
    expect(scored!.lacks).toEqual([expect.stringMatching(/frozen model/)]);
  });

  test('StepSearch: gain of a supporting title, then nothing but what was known', async () => {
    const result = '<information>Doc 1(Title: Low Tide) By Ida Holm.\n</information>';
    const rollout = await verlWith(
      `<think>a</think><search>q1</search>${result}<think>b</think><search>q2</search>${result}` +
        '<think>c</think><answer>Ida Holm</answer>',
    );
    rollout.question.supporting = ['Low Tide', 'Ida Holm'];
    const [scored] = rescore(rollout, [scorerById('step-search')!]);
    expect(scored!.clauses.map(({ clause, value }) => [clause, value + 0])).toEqual([
      ['answer', 1],
      ['gain', 0.6 * 0.5],
      ['redundancy', 0],
      ['gain', 0],
      ['redundancy', -0.6],
    ]);
    expect(scored!.total).toBeNull();
    expect(scored!.lacks).toEqual(['keys: the file has no gold sub-questions']);
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

describe('a total, between the worst and the best of its scorer', () => {
  const share = (rollout: ImportedRollout, scorer: string): number | null | undefined =>
    rescore(rollout, [scorerById(scorer)!])[0]?.share;

  test('R-Search: of 2.4; R1-Searcher’s second stage: from −2 to 1', async () => {
    const rollout = await importOne(verl);
    // 0.2 for the answer and F1, no evidence.
    expect(share(rollout, 'r-search')).toBeCloseTo(1.2 / 2.4, 12);
    const broken = await verlWith('<think>Hm.<answer> nobody </answer>');
    expect(share(broken, 'r1-searcher-stage-2')).toBe(0);
    const right = await verlWith('<think>Hm.<answer> Ida Holm </answer>');
    expect(share(right, 'r1-searcher-stage-2')).toBeCloseTo(1 / 3, 12);
    // Two violations where −1 is the worst that is said.
    expect(share(broken, 'ur2-stage-1')).toBe(0);
  });

  test('the answer under both normalisers', async () => {
    // SQuAD's joins what a hyphen parts, R1-Searcher's parts it.
    const rollout = await verlWith('<think>x</think><answer>the Ida-Holm novel</answer>');
    expect(totals(rollout)).toMatchObject({
      'cover-em': 0,
      'sub-em': 0,
      'em.r1-searcher': 0,
      'f1.r1-searcher': 0.8,
      'cover-em.r1-searcher': 1,
      'sub-em.r1-searcher': 1,
    });
    const right = await verlWith('<think>x</think><answer>by Ida Holm</answer>');
    expect(totals(right)).toMatchObject({ 'cover-em': 1, 'sub-em': 1, em: 0 });
  });

  test('a search that reads nothing gains and repeats nothing; half of what it reads was known', async () => {
    const doc = (...titles: string[]): string =>
      `<information>${titles.map((t, i) => `Doc ${i + 1}(Title: ${t}) ${t} text.`).join('\n')}\n</information>`;
    const rollout = await verlWith(
      `<think>a</think><search>q0</search><think>a</think><search>q1</search>${doc('Low Tide')}` +
        `<think>b</think><search>q2</search>${doc('Low Tide', 'Ida Holm')}<answer>x</answer>`,
    );
    const clauses = (supporting: string[]) => {
      rollout.question.supporting = supporting;
      const [scored] = rescore(rollout, [scorerById('step-search')!]);
      return scored!.clauses.slice(1).map(({ clause, value }) => `${clause} ${value / 0.6 + 0}`);
    };
    // The query that was not answered is a search as well.
    expect(clauses(['Low Tide', 'Ida Holm', 'Other', 'Ida Holm'])).toEqual([
      'gain 0',
      'redundancy 0',
      `gain ${1 / 3}`,
      'redundancy 0',
      `gain ${1 / 3}`,
      'redundancy -0.5',
    ]);
    expect(clauses([])).toEqual(['redundancy 0', 'redundancy 0', 'redundancy -0.5']);
    expect(rescore(rollout, [scorerById('step-search')!])[0]?.lacks).toHaveLength(2);
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

  test('of half a point and more by default; scorers and threshold can be given', async () => {
    const one = await importOne({ ...verl, output: '<answer>Ida Berg</answer>' });
    const other = await importOne({ ...verl, output: '<answer>Ida Berg Sand Lund</answer>' });
    // Gold "Ida Holm": EM 0, F1 2 · ½ · ½ / 1 = ½ and 2 · ¼ · ½ / ¾ = ⅓.
    one.id = 'half';
    other.id = 'third';
    const listed = (...given: ConstructorParameters<typeof DisagreementQueue>): string[] => {
      const queue = new DisagreementQueue(...given);
      for (const rollout of [other, one]) queue.add(rollout);
      return queue.result().map(({ rollout, spread }) => `${rollout} ${spread.toFixed(2)}`);
    };
    expect(listed()).toEqual(['half 0.50']);
    expect(listed(undefined, 0.3)).toEqual(['half 0.50', 'third 0.33']);
    expect(listed(undefined, 0.51)).toEqual([]);
    // Opinions that are the same are no disagreement, whatever the threshold.
    expect(listed(['em', 'cover-em'], 0)).toEqual([]);
    expect(listed(['f1', 'em'], 0)).toHaveLength(2);
  });

  test('tells who says what of which answer, and needs gold answers or a verdict', async () => {
    const rollout = await importOne({ ...r1Searcher, gpt4o_output: 'False' });
    const queue = new DisagreementQueue(['em']);
    queue.add(rollout);
    const { id, question, answer } = rollout;
    expect(queue.result()).toEqual([
      {
        rollout: id,
        question: question.text,
        answer,
        gold: question.answers,
        spread: 1,
        kindest: { by: 'em', share: 1 },
        harshest: { by: 'judge', share: 0 },
        opinions: [
          { by: 'em', share: 1 },
          { by: 'judge', share: 0 },
        ],
      },
    ]);
    const silent = new DisagreementQueue();
    const none = await importOne(verl);
    none.question.answers = [];
    silent.add(none);
    expect(silent.result()).toEqual([]);
  });

  test('an unknown scorer is an error', () => {
    expect(() => new DisagreementQueue(['magic'])).toThrow(/no scorer "magic"/);
  });
});
