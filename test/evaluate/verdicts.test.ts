import { describe, expect, it } from 'vitest';
import { headlineOf } from '../../src/evaluate/held-out-scores.ts';
import { compareRuns } from '../../src/evaluate/rollouts/compare-runs.ts';
import { statisticsOf } from '../../src/evaluate/rollouts/statistics.ts';
import type { RolloutFacts } from '../../src/evaluate/rollouts/lint/facts.ts';
import type { EvaluationResult } from '../../src/evaluate/systems/result.ts';
import { systemsTables } from '../../src/evaluate/systems/table/table.ts';
import { filesVerdict, rolloutsVerdict } from '../../src/evaluate/rollouts/verdict.ts';
import { systemsVerdict } from '../../src/evaluate/systems/table/verdict.ts';
import {
  runsVerdict,
  trainingVerdict,
  type TrainingState,
} from '../../src/evaluate/training-verdict.ts';
import type { Verdict } from '../../src/evaluate/verdict.ts';
import type { HeldOutScore } from '../../src/records/training.ts';
import { question, rollout, system } from './systems/by-hand.ts';

const said = (verdict: Verdict | null): string =>
  verdict === null ? '' : `${verdict.kind}: ${verdict.sentence}. ${verdict.next}`;

const ems = (right: number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => Number(i < right));

describe('the verdict on an evaluation', () => {
  const TITLES: Record<string, string> = {
    search: 'Plain search',
    rag: 'Naive RAG',
    none: 'No retrieval',
  };
  /** EM of each question, by system. */
  const verdictOn = async (
    scores: Record<string, readonly number[]>,
    { running = false, planned = 0, reference = 'search' } = {},
  ): Promise<string> => {
    const ids = Object.keys(scores);
    const n = Math.max(...Object.values(scores).map((of) => of.length));
    const result: EvaluationResult = {
      name: 'x',
      hash: 'h',
      systems: ids.map((id) => system(id, { title: TITLES[id] })),
      questions: Array.from({ length: n }, (_, i) => question(`q${i}`, 'A', 2)),
      seeds: [1],
      rollouts: ids.flatMap((id) => (scores[id] ?? []).map((em, i) => rollout(id, `q${i}`, em))),
      planned,
      failed: [],
    };
    const [table] = await systemsTables(result, 'all', { reference });
    return table ? said(systemsVerdict(table, result, running)) : '';
  };

  it('win: the reference beats the next best, by points and p', async () => {
    expect(await verdictOn({ search: ems(19, 20), rag: ems(7, 20), none: ems(0, 20) })).toBe(
      'clear: Plain search beats Naive RAG by 60 points (EM 35 % → 95 %, 20 questions, p < 0.001). Open Hops to see where the others lose the chain, and Cost for the price.',
    );
  });

  it('loss: another system beats the reference', async () => {
    expect(await verdictOn({ search: ems(4, 20), rag: ems(16, 20) })).toMatch(
      /^clear: Naive RAG beats Plain search by 60 points \(EM 20 % → 80 %, 20 questions, p < 0\.001\)\./,
    );
  });

  it('inconclusive: says p, the interval, and how many questions would show it', async () => {
    const found = await verdictOn({ search: ems(11, 20), rag: ems(10, 20) });
    expect(found).toMatch(
      /^open: Inconclusive: Plain search is 5 points ahead of Naive RAG \(EM, p = 1\.00, 95 % interval .* points\)\. About [\d,]+ questions would show/,
    );
    expect(found).not.toContain('beats');
  });

  it('tie: equal', async () => {
    expect(await verdictOn({ search: ems(10, 20), rag: ems(10, 20) })).toBe(
      'open: Plain search and Naive RAG are equal: 50 % EM on 20 questions. Compare their cost below, or use harder questions.',
    );
  });

  it('too few questions: nothing can be significant with five', async () => {
    expect(await verdictOn({ search: ems(5, 5), rag: ems(0, 5) })).toBe(
      'open: Too few questions to tell: Plain search is 100 points ahead of Naive RAG, on 5 questions. Use at least 6 questions; with fewer, no difference can be significant.',
    );
    // Six of six is p = 2/64 = 0.031.
    expect(await verdictOn({ search: ems(6, 6), rag: ems(0, 6) })).toContain('p = 0.03');
  });

  it('still running: so far', async () => {
    expect(
      await verdictOn({ search: ems(8, 10), rag: ems(0, 10) }, { running: true, planned: 40 }),
    ).toMatch(
      /^open: So far \(20 of 40 rollouts\): Plain search beats Naive RAG by 80 points .* may change/,
    );
    expect(await verdictOn({ search: [], rag: [] }, { running: true, planned: 40 })).toMatch(
      /^open: No rollout has ended yet/,
    );
  });

  it('nothing right, one system, and nothing measured', async () => {
    expect(await verdictOn({ search: ems(0, 20), rag: ems(0, 20) })).toMatch(
      /^warning: No system answered a question correctly \(EM 0 % on 20 questions\)\. Use a larger/,
    );
    expect(await verdictOn({ search: ems(15, 20) })).toBe(
      'open: Plain search: EM 75 % on 20 questions. Add a second system on the same questions to compare it with.',
    );
    expect(await verdictOn({ search: [] })).toMatch(/^warning: Nothing was measured/);
  });
});

