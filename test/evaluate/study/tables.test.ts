import { describe, expect, test } from 'vitest';
import type { ArmScores, ScoredCell } from '../../../src/evaluate/study/scores.ts';
import { studyTables, type TableOptions } from '../../../src/evaluate/study/table.ts';
import {
  csvOf,
  latexOf,
  latexText,
  markdownOf,
  type StudyText,
} from '../../../src/evaluate/study/text.ts';
import { row } from './study-file.ts';

/** EM of two questions, the second of a held-out composition, and searches of both. */
const cell = (
  seed: number | null,
  world: string,
  em: [number, number],
  searches: [number, number],
): ScoredCell => ({
  seed,
  trainWorld: seed === null ? null : 't',
  world,
  rows: [
    row('q1', { em: em[0], searches: searches[0] }),
    row('q2', { em: em[1], searches: searches[1], heldOut: 1 }),
  ],
});

const start = [cell(null, 'w1', [0, 0], [2, 4])];
const arms: ArmScores[] = [
  {
    name: 'plain',
    trained: true,
    before: 'step 0',
    start,
    end: [cell(1, 'w1', [1, 0], [2, 2]), cell(2, 'w1', [1, 0], [2, 2])],
  },
  {
    name: '− R&D_1 | "50 %"',
    trained: true,
    before: 'step 0',
    start,
    // Every pair of a question differs by the same, so that no resample differs: EM has (0 + 1)/4 up and down and
    // ± 1.96 √((2/4)/4), searches have no interval.
    end: [cell(1, 'w1', [1, 0], [1, 1]), cell(2, 'w1', [1, 0], [1, 1])],
  },
  { name: 'as it is', trained: false, before: 'step 0', start, end: start },
];

const options: TableOptions = {
  reference: 'plain',
  numbers: ['em', 'searches'],
  worlds: ['w1'],
  trainWorlds: 1,
  interval: { resamples: 200 },
};

const text: StudyText = {
  name: 'small',
  question: 'Does 100 % of it\nhelp {at all}?',
  caption: ['First.', 'Second: a_b.'],
  tables: studyTables(arms, options).slice(0, 1),
  numbers: options.numbers,
  reference: 'plain',
};

test('Markdown, byte for byte', () => {
  expect(markdownOf(text)).toBe(`# small

Does 100 % of it
help {at all}?

First.
Second: a_b.

## Arms, and their differences from plain

| arm | seeds | n | EM, % | searches |
| --- | --- | ---: | ---: | ---: |
| plain | 1, 2 | 2 | 50.0 | 2.00 |
| − R\\&D\\_1 \\| "50 %" | 1, 2 | 2 | 50.0 (0.0 [-69.3, 69.3]) | 1.00 (-1.00 [–]) |
| as it is | – | 2 | 0.0 (-50.0 [-100.0, 0.0]) | 3.00 (+1.00 [0.00, 2.00]) |
`);
});

test('CSV, byte for byte', () => {
  expect(csvOf(text)).toBe(
    `table,questions,arm,number,seeds,n,mean,compared_with,paired_seeds,difference,low,high
arms,all,plain,em,1 2,2,0.5,,,,,
arms,all,plain,searches,1 2,2,2,,,,,
arms,all,"− R&D_1 | ""50 %""",em,1 2,2,0.5,plain,1 2,0,-0.6929646455628166,0.6929646455628166
arms,all,"− R&D_1 | ""50 %""",searches,1 2,2,1,plain,1 2,-1,,
arms,all,as it is,em,,2,0,plain,1 2,-0.5,-1,0
arms,all,as it is,searches,,2,3,plain,1 2,1,0,2
`.replaceAll('\n', '\r\n'),
  );
});

test('LaTeX, byte for byte', () => {
  expect(latexOf(text)).toBe(String.raw`% Needs \usepackage{booktabs,graphicx}
\begin{table*}
  \centering
  \caption{Arms, and their differences from plain. Does 100 \% of it help \{at all\}? First. Second: a\_b.}
  \label{tab:small-arms}
  \resizebox{\textwidth}{!}{%
  \begin{tabular}{llrrr}
    \toprule
    arm & seeds & n & EM, \% & searches \\
    \midrule
    plain & 1, 2 & 2 & 50.0 & 2.00 \\
    $-$ R\&D\_1 | ''50 \%'' & 1, 2 & 2 & 50.0 (0.0 [$-69.3$, 69.3]) & 1.00 ($-1.00$ [--]) \\
    as it is & -- & 2 & 0.0 ($-50.0$ [$-100.0$, 0.0]) & 3.00 ($+1.00$ [0.00, 2.00]) \\
    \bottomrule
  \end{tabular}}
\end{table*}
`);
});

test('LaTeX sets every sign as it is read', () => {
  expect(latexText('a_b^c~d\\e{f}$g&h#i%j<k>l')).toBe(
    String.raw`a\_b\textasciicircum{}c\textasciitilde{}d\textbackslash{}e\{f\}\$g\&h\#i\%j\textless{}k\textgreater{}l`,
  );
  expect(latexText('UR² −\n 5 β')).toBe(String.raw`UR$^2$ $-$ 5 $\beta$`);
});

