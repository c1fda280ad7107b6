import { describe, expect, test } from 'vitest';
import { contrastOf } from '../../../src/evaluate/study/contrast.ts';
import { signatureSchema } from '../../../src/evaluate/study/file/signatures.ts';
import { decodeScore, encodeScore, type Row } from '../../../src/evaluate/study/rows.ts';
import type { ArmScores, ScoredCell } from '../../../src/evaluate/study/scores.ts';
import { comparedWords, outcomeOf, verdictsOf } from '../../../src/evaluate/study/verdicts.ts';
import {
  encodeVerdicts,
  verdictsSchema,
  withStudy,
  type Verdict,
} from '../../../src/evaluate/study/signatures/verdict.ts';
import { verdictWords } from '../../../src/evaluate/study/signatures/words.ts';
import { row } from './study-file.ts';

const HOPS = [1, 1, 2, 2];

/** Four questions, two of one hop and two of two. */
const cell = (values: number[], change: Partial<ScoredCell> = {}): ScoredCell => ({
  seed: null,
  trainWorld: null,
  world: 'w1',
  rows: values.map((em, i) => row(`q${i}`, { em, hops: HOPS[i] ?? null })),
  ...change,
});
const arm = (name: string, ...end: ScoredCell[]): ArmScores => ({
  name,
  trained: end.some(({ seed }) => seed !== null),
  before: 'step 0',
  start: [cell([0, 0, 0, 0])],
  end,
});
const OPTIONS = { worlds: ['w1'], trainWorlds: 1, interval: { resamples: 400 } };
const claim = (change: Record<string, unknown>) =>
  signatureSchema.parse({
    recipe: 'ircot',
    claim: 'It helps',
    number: 'em',
    arm: 'a',
    expect: 'higher',
    ...change,
  });
const meanOf = (change: Record<string, unknown>, ...arms: ArmScores[]) => {
  const found = contrastOf(claim(change), arms, OPTIONS);
  return found && [found.difference.mean, found.n];
};

