import { beforeEach, describe, expect, it } from 'vitest';
import { systemsTables } from '../../../src/evaluate/systems/table/table.ts';
import EvaluatePage from '../../../src/ui/evaluate/EvaluatePage.tsx';
import { EvaluationView } from '../../../src/ui/evaluate/result/EvaluationView.tsx';
import { EMPTY_EVALUATE, useEvaluate } from '../../../src/ui/evaluate/store/evaluate-store.ts';
import { parseEvaluateAddress } from '../../../src/ui/evaluate/store/evaluate-address.ts';
import { TableView } from '../../../src/ui/evaluate/table/TableView.tsx';
import { tableText } from '../../../src/evaluate/systems/table/text.ts';
import { QuestionsView } from '../../../src/ui/evaluate/questions/QuestionsView.tsx';
import { nextSort, ResultTable } from '../../../src/ui/evaluate/table/ResultTable.tsx';
import {
  cellWords,
  chanceWords,
  countWords,
  differenceWords,
  endsTitle,
  endsWords,
  intervalWords,
  sortRows,
  valueWords,
} from '../../../src/ui/evaluate/table/cell-words.ts';
import { MEASURES } from '../../../src/evaluate/systems/table/measures.ts';
import { evaluatedSystem, evaluationRecord, evaluationResult } from '../../fixtures/evaluations.ts';
import { buttonsIn, htmlOf, linksIn, rowsIn, valuesOf, wordsIn } from '../kit/render.tsx';

const measure = (id: string) => {
  const found = MEASURES.find((one) => one.id === id);
  if (!found) throw new Error(id);
  return found;
};

beforeEach(() => useEvaluate.setState(EMPTY_EVALUATE, true));

describe('numbers of the table', () => {
  it('are shares in percent, costs as they are, differences with a sign', () => {
    const interval = { mean: 0.5, low: 0.4167, high: 0.5833 };
    expect(valueWords(0.5, measure('em'))).toBe('50.0 %');
    expect(intervalWords(interval, measure('em'))).toBe('41.7 to 58.3');
    expect(differenceWords(interval, measure('em'))).toBe('+50.0');
    expect(differenceWords({ mean: -2.345 }, measure('searches'))).toBe('−2.35');
    expect(differenceWords({ mean: -1e-9 }, measure('em'))).toBe('0.0');
    expect(intervalWords({ low: -2.5, high: 120.4 }, measure('tokens'))).toBe('−3 to 120');
    expect(valueWords(null, measure('judge'))).toBe('–');
    const difference = { mean: 0, low: -1, high: 1, n: 9, p: 0.01, adjusted: 0.00004 };
    expect(chanceWords(difference)).toBe('p < 0.001');
  });

  it('say why a difference has no interval', () => {
    const none = { mean: 0.5, low: null, high: null, n: 1, p: 1, adjusted: 1 };
    const why = 'no interval: one question, or all differences are equal';
    expect([endsWords(none, measure('em')), endsTitle(none)]).toEqual(['–', why]);
    const known = { ...none, low: -0.25, high: 1 };
    expect([endsWords(known, measure('em')), endsTitle(known)]).toEqual([
      '−25.0 to 100.0',
      undefined,
    ]);
    const value = { mean: 1, low: 0.2, high: 1 };
    const cell = { measure: 'em', value, n: 1, rollouts: 1, mark: null } as const;
    expect(cellWords({ ...cell, difference: none }, measure('em'))).toContain(
      `difference +50.0 (${why}) over 1 question, p 1.000`,
    );
  });
});

it('counts the questions of a comparison, which may lack the number', () => {
  expect(countWords([8, 8], 8)).toBe('8 questions');
  expect(countWords([6, 6], 8)).toBe('6 of 8 questions');
  expect(countWords([5, 6], 8)).toBe('5 to 6 of 8 questions');
  expect(countWords([], 8)).toBe('8 questions');
});