describe('the tables', () => {
  const tables = studyTables(arms, options);
  const rowsOf = (id: string) => tables.find((table) => table.id === id)?.rows ?? [];

  test('what came before a start or a warm-up is not called its step 0', () => {
    const made = arms.map((arm, i): ArmScores => ({
      ...arm,
      before: i === 0 ? 'before its start' : 'before its warm-up',
    }));
    const tables = studyTables(made, options);
    const rows = tables.find(({ id }) => id === 'start')?.rows.map(({ arm }) => arm);
    expect(rows?.[0]).toBe('plain, before its start');
    expect(rows?.[2]).toBe('− R&D_1 | "50 %", before its warm-up');
    const lines = csvOf({ ...text, tables });
    expect(lines).toContain('"plain, before its start"');
    expect(lines).not.toContain('step 0"');
  });

  test('training is compared with step 0 of the same arm', () => {
    const rows = rowsOf('start');
    expect(rows.map(({ arm }) => arm)).toEqual([
      'plain, step 0',
      'plain',
      '− R&D_1 | "50 %", step 0',
      '− R&D_1 | "50 %"',
    ]);
    // Searches 2, 4 become 2, 2: 0 and −2 by question; no seed has a part in what it began with.
    expect(rows[0]).toMatchObject({
      seeds: [],
      cells: [{ mean: 0 }, { mean: 3, difference: null }],
    });
    expect(rows[1]?.cells[1]).toEqual({
      number: 'searches',
      mean: 2,
      difference: { mean: -1, low: -2, high: 0 },
    });
  });

  test('and so it is by composition: what was gained on those that training never asks', () => {
    const plain = rowsOf('start-parts').filter(({ arm }) => arm === 'plain');
    // Searches of the held-out question 4 become 2, those of the other stay 2.
    expect(plain.map(({ part, n, cells }) => [part, n, cells[1]])).toEqual([
      [
        'held-out compositions',
        1,
        { number: 'searches', mean: 2, difference: { mean: -2, low: null, high: null } },
      ],
      [
        'other compositions',
        1,
        { number: 'searches', mean: 2, difference: { mean: 0, low: null, high: null } },
      ],
    ]);
    expect(rowsOf('start-parts').map(({ arm }) => arm)).not.toContain('as it is');
    const of = csvOf({ ...text, tables })
      .split('\n')
      .filter((line) => line.startsWith('start-parts'));
    expect(of[1]).toContain('plain,searches,1 2,1,2,"plain, step 0"');
  });

  test('held-out compositions stand apart', () => {
    const rows = rowsOf('parts').filter(({ arm }) => arm === 'as it is');
    expect(rows.map(({ part, n, cells }) => [part, n, cells[1]?.mean])).toEqual([
      ['held-out compositions', 1, 4],
      ['other compositions', 1, 2],
    ]);
  });

  test('worlds stand apart where there are several, and count alike together', () => {
    const two = arms.map((arm) => ({
      ...arm,
      end: [
        ...arm.end,
        ...arm.end.map((one) => ({ ...one, world: 'w2', rows: [row('z', { searches: 8 })] })),
      ],
    }));
    const both = studyTables(two, { ...options, worlds: ['w1', 'w2'] });
    const parts = both.find(({ id }) => id === 'parts')?.rows ?? [];
    const plain = parts.filter(({ arm }) => arm === 'plain');
    expect(plain.map(({ part, n, cells }) => [part, n, cells[1]?.mean]).slice(0, 2)).toEqual([
      ['w1', 2, 2],
      ['w2', 1, 8],
    ]);
    expect(both[0]?.rows[0]).toMatchObject({ n: 3, cells: [{}, { mean: 5 }] });
  });

  test('a seed that one arm lacks is not a pair, and a world that a seed lacks is left out', () => {
    const lacking = arms.map((arm) =>
      arm.name === 'plain' ? arm : { ...arm, end: arm.end.filter(({ seed }) => seed !== 2) },
    );
    expect(studyTables(lacking, options)[0]?.rows[1]).toMatchObject({
      seeds: [1],
      pairedSeeds: [1],
    });
    const [row1] = studyTables(arms, { ...options, worlds: ['w1', 'w2'] })[0]?.rows ?? [];
    expect(row1).toMatchObject({ seeds: [], n: 0, cells: [{ mean: null, difference: null }, {}] });
  });

  test('questions without a value are left out of both sides', () => {
    const timed = (values: (number | null)[], seed: number | null): ScoredCell => ({
      seed,
      trainWorld: null,
      world: 'w1',
      rows: values.map((latencyMs, i) => row(`q${i}`, { latencyMs })),
    });
    const slow: ArmScores = {
      name: 'slow',
      trained: false,
      before: 'step 0',
      start: [],
      end: [timed([30, 50, null], null)],
    };
    const plain: ArmScores = {
      name: 'plain',
      trained: false,
      before: 'step 0',
      start: [],
      end: [timed([10, null, 70], null)],
    };
    const [table] = studyTables([plain, slow], { ...options, numbers: ['latencyMs'] });
    expect(table?.rows.map(({ cells }) => [cells[0]?.mean, cells[0]?.difference?.mean])).toEqual([
      [40, undefined],
      [40, 20],
    ]);
  });

  test('answers to other questions are not compared', () => {
    const other: ArmScores = {
      name: 'other',
      trained: true,
      before: 'step 0',
      start: [],
      end: [
        { ...cell(1, 'w1', [0, 0], [1, 1]), trainWorld: 't' },
        { seed: 1, trainWorld: 'u', world: 'w1', rows: [row('x'), row('y')] },
      ],
    };
    expect(() => studyTables([other], { ...options, reference: 'other', trainWorlds: 2 })).toThrow(
      /not of the same questions/,
    );
  });
});
