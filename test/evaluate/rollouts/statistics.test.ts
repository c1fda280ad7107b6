import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inspectFile } from './inspect-file.ts';
import {
  basisOf,
  basisWords,
  outcomeOf,
  taxonomyOf,
} from '../../../src/evaluate/rollouts/taxonomy.ts';
import { statisticsOf } from '../../../src/evaluate/rollouts/statistics.ts';
import type { RolloutFacts } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { OWN_FILE } from '../../formats/rollouts/helpers.ts';

/** Printed by test/fixtures/inspect/reference_scores.py, which runs the published scoring functions. */
const { files: RECORDED } = JSON.parse(
  readFileSync(new URL('../../fixtures/inspect/reference-scores.json', import.meta.url), 'utf8'),
) as { files: Record<string, Record<string, number>> };

const SHARED = fileURLToPath(new URL('../../../../shared/data/r1-searcher/', import.meta.url));
/** Where R1-Searcher's own folder of results is available, all five files are read. */
const FOLDER = process.env['R1_SEARCHER_RESULTS'] ?? SHARED;

for (const [file, expected] of Object.entries(RECORDED)) {
  const path = join(FOLDER, file);
  const missing = !existsSync(path);
  if (missing) console.warn(`skipped: needs ../shared/data/r1-searcher/${file}`);
  test.skipIf(missing)(`${file}: the same counts as the published functions`, async () => {
    const { statistics: s, faults, layouts } = await inspectFile(await openAsBlob(path), file);
    const judge = s.judge!;
    const theirs = s.byR1Searcher!;
    const { wrongThoughRetrieved: wrong, rightWithoutEvidence: right } = s.evidence;
    const { 'squad.f1Sum': f1Sum, 'r1-searcher.f1Sum': theirF1Sum, ...counts } = expected;
    expect(faults).toEqual([]);
    expect(layouts).toEqual({ 'r1-searcher': s.rollouts });
    expect({
      rollouts: s.rollouts,
      'squad.em': s.em.count,
      'squad.subEm': s.subEm.count,
      'squad.coverEm': s.coverEm.count,
      'r1-searcher.em': theirs.em.count,
      'r1-searcher.subEm': theirs.subEm.count,
      'r1-searcher.coverEm': theirs.coverEm.count,
      judgeRight: judge.right.count,
      'judgeAgrees.em': judge.agreement.em.count,
      'judgeAgrees.subEm': judge.agreement.subEm.count,
      'judgeAgrees.coverEm': judge.agreement.coverEm.count,
      searches: Math.round(s.searches.mean! * s.rollouts),
      open: s.evidence.open,
      closed: s.evidence.closed,
      retrieved: s.evidence.retrieved.count,
      'wrongThoughRetrieved.em': wrong.em,
      'wrongThoughRetrieved.coverEm': wrong.coverEm,
      'wrongThoughRetrieved.judge': wrong.judge,
      'rightWithoutEvidence.em': right.em,
      'rightWithoutEvidence.coverEm': right.coverEm,
      'rightWithoutEvidence.judge': right.judge,
    }).toEqual(counts);
    expect(s.f1.mean! * s.rollouts).toBeCloseTo(f1Sum!, 9);
    expect(theirs.f1.mean! * s.rollouts).toBeCloseTo(theirF1Sum!, 9);
  });
}

const fact = (id: string, part: Partial<RolloutFacts> = {}): RolloutFacts => ({
  id,
  questionId: id,
  groupId: 'g',
  step: null,
  golds: true,
  scores: { em: 0, subEm: 0, coverEm: 0, f1: 0 },
  byR1Searcher: null,
  answered: true,
  judge: null,
  closed: false,
  retrieved: false,
  searches: 1,
  shown: true,
  evidence: (part.retrieved ?? false) || (part.closed ?? false),
  reward: null,
  advantage: null,
  ...part,
});

const RIGHT = { em: 1, subEm: 1, coverEm: 1, f1: 1 };

test('the fixture, which the tests above compare with: its sums are those of the five published files', () => {
  const sum = (key: string): number =>
    Object.values(RECORDED).reduce((total, counts) => total + counts[key]!, 0);
  expect(sum('rollouts')).toBe(1750);
  expect([sum('r1-searcher.coverEm'), sum('r1-searcher.em')]).toEqual([1098, 971]);
  expect([sum('squad.coverEm'), sum('squad.em')]).toEqual([1086, 968]);
});