describe('the difference that a claim is about', () => {
  const a = arm('a', cell([1, 0, 1, 1]));
  const b = arm('b', cell([1, 1, 0, 0]));
  const c = arm('c', cell([0, 0, 0, 1]));

  test('is the mean over the questions of the slice', () => {
    // 0, −1, 1, 1
    expect(meanOf({ against: 'b' }, a, b)).toEqual([0.25, 4]);
    expect(meanOf({ against: 'b', slice: { hops: [1] } }, a, b)).toEqual([-0.5, 2]);
    expect(meanOf({ against: 'b', slice: { hops: [3] } }, a, b)).toBeNull();
    expect(meanOf({ than: 0.5 }, a)).toEqual([0.25, 4]);
    expect(meanOf({ fromStart: true }, a)).toEqual([0.75, 4]);
  });

  test('less the same on other questions, each slice by itself', () => {
    // 1 on two hops, −0.5 on one.
    const unlike = { slice: { hops: [2] }, unlike: { hops: [1] } };
    expect(meanOf({ against: 'b', ...unlike }, a, b)).toEqual([1.5, 4]);
    // Without another arm: 1 on two hops, 0.5 on one.
    expect(meanOf(unlike, a)).toEqual([0.5, 4]);
    const same = { slice: { hops: [2] }, unlike: { hops: [1, 2] } };
    expect(() => meanOf({ against: 'b', ...same }, a, b)).toThrow(/q2 of w1 is in slice and in/);
  });

  test('less the same difference between two other arms', () => {
    // a − b is 0.25; c − b is −1, −1, 0, 1: −0.25.
    const beyond = { against: 'b', beyond: { arm: 'c', against: 'b' } };
    expect(meanOf(beyond, a, b, c)).toEqual([0.5, 4]);
  });

  test('on questions that an arm answered', () => {
    // c answered the last one alone.
    expect(
      meanOf({ against: 'b', slice: { where: { arm: 'c', number: 'em', from: 1 } } }, a, b, c),
    ).toEqual([1, 1]);
    expect(
      meanOf({ against: 'b', slice: { where: { arm: 'c', number: 'em', to: 0 } } }, a, b, c),
    ).toEqual([0, 3]);
  });

  test('pairs seeds, and an arm without seeds with every one', () => {
    const trained = arm('a', cell([1, 1, 1, 1], { seed: 1 }), cell([0, 0, 0, 0], { seed: 2 }));
    const other = arm('b', cell([0, 0, 0, 0], { seed: 2 }));
    expect(contrastOf(claim({ against: 'b' }), [trained, other], OPTIONS)).toMatchObject({
      seeds: [2],
      difference: { mean: 0 },
    });
    expect(contrastOf(claim({ against: 'b' }), [trained, b], OPTIONS)).toMatchObject({
      seeds: [1, 2],
      difference: { mean: 0 },
    });
    // An arm that has no score yet is not measured.
    expect(contrastOf(claim({ against: 'b' }), [trained, arm('b')], OPTIONS)).toBeNull();
  });

  test('leaves out questions without a value, and resamples what is left', () => {
    const asked = (values: (number | undefined)[]) => ({
      ...cell([0, 0, 0, 0]),
      rows: values.map((value, i) =>
        row(`q${i}`, { measures: value === undefined ? {} : { seen: value } }),
      ),
    });
    const found = contrastOf(
      claim({ number: 'seen', against: 'b' }),
      [arm('a', asked([0.5, undefined, 0.5, 0.5])), arm('b', asked([0.25, 1, 0.25, undefined]))],
      OPTIONS,
    );
    // Both that are left differ alike, so no resample differs.
    expect(found).toMatchObject({ n: 2, difference: { mean: 0.25, low: null, high: null } });
  });

  test('where all questions differ alike, has an interval if answers are right or wrong', () => {
    const same = arm('b', ...a.end);
    const ends = (change: Record<string, unknown>, ...arms: ArmScores[]) => {
      const { low = NaN, high = NaN } = contrastOf(claim(change), arms, OPTIONS)?.difference ?? {};
      return [low, high].map((end) => end && Number(end.toFixed(5)));
    };
    // ± 1.96 √((1/6 + 1/6)/6); of two questions ± 1.96 √((1/4 + 1/4)/4).
    expect(ends({ against: 'b' }, a, same)).toEqual([-0.46198, 0.46198]);
    expect(ends({ against: 'b', slice: { hops: [2] } }, a, same)).toEqual([-0.69296, 0.69296]);
    // Wilson's of two right ones, less a half: 2/(2 + 1.96²) − 0.5.
    expect(ends({ than: 0.5, slice: { hops: [2] } }, a)).toEqual([-0.15763, 0.5]);
    // Of four answers, of other numbers and between other questions there is none.
    const none = [null, null];
    expect(ends({ against: 'b', beyond: { arm: 'a', against: 'b' } }, a, same)).toEqual(none);
    expect(ends({ against: 'b', number: 'searches' }, a, same)).toEqual(none);
    expect(ends({ against: 'b', slice: { hops: [2] }, unlike: { hops: [1] } }, a, same)).toEqual(
      none,
    );
  });
});