const score = (of: readonly number[], ids = 'q'): HeldOutScore => ({
  n: of.length,
  em: of.reduce((sum, em) => sum + em, 0) / of.length,
  f1: 0,
  recall: null,
  searches: 1,
  formatValid: 1,
  questions: of.map((em, i) => ({
    id: `${ids}${i}`,
    text: '',
    gold: '',
    answer: null,
    em,
    f1: em,
    searches: 1,
    recall: null,
    formatValid: true,
  })),
});

const headline = (before: readonly number[], after?: readonly number[]) =>
  headlineOf([
    {
      step: 1,
      heldOut: after ? score(after) : null,
      heldOutAtStart: score(before),
    },
  ]);

describe('the verdict on a training run', () => {
  const run = (part: Partial<TrainingState>): string =>
    said(
      trainingVerdict({
        status: 'finished',
        step: 10,
        steps: 10,
        headline: null,
        nothing: null,
        ...part,
      }),
    );
  const nothing = {
    headline: 'Nothing was learned: all 64 rewards were 0',
    advice: ['Add a cold start first.'],
  };

  it('learned: from and to, points and interval', () => {
    expect(run({ headline: headline(ems(18, 64), ems(48, 64)) })).toMatch(
      /^clear: The model learned: EM 28 % → 75 %, up 46\.9 points \(64 held-out questions, 95 % interval [\d.]+ to [\d.]+ points\)\. Ask with/,
    );
  });

  it('worse', () => {
    expect(run({ headline: headline(ems(48, 64), ems(18, 64)) })).toMatch(
      /^warning: Training made it worse: EM 75 % → 28 %, down 46\.9 points/,
    );
  });

  it('no clear change', () => {
    expect(run({ headline: headline(ems(18, 64), ems(20, 64)) })).toMatch(
      /^open: No clear change: EM 28 % → 31 % \(64 held-out questions, 95 % interval −/,
    );
  });

  it('nothing learned, ended and running', () => {
    expect(run({ nothing })).toBe(
      'warning: Nothing was learned: all 64 rewards were 0. Add a cold start first.',
    );
    expect(run({ nothing, status: 'running', step: 2 })).toBe(
      'warning: Nothing learned so far: no step of 2 steps had a gradient. Add a cold start first.',
    );
  });

  it('running: so far; before its first score, nothing', () => {
    expect(
      run({ status: 'running', step: 1, headline: headline(ems(18, 64), ems(48, 64)) }),
    ).toMatch(/^open: So far, after step 1 of 10: The model learned/);
    expect(run({ status: 'running', step: 0 })).toBe('');
    expect(run({ status: 'running', step: 1, headline: headline(ems(18, 64)) })).toBe(
      'open: Before training: EM 28 % on 64 held-out questions. The next score shows what was learned.',
    );
  });

  it('not scored, and scored once', () => {
    expect(run({})).toMatch(/^open: 10 steps trained, but not scored on held-out questions/);
    expect(run({ headline: headline(ems(16, 64)) })).toMatch(/There is one score only/);
  });
});

describe('the verdict on runs side by side', () => {
  const of = (name: string, em: readonly number[] | null, ids = 'q') => ({
    name,
    headline: em
      ? headlineOf([
          { step: 5, heldOut: score(em, ids), heldOutAtStart: null } as unknown as Parameters<
            typeof headlineOf
          >[0][number],
        ])
      : null,
  });

  it('win, tie, inconclusive, other questions, no score, one run', () => {
    expect(said(runsVerdict([of('A', ems(20, 64)), of('B', ems(50, 64))]))).toMatch(
      /^clear: B beats A by 46\.9 points \(EM 31 % → 78 %, 64 held-out questions, 95 % interval /,
    );
    expect(said(runsVerdict([of('A', ems(20, 64)), of('B', ems(20, 64))]))).toMatch(
      /^open: A and B are equal: EM 31 %/,
    );
    expect(said(runsVerdict([of('A', ems(20, 64)), of('B', ems(21, 64))]))).toMatch(
      /^open: Inconclusive: B is 1\.6 points ahead of A/,
    );
    expect(said(runsVerdict([of('A', ems(20, 64)), of('B', ems(50, 64), 'other')]))).toMatch(
      /^open: Not comparable question by question/,
    );
    expect(said(runsVerdict([of('A', null), of('B', ems(50, 64))]))).toMatch(
      /^open: Not comparable: only one run has/,
    );
    expect(runsVerdict([of('A', ems(20, 64))])).toBeNull();
  });
});

describe('the verdict on a file of rollouts', () => {
  const fact = (i: number, part: Partial<RolloutFacts> = {}): RolloutFacts => ({
    id: `r${i}`,
    questionId: `q${i}`,
    groupId: `g${i >> 1}`,
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
    evidence: part.retrieved ?? false,
    reward: null,
    advantage: null,
    ...part,
  });
  const right = { em: 1, subEm: 1, coverEm: 1, f1: 1 };
  const on = (facts: readonly RolloutFacts[], partial = false): string =>
    said(rolloutsVerdict(statisticsOf(facts), partial));
  const list = (part: (i: number) => Partial<RolloutFacts>) =>
    Array.from({ length: 10 }, (_, i) => fact(i, part(i)));

  it('reading or search fails most', () => {
    const reading = list((i) => ({ retrieved: true, ...(i < 4 && { scores: right }) }));
    expect(on(reading)).toBe(
      'open: 40 % of 10 scored rollouts are right by EM; reading fails most: 6 rollouts retrieved the answer and still got it wrong. Click “retrieved but wrong” to read them.',
    );
    expect(on(list((i) => (i < 2 ? { scores: right, retrieved: true } : {})))).toMatch(
      /20 % of 10 .*; search fails most: 8 rollouts never retrieved the answer/,
    );
  });

  it('all right, none scored, loading, empty, equal rewards', () => {
    expect(on(list(() => ({ scores: right, retrieved: true })))).toMatch(
      /^clear: 100 % of 10 scored rollouts are right by EM/,
    );
    expect(on(list(() => ({ scores: null, golds: false })))).toMatch(
      /^open: 10 rollouts without a score/,
    );
    expect(
      on(
        list(() => ({ retrieved: true })),
        true,
      ),
    ).toMatch(/^open: Loading, so far: 0 % of 10/);
    expect(on([])).toMatch(/^open: The file has no rollouts/);
    expect(on(list(() => ({ reward: 0 })))).toMatch(
      /^warning: Nothing to learn from: in each of 5 groups all rewards are equal/,
    );
  });

  const compared = (a: readonly number[], b: readonly number[]): string => {
    const facts = (of: readonly number[]) =>
      of.map((em, i) => fact(i, { scores: { em, subEm: em, coverEm: em, f1: em } }));
    return said(filesVerdict(compareRuns(facts(a), facts(b)), { a: 'old', b: 'new', score: 'EM' }));
  };

  it('beside another file: win, loss, tie, inconclusive, too few, nothing shared', () => {
    expect(compared(ems(4, 20), ems(16, 20))).toMatch(
      /^clear: new beats old by 60 points \(EM, 20 shared questions, 95 % interval/,
    );
    expect(compared(ems(16, 20), ems(4, 20))).toMatch(/^clear: old beats new by 60 points/);
    expect(compared(ems(4, 20), ems(4, 20))).toMatch(/^open: old and new are equal/);
    expect(compared(ems(4, 20), ems(5, 20))).toMatch(/^open: Inconclusive: new is 5 points ahead/);
    expect(compared([0, 0, 0], [1, 1, 1])).toMatch(/^open: Too few questions to tell/);
    expect(compared([], [1])).toBe('');
  });
});