test('a file in their layout is counted by both normalisers', async () => {
  const row = (prediction: string, gold: string): string =>
    JSON.stringify({
      question: `who is ${gold}?`,
      answer: gold,
      pred_ans: prediction,
      stop_reason_final: 'finished',
      gen_text_store: `I know. </think>\n<answer> ${prediction} </answer>`,
      gpt4o_output: 'True',
    });
  const file = new Blob(
    [
      row('Jean-Paul Sartre', 'Jean Paul Sartre'),
      row('JeanPaul Sartre', 'Jean-Paul Sartre'),
      row('in the rock-and-roll band', 'rock roll'),
      row('Kevin', 'Kevin'),
    ].map((line) => `${line}\n`),
  );
  const { statistics: s } = await inspectFile(file, 'small.jsonl');
  // SQuAD's deletes the hyphen: "jeanpaul sartre". R1-Searcher's puts a space: "jean paul sartre".
  expect([s.em.count, s.coverEm.count]).toEqual([2, 2]);
  expect([s.byR1Searcher?.em.count, s.byR1Searcher?.coverEm.count]).toEqual([2, 3]);
});

test('a file in their layout: judge, searches and what was retrieved, counted by hand', async () => {
  const round = (query: string, read: string): string =>
    `<|begin_of_query|> ${query}<|end_of_query|>\n` +
    `<|begin_of_documents|>\n(1)Title: X Text: ${read}\n<|end_of_documents|>\n`;
  const row = (gold: string, given: string, verdict: string, rounds: string[]): string =>
    JSON.stringify({
      question: `Which is ${gold}, ${given}, ${verdict}?`,
      answer: gold,
      pred_ans: ` ${given} `,
      stop_reason_final: 'finished',
      gen_text_store: ` So. ${rounds.join('')} Done.</think>\n<answer> ${given} </answer>`,
      gpt4o_output: verdict,
    });
  const lines = [
    // Right, with evidence, and without.
    row('Oslo', 'Oslo', 'True', [round('a', 'Born in Oslo.')]),
    row('Oslo', 'Oslo', 'True', []),
    // Read and not given: the judge says so, or thinks better of it.
    row('Ida Holm', 'Ada', 'False', [round('a', 'x'), round('b', 'By Ida Holm.')]),
    row('Ida Holm', 'the novelist Holm', 'True', [round('a', 'By Ida Holm.')]),
    // Covered, though not equal; never read.
    row('Bergen', 'in Bergen', 'False', [round('a', 'x')]),
    // Yes and no: that the word was read says nothing.
    row('yes', 'yes', 'True', [round('a', 'yes it is')]),
    row('no', 'yes', 'False', []),
  ];
  const {
    statistics: s,
    layouts,
    faults,
  } = await inspectFile(new Blob(lines.map((line) => `${line}\n`)), 'small.jsonl');
  expect([layouts, faults]).toEqual([{ 'r1-searcher': 7 }, []]);
  expect(s).toMatchObject({
    rollouts: 7,
    scored: 7,
    em: { count: 3 },
    subEm: { count: 4 },
    coverEm: { count: 4 },
    searches: { mean: 6 / 7, max: 2, none: 2 },
    judge: {
      verdicts: 7,
      right: { count: 4 },
      agreement: {
        // The novelist; Bergen by words.
        em: { count: 6, judgeOnly: 1, scoreOnly: 0 },
        subEm: { count: 5, judgeOnly: 1, scoreOnly: 1 },
        coverEm: { count: 5, judgeOnly: 1, scoreOnly: 1 },
      },
    },
    evidence: {
      open: 5,
      closed: 2,
      retrieved: { count: 3, share: 3 / 5 },
      wrongThoughRetrieved: { em: 2, coverEm: 2, judge: 1 },
      rightWithoutEvidence: { em: 1, coverEm: 2, judge: 1 },
    },
  });
  // F1: 1, 1, 0, then "novelist holm" (no article) by "ida holm" ½, 2 · ½ · 1 / 1½, 1, 0.
  expect(s.f1.mean! * 7).toBeCloseTo(3 + 1 / 2 + 2 / 3, 9);
});

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
      fact('d', { golds: false, scores: null, retrieved: true }),
    ]);
    expect(scored).toBe(3);
    expect(evidence).toMatchObject({
      open: 2,
      closed: 1,
      retrieved: { count: 1, share: 0.5 },
      wrongThoughRetrieved: { em: 1, coverEm: 1, judge: null },
      rightWithoutEvidence: { em: 1, coverEm: 1, judge: null },
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

describe('what outcomes rest on', () => {
  const words = (facts: RolloutFacts[]): string | null => basisWords(statisticsOf(facts));
  const judged = fact('a', { judge: true });
  const unjudged = fact('b');

  test('is said by judge, by EM, or by both with their counts', () => {
    expect(words([judged])).toBe('by the judge');
    expect(words([unjudged])).toBe('by EM');
    expect(words([judged, unjudged, unjudged])).toBe('by the judge in 1, by EM in 2');
    expect(words([])).toBeNull();
    expect(words([fact('c', { golds: false, scores: null })])).toBeNull();
  });

  test('statistics of an earlier version count verdicts, and scores beside them', () => {
    const { outcomesBy: _, ...old } = statisticsOf([judged, unjudged, unjudged]);
    expect(basisWords(old)).toBe('by the judge in 1, by EM in 2');
    expect(basisWords({ ...old, judge: null })).toBe('by EM');
    expect(basisWords({ ...old, judge: null, scored: 0 })).toBeNull();
  });

  test('is nothing where nobody says right or wrong', () => {
    expect(basisOf(null, { judge: true })).toBeNull();
    expect(basisOf('not-scored', { judge: null })).toBeNull();
    expect(basisOf('no-answer', { judge: undefined })).toBe('em');
    expect(basisOf('no-answer', { judge: null })).toBe('em');
    expect(basisOf('no-answer', { judge: false })).toBe('judge');
  });
});

describe('taxonomy', () => {
  test.each([
    ['right-with-evidence', { scores: RIGHT, retrieved: true }],
    ['right-without-evidence', { scores: RIGHT }],
    ['right-without-evidence', { judge: true }],
    ['right-closed', { scores: RIGHT, closed: true }],
    ['right-without-evidence', { scores: RIGHT, closed: true, shown: false, evidence: false }],
    ['wrong-closed', { closed: true }],
    ['no-answer', { answered: false, retrieved: true }],
    ['outside-tags', { answered: false, outside: true as const, retrieved: true }],
    [
      'right-with-evidence',
      { answered: false, outside: true as const, retrieved: true, judge: true },
    ],
    ['no-search', { searches: 0, shown: false }],
    // What was shown without being asked for was not what is needed.
    ['not-retrieved', { searches: 0 }],
    ['not-retrieved', { shown: false }],
    ['not-retrieved', {}],
    ['retrieved-not-used', { retrieved: true, scores: RIGHT, judge: false }],
    ['not-scored', { scores: null, unread: true, answered: false }],
    [
      'right-with-evidence',
      { scores: null, unread: true, answered: false, retrieved: true, judge: true },
    ],
    ['not-retrieved', { scores: null, unread: true, answered: false, judge: false }],
    [null, { golds: false, scores: null }],
    [null, { golds: false, scores: null, unread: true, answered: false }],
    [null, { golds: false, scores: null, judge: true }],
  ])('%s', (outcome, part) => expect(outcomeOf(fact('a', part))).toBe(outcome));

  test('names its cases, each once', () => {
    const finding = { code: 'over-search' as const, rollout: 'a', message: '', where: [] };
    expect(taxonomyOf([fact('a'), fact('b')], [finding, finding])).toEqual({
      outcomes: { 'not-retrieved': ['a', 'b'] },
      findings: { 'over-search': ['a'] },
    });
    // Whatever comes between, and with others beside it.
    const other = { ...finding, rollout: 'b' };
    const copied = { ...finding, code: 'copied-query' as const };
    expect(taxonomyOf([fact('c', { golds: false })], [finding, other, finding, copied])).toEqual({
      outcomes: {},
      findings: { 'over-search': ['a', 'b'], 'copied-query': ['a'] },
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