describe('a claim is', () => {
  test.each<[string, number, number, number, string]>([
    ['higher', 0, 0.01, 0.2, 'shown'],
    ['higher', 0, -0.1, 0.2, 'not shown'],
    ['higher', 0, 0, 0, 'not shown'],
    ['higher', 0, -0.2, -0.1, 'contradicted'],
    ['higher', 0.05, 0.01, 0.04, 'contradicted'],
    ['lower', 0, -0.2, -0.1, 'shown'],
    ['lower', 0, 0.1, 0.2, 'contradicted'],
    ['not-lower', 0.02, -0.01, 0.2, 'shown'],
    ['not-lower', 0.02, -0.03, 0.2, 'not shown'],
    ['not-lower', 0.02, -0.2, -0.03, 'contradicted'],
    ['not-higher', 0.02, -0.2, 0.01, 'shown'],
    ['not-higher', 0.02, 0.03, 0.2, 'contradicted'],
    ['equal', 0.05, -0.04, 0.04, 'shown'],
    ['equal', 0.05, -0.06, 0.04, 'not shown'],
    ['equal', 0.05, 0.06, 0.2, 'contradicted'],
  ])('%s by %d, with [%d, %d]: %s', (expect_, margin, low, high, outcome) => {
    const { expect: wanted } = claim({ expect: expect_, margin, than: 0 });
    expect(outcomeOf({ expect: wanted, margin }, { mean: (low + high) / 2, low, high })).toBe(
      outcome,
    );
  });

  test('without an interval not shown, and no less said', () => {
    const none = { mean: 0, low: null, high: null };
    for (const wanted of ['higher', 'equal', 'not-lower'] as const)
      expect(outcomeOf({ expect: wanted, margin: 0.1 }, none)).toBe('not shown');
    const [verdict] = verdictsOf(
      [claim({ against: 'b', number: 'searches' })],
      [arm('a', cell([1, 0, 1, 1])), arm('b', cell([1, 0, 1, 1]))],
      { ...OPTIONS, study: 's' },
    );
    if (!verdict) throw new Error('no verdict');
    expect(verdictWords(verdict)).toBe(
      'inconclusive: searches 0.00 [no interval], 4 questions, 1 world, study s',
    );
    const file = { format: 'forage.signatures/1', policy: null, verdicts: [verdict] } as const;
    const text = encodeVerdicts({ ...file, verdicts: [verdict] });
    expect(verdictsSchema.parse(JSON.parse(text))).toEqual(file);
  });

  test('as text, with what it was compared with', () => {
    const signature = claim({
      against: 'b',
      expect: 'not-lower',
      margin: 0.02,
      slice: { types: ['bridge'], hops: [2] },
    });
    expect(comparedWords(signature)).toBe(
      'a less b; on bridge, 2 hops; expected not lower (margin 2.0)',
    );
    const arms = [arm('a', cell([1, 0, 1, 1])), arm('b', cell([1, 1, 1, 1]))];
    const [plain, missing] = verdictsOf(
      [claim({ against: 'b', expect: 'lower' }), claim({ against: 'c' })],
      arms,
      { ...OPTIONS, study: 's' },
    );
    if (!plain || !missing) throw new Error('no verdicts');
    expect(plain).toMatchObject({ study: 's', n: 4, worlds: ['w1'], seeds: [], level: 0.95 });
    // One of four differs; some resamples have none of it.
    expect(verdictWords(plain)).toMatch(
      /^inconclusive: EM −25\.0 \[−(75|50)\.0, 0\.0\], 4 questions, 1 world, study s$/,
    );
    expect(verdictWords(missing)).toBe('not measured: study s');
  });
});

test('a file of verdicts has those of each study once, of one policy, and is read back', () => {
  const verdict = (recipe: string, study: string): Verdict => ({
    recipe,
    claim: 'c',
    study,
    outcome: 'shown',
    title: 'EM',
    unit: 'percent',
    compared: 'a less b',
    difference: { mean: 0.1, low: 0.05, high: 0.2 },
    level: 0.95,
    n: 4,
    seeds: [1],
    worlds: ['w1'],
  });
  const policy = { id: 'p', revision: '1' };
  const empty = { format: 'forage.signatures/1', policy: null, verdicts: [] } as const;
  const first = withStudy(empty, 's', { policy, verdicts: [verdict('b', 's'), verdict('a', 's')] });
  const second = withStudy(first, 't', { policy, verdicts: [verdict('b', 't')] });
  const again = withStudy(second, 's', { policy, verdicts: [verdict('b', 's')] });
  expect(again.verdicts.map(({ recipe, study }) => recipe + study)).toEqual(['bs', 'bt']);
  const other = { policy: { id: 'p', revision: '2' }, verdicts: [verdict('c', 's')] };
  expect(withStudy(again, 's', other).verdicts.map(({ recipe }) => recipe)).toEqual(['c']);
  expect(verdictsSchema.parse(JSON.parse(encodeVerdicts(again)))).toEqual(again);
});

describe('a score as a file', () => {
  const score = (rows: Row[]) => ({ key: 'k', made: {}, seconds: 1, rows });

  test('keeps the measures that some row has', () => {
    const rows = [row('a', { measures: { seen: 0.5 } }), row('b', { source: 'web' })];
    const text = encodeScore(score(rows));
    expect(decodeScore(text)).toEqual(score(rows));
    const { columns } = JSON.parse(text) as { columns: string[] };
    expect(columns.slice(-2)).toEqual(['source', 'seen']);
  });

  test('that was made before there were any is read', () => {
    const old = `{"format":"forage.study-score/1","key":"k","made":{},"seconds":1,"columns":["id","hops","type","heldOut","em","f1","recall","format","searches","webCalls","tokens","reward","latencyMs","routerReward"],"rows":[
["a",1,"bridge",0,0,0,null,1,2,1,10,null,null,null]
]}`;
    expect(decodeScore(old)).toEqual(score([row('a')]));
  });
});