describe('the table', () => {
  // a: 4 of 4, b: 1 of 4, c: 2 of 4.
  const result = evaluationResult(
    { a: [1, 1, 1, 1], b: [1, 0, 0, 0], c: [1, 1, 0, 0] },
    {
      systems: [
        evaluatedSystem('a'),
        evaluatedSystem('b', {
          title: '<B>',
          published: { figure: 'EM 34.5', benchmark: 'HotpotQA', model: 'Qwen2.5-3B' },
        }),
        evaluatedSystem('c'),
      ],
      failed: [{ system: 'c', question: 'q1', seed: 2, message: 'no answer' }],
    },
  );
  const show = async (compared = true) => {
    const [table] = await systemsTables(result, 'all', {
      reference: 'b',
      interval: { resamples: 100 },
    });
    if (!table) throw new Error('no table');
    const html = htmlOf(
      <ResultTable
        table={table}
        systems={result.systems}
        skipped={[{ ...evaluatedSystem('d'), reason: 'it asks in words' }]}
        sort={{ measure: 'em', descending: true }}
        onSort={() => undefined}
        onReference={() => undefined}
        compared={compared}
      />,
    );
    return { html, table };
  };

  it('has a row a system by the chosen column, with interval, difference and mark', async () => {
    const { html } = await show();
    const [heads, ...rows] = rowsIn(html);
    expect(heads?.slice(0, 3)).toEqual(['system', 'EM ↓?', 'F1?']);
    expect(rows.map(([name]) => name?.split('built-in')[0]?.trim())).toEqual([
      'A',
      'C',
      '<B>',
      'D',
    ]);
    // 100 − 25 points beside the row that was chosen.
    expect(rows[0]?.[1]).toMatch(/^★ 100\.0 %.*\+75\.0/);
    expect(rows[2]?.[1]).toMatch(/25\.0 %/);
    expect(rows[2]?.[1]).not.toMatch(/p /);
    expect(valuesOf(html, 'aria-sort')[0]).toBe('descending');
    expect(valuesOf(html, 'aria-label')).toContain('best');
    expect(rows[1]?.[0]).toContain('⚠ 1 failed');
  });

  it('keeps the published figure in a column of its own, with its benchmark and model', async () => {
    const { html } = await show();
    const [heads, , , b] = rowsIn(html);
    expect(heads?.at(-1)).toBe('published (not comparable)');
    expect(b?.at(-1)).toMatch(/^EM 34\.5\s*HotpotQA, Qwen2\.5-3B$/);
  });

  it('names at its end what was asked for and is not run, with the reason', async () => {
    const { html } = await show();
    expect(rowsIn(html).at(-1)).toEqual(['Dbuilt-in', 'Not run: it asks in words.']);
  });

  it('leaves out a column that nobody measured, and says so', async () => {
    const { html } = await show();
    expect(rowsIn(html)[0]).not.toContain('judge');
    expect(wordsIn(html)).toContain('Not measured here: judge (no judge was used).');
  });

  it('says over how many questions a number is, in its cell and below, and why the others lack it', async () => {
    const some = evaluationResult({ a: [1, 0, 1], b: [1, 1, 0] });
    const rollouts = some.rollouts.map((one) =>
      one.question === 'q3' ? { ...one, recall: null } : one,
    );
    const draw = async (of: typeof some) => {
      const [table] = await systemsTables(of, 'all', { interval: { resamples: 50 } });
      if (!table) throw new Error('no table');
      const rest = { skipped: [], sort: null, onSort: () => {}, onReference: () => {} };
      return htmlOf(<ResultTable table={table} systems={of.systems} compared {...rest} />);
    };
    const html = await draw({ ...some, rollouts });
    const cells = valuesOf(html, 'title').filter((title) => title.includes(', 95 % from'));
    const over = (name: string) =>
      cells
        .filter((title) => title.startsWith(name))
        .map((title) => / over (\d) questions/.exec(title)?.[1]);
    expect([over('recall'), over('EM')]).toEqual([
      ['2', '2'],
      ['3', '3'],
    ]);
    expect(wordsIn(html)).toContain(
      'Recall over 2 of 3 questions: the others have no known evidence.',
    );
    const none = some.rollouts.map((one) => ({ ...one, recall: null }));
    expect(wordsIn(await draw({ ...some, rollouts: none }))).toContain(
      'Not measured here: judge (no judge was used), recall (the questions have no known evidence).',
    );
  });

  it('says of its intervals what its files say', async () => {
    const small = evaluationResult({ a: [1, 0] });
    const tables = await systemsTables(small, 'all', { interval: { resamples: 50 } });
    const html = htmlOf(
      <TableView
        id="e"
        result={small}
        tables={tables}
        address={parseEvaluateAddress('')}
        change={() => undefined}
      />,
    );
    const file = tableText({ result: small, tables, times: false }, 'markdown');
    const [words = ''] = /by bootstrap .*? all 100 %\)/u.exec(file) ?? [];
    expect(words).toContain('Wilson');
    expect(wordsIn(html)).toContain(words);
  });

  it('sorts by the better end first, then by the other, then not at all; what is missing last', async () => {
    const em = measure('em');
    const tokens = measure('tokens');
    expect(nextSort(null, em)).toEqual({ measure: 'em', descending: true });
    expect(nextSort(null, tokens)).toEqual({ measure: 'tokens', descending: false });
    expect(nextSort({ measure: 'em', descending: true }, em)?.descending).toBe(false);
    expect(nextSort({ measure: 'em', descending: false }, em)).toBeNull();
    const { table } = await show();
    const [first, ...rest] = table.rows;
    if (!first) throw new Error('no row');
    const unmeasured = { ...first, cells: first.cells.map((cell) => ({ ...cell, value: null })) };
    for (const descending of [true, false])
      expect(sortRows([unmeasured, ...rest], { measure: 'em', descending }).at(-1)?.system).toBe(
        'a',
      );
  });
});

