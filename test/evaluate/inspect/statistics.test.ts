import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  inspectFile,
  outcomeOf,
  statisticsOf,
  taxonomyOf,
  type RolloutFacts,
} from '../../../src/evaluate/inspect/index.ts';
import { OWN_FILE } from '../../data/rollouts/helpers.ts';

/** Printed by test/fixtures/inspect/r1_searcher_counts.py, which shares no code with the inspector. */
const RECORDED = JSON.parse(
  readFileSync(new URL('../../fixtures/inspect/r1-searcher-counts.json', import.meta.url), 'utf8'),
) as Record<string, Record<string, number>>;

const FOLDER = new URL('../../../../shared/data/r1-searcher/', import.meta.url);

for (const [file, expected] of Object.entries(RECORDED)) {
  const path = fileURLToPath(new URL(file, FOLDER));
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/r1-searcher/${file}`);
  test.skipIf(missing)(`${file}: the same counts as the Python script`, async () => {
    const { statistics: s, faults, layouts } = await inspectFile(await openAsBlob(path), file);
    const judge = s.judge!;
    const { wrongThoughRetrieved: wrong, rightWithoutRetrieved: right } = s.evidence;
    const { f1Sum, ...counts } = expected;
    expect(faults).toEqual([]);
    expect(layouts).toEqual({ 'r1-searcher': s.rollouts });
    expect({
      rollouts: s.rollouts,
      em: s.em.count,
      subEm: s.subEm.count,
      coverEm: s.coverEm.count,
      judgeRight: judge.right.count,
      judgeAgreesEm: judge.agreement.em.count,
      judgeAgreesSubEm: judge.agreement.subEm.count,
      judgeAgreesCoverEm: judge.agreement.coverEm.count,
      searches: Math.round(s.searches.mean! * s.rollouts),
      open: s.evidence.open,
      closed: s.evidence.closed,
      retrieved: s.evidence.retrieved.count,
      'wrongThoughRetrieved.em': wrong.em,
      'wrongThoughRetrieved.coverEm': wrong.coverEm,
      'wrongThoughRetrieved.judge': wrong.judge,
      'rightWithoutRetrieved.em': right.em,
      'rightWithoutRetrieved.coverEm': right.coverEm,
      'rightWithoutRetrieved.judge': right.judge,
    }).toEqual(counts);
    expect(s.f1.mean! * s.rollouts).toBeCloseTo(f1Sum!, 9);
  });
}

const fact = (id: string, part: Partial<RolloutFacts> = {}): RolloutFacts => ({
  id,
  questionId: id,
  groupId: 'g',
  step: null,
  scores: { em: 0, subEm: 0, coverEm: 0, f1: 0 },
  answered: true,
  judge: null,
  closed: false,
  retrieved: false,
  searches: 1,
  reward: null,
  advantage: null,
  ...part,
});

const RIGHT = { em: 1, subEm: 1, coverEm: 1, f1: 1 };

describe('counts by hand', () => {
  test('agreement and kappa of a judge: two of three right by both, 1/3 agreed by chance', () => {
    const { judge } = statisticsOf([
      fact('a', { scores: RIGHT, judge: true }),
      fact('b', { judge: false }),
      fact('c', { judge: true }),
      fact('d', { scores: RIGHT, judge: false }),
      fact('e', { judge: true }),
      fact('f', { scores: RIGHT }),
    ]);
    // Judge right 3 of 5, EM 2 of 5: by chance 0.6·0.4 + 0.4·0.6 = 0.48; agreed 0.4.
    expect(judge).toMatchObject({ verdicts: 5, right: { count: 3, share: 0.6 } });
    expect(judge!.agreement.em).toMatchObject({ count: 2, judgeOnly: 2, scoreOnly: 1 });
    expect(judge!.agreement.em.kappa).toBeCloseTo((0.4 - 0.48) / 0.52, 12);
  });

  test('yes/no questions and rollouts without golds are left out of what rests on retrieval', () => {
    const { evidence, scored } = statisticsOf([
      fact('a', { scores: RIGHT, closed: true }),
      fact('b', { scores: RIGHT }),
      fact('c', { retrieved: true }),
      fact('d', { scores: null, retrieved: true }),
    ]);
    expect(scored).toBe(3);
    expect(evidence).toMatchObject({
      open: 2,
      closed: 1,
      retrieved: { count: 1, share: 0.5 },
      wrongThoughRetrieved: { em: 1, coverEm: 1, judge: null },
      rightWithoutRetrieved: { em: 1, coverEm: 1, judge: null },
    });
  });

  test('groups of equal rewards; a group of one teaches nothing about variance', () => {
    const s = statisticsOf([
      fact('a', { groupId: '1', reward: 1 }),
      fact('b', { groupId: '1', reward: 1 }),
      fact('c', { groupId: '2', reward: 1 }),
      fact('d', { groupId: '3', reward: 0 }),
      fact('e', { groupId: '3', reward: 1 }),
    ]);
    expect(s).toMatchObject({ groups: 3, zeroVarianceGroups: 1, reward: { n: 5, mean: 0.8 } });
  });

  test('nothing at all', () => {
    const s = statisticsOf([]);
    expect(s.em).toEqual({ count: 0, share: null });
    expect(s.judge).toBeNull();
  });
});

describe('taxonomy', () => {
  test.each([
    ['right-with-evidence', { scores: RIGHT, retrieved: true }],
    ['right-without-evidence', { scores: RIGHT }],
    ['right-without-evidence', { judge: true }],
    ['right-closed', { scores: RIGHT, closed: true }],
    ['wrong-closed', { closed: true }],
    ['no-answer', { answered: false, retrieved: true }],
    ['no-search', { searches: 0 }],
    ['not-retrieved', {}],
    ['retrieved-not-used', { retrieved: true, scores: RIGHT, judge: false }],
    [null, { scores: null }],
  ])('%s', (outcome, part) => expect(outcomeOf(fact('a', part))).toBe(outcome));

  test('names its cases, each once', () => {
    const finding = { code: 'over-search' as const, rollout: 'a', message: '', where: [] };
    expect(taxonomyOf([fact('a'), fact('b')], [finding, finding])).toEqual({
      outcomes: { 'not-retrieved': ['a', 'b'] },
      findings: { 'over-search': ['a'] },
    });
  });
});

test('a file of ours: its own metrics again', async () => {
  const text = readFileSync(OWN_FILE, 'utf8');
  const metrics = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { metrics: { em: number; searches: number } }).metrics);
  const { statistics } = await inspectFile(await openAsBlob(fileURLToPath(OWN_FILE)), 'own');
  expect(statistics.em.count).toBe(metrics.reduce((sum, { em }) => sum + em, 0));
  expect(statistics.searches.mean! * 10).toBeCloseTo(
    metrics.reduce((sum, { searches }) => sum + searches, 0),
    9,
  );
});
