import { describe, expect, it } from 'vitest';
import { Bars } from '../../../../src/ui/kit/charts/Bars.tsx';
import { Chart } from '../../../../src/ui/kit/charts/Chart.tsx';
import { ChartTable } from '../../../../src/ui/kit/charts/ChartTable.tsx';
import type { ChartSpec } from '../../../../src/ui/kit/charts/series.ts';
import { buttonsIn, htmlOf, rowsIn, valuesOf, wordsIn } from '../render.tsx';

const spec = (rest: Partial<ChartSpec> = {}): ChartSpec => ({
  id: 'em',
  title: 'Exact match',
  note: 'of the rollouts',
  unit: 'share',
  kind: 'lines',
  series: [
    {
      id: 's',
      name: 'sampled',
      colour: 1,
      points: [
        { x: 1, y: 0.25 },
        { x: 3, y: 0.5 },
      ],
    },
  ],
  lines: [{ value: 0.5, label: 'dashed: chance' }],
  empty: 'Shows after the first step.',
  ...rest,
});

const names = (html: string): string[] => buttonsIn(html).map(({ name }) => name);

describe('a chart', () => {
  it('says why there is nothing, and offers no table of nothing', () => {
    const html = htmlOf(<Chart spec={spec({ series: [] })} />);
    expect(wordsIn(html)).toBe('Exact match Shows after the first step.');
    expect(names(html)).toEqual([]);
    expect(valuesOf(html, 'aria-label')).toContain('Exact match');
  });

  it('says what its numbers are, and offers them as a table', () => {
    const html = htmlOf(<Chart spec={spec()} />);
    expect(names(html)).toEqual(['Exact match: table']);
    expect(wordsIn(html)).toContain('of the rollouts; dashed: chance');
  });

  it('says the values of the step that is selected, from the measurements', () => {
    expect(wordsIn(htmlOf(<Chart spec={spec()} selected={3} />))).toContain(
      'step 3 sampled 50.0 %',
    );
    const none = wordsIn(htmlOf(<Chart spec={spec()} selected={2} />));
    expect(none).toContain('step 2');
    expect(none).not.toContain('sampled');
  });
});

describe('the table of a chart', () => {
  it('has a head for every series, and as many rows as there are steps', () => {
    const html = htmlOf(<ChartTable spec={spec()} selected={null} onSelect={undefined} />);
    expect(rowsIn(html)[0]).toEqual(['step', 'sampled']);
    expect(valuesOf(html, 'aria-rowcount')).toEqual(['3']);
    expect(valuesOf(html, 'aria-label')).toEqual(['Exact match, table']);
  });
});

describe('bars', () => {
  const bars = [
    { key: 'right', name: 'right', count: 3, note: 'It was right.', colour: 2 },
    { key: 'wrong', name: '<wrong>', count: 1, note: 'It was not.', colour: 9 },
  ];
  const show = (rest: Partial<Parameters<typeof Bars>[0]> = {}) =>
    htmlOf(
      <Bars
        id="o"
        title="Outcomes"
        note=""
        bars={bars}
        total={4}
        empty="No outcome yet."
        onPick={() => undefined}
        {...rest}
      />,
    );

  it('open their cases, each with its share of all', () => {
    const html = show();
    expect(names(html)).toEqual([
      'Outcomes: save as SVG',
      'Outcomes: save as PNG',
      'Outcomes: table',
      'right: 3. Open these',
      '<wrong>: 1. Open these',
    ]);
    expect(valuesOf(html, 'title')).toContain('It was right. 75.0 % of 4.');
    expect(html).not.toContain('<wrong>');
  });

  it('without data say why, and a share of nothing is a dash', () => {
    expect(wordsIn(show({ bars: [] }))).toBe('Outcomes No outcome yet.');
    expect(names(show({ bars: [] }))).toEqual([]);
    expect(valuesOf(show({ total: 0 }), 'title')).toContain('It was right. – of 0.');
  });
});