describe('where systems disagree', () => {
  it('names the systems of both sides, on a narrow screen too', () => {
    const systems = [
      evaluatedSystem('a', { title: 'Naive RAG, one' }),
      evaluatedSystem('b'),
      evaluatedSystem('c'),
    ];
    const result = evaluationResult({ a: [1], b: [1], c: [0] }, { systems });
    const address = parseEvaluateAddress('');
    const html = htmlOf(
      <QuestionsView id="e" result={result} address={address} change={() => undefined} />,
    );
    const table = html.slice(html.indexOf('aria-label="Disagreements, table"'));
    expect(rowsIn(table)[1]?.slice(0, 3)).toEqual(['Question 1?', '2 Naive RAG, one · B', '1 C']);
    // What has this class is away where there is little room.
    expect(table).not.toContain('wide-only');
  });
});

describe('the page', () => {
  const page = (id: string | null = null) => htmlOf(<EvaluatePage id={id} />, useEvaluate);

  it('says what belongs here and offers three systems on 20 questions, once it knows', () => {
    expect(wordsIn(page())).toContain('Reading the evaluations …');
    useEvaluate.setState({ status: 'ready' });
    expect(wordsIn(page())).toContain('Nothing has been evaluated in this browser yet.');
    expect(buttonsIn(page()).map(({ name }) => name)).toContain('Three systems on 20 questions');
    expect(linksIn(page())).toContainEqual({
      name: 'Choose systems and questions',
      href: '/evaluate?new=1',
    });
  });

  it('lists evaluations without those that were deleted, and the way back to them', () => {
    useEvaluate.setState({
      status: 'ready',
      evaluations: [
        evaluationRecord('a', { name: '<night>', failed: 2, done: 4, status: 'paused' }),
        evaluationRecord('b', { name: 'gone', deletedAt: '2026-02-03' }),
      ],
      removed: [{ id: 'b', name: 'gone', at: Date.now() }],
    });
    const [, row, ...more] = rowsIn(page());
    expect(more).toEqual([]);
    expect(row?.slice(0, 4)).toEqual(['<night>', 'paused', '3 systems', '4 / 6 · ⚠ 2']);
    expect(wordsIn(page())).toContain('Deleted “gone”. Undo');
    expect(linksIn(page()).map(({ href }) => href)).toContain('/evaluate/a');
  });

  it('says of an address from elsewhere that it is of another browser', () => {
    useEvaluate.setState({ status: 'ready' });
    expect(wordsIn(page('e9'))).toContain('none here has the id e9');
    useEvaluate.setState({ evaluations: [evaluationRecord('e9', { deletedAt: '2026-02-03' })] });
    expect(wordsIn(page('e9'))).toContain('This evaluation was deleted');
  });
});

describe('an evaluation', () => {
  it('says how far it is, how long still, and pauses', () => {
    const record = evaluationRecord('a', { status: 'running', planned: 60, done: 10 });
    useEvaluate.setState({
      status: 'ready',
      here: 'a',
      evaluations: [record],
      results: { a: evaluationResult({ x: [1], y: [0] }) },
      progress: {
        a: {
          evaluationId: 'a',
          phase: 'rollouts',
          note: '',
          done: 12,
          total: 60,
          failed: 0,
          reused: 5,
          etaSeconds: 300,
          pausing: false,
        },
      },
    });
    const html = htmlOf(<EvaluationView record={record} />, useEvaluate);
    expect(wordsIn(html)).toContain('12 / 60 rollouts · 5 reused');
    expect(wordsIn(html)).toContain('≈ 5 min to go');
    expect(buttonsIn(html).map(({ name }) => name)).toContain('Pause');
    expect(valuesOf(html, 'role').filter((role) => role === 'tab')).toHaveLength(6);
  });

  it('counts what is there once, also where its record counted before others made more', () => {
    const record = evaluationRecord('a', { status: 'paused', planned: 60, done: 10 });
    const result = evaluationResult({ x: [1, 1], y: [0, 1] });
    useEvaluate.setState({ status: 'ready', evaluations: [record], results: { a: result } });
    const html = htmlOf(<EvaluationView record={record} />, useEvaluate);
    expect(wordsIn(html)).toContain('· 4 rollouts');
    expect(wordsIn(html)).toContain('4 / 60 rollouts');
    // What is shown below is of these alone, and says so until all are made.
    expect(wordsIn(html)).toContain('So far: every number here is of 4 of 60 rollouts.');
    const whole = htmlOf(<EvaluationView record={evaluationRecord('a')} />, useEvaluate);
    expect(wordsIn(whole)).not.toContain('So far');
  });

  it('that failed says why, what is kept and how to continue', () => {
    const record = evaluationRecord('a', {
      status: 'failed',
      done: 3,
      failure: { kind: 'lost', message: 'The policy worker died.', detail: 'stack' },
    });
    const html = htmlOf(<EvaluationView record={record} />, useEvaluate);
    expect(wordsIn(html)).toContain('⚠ The evaluation ended after 3 rollouts');
    expect(wordsIn(html)).toContain('The policy worker died.');
    expect(wordsIn(html)).toContain('Every finished rollout is kept.');
    expect(buttonsIn(html).map(({ name }) => name)).toContain('Continue');
  });
});
