import { beforeEach, describe, expect, it } from 'vitest';
import { getTraining } from '../../../src/systems/index.ts';
import { Compare } from '../../../src/ui/runs/Compare.tsx';
import { comparedCharts } from '../../../src/ui/runs/compare-specs.ts';
import { OlderRunsNote } from '../../../src/ui/runs/RunsPage.tsx';
import RunsPage from '../../../src/ui/runs/RunsPage.tsx';
import { keyOf, RunsTable } from '../../../src/ui/runs/RunsTable.tsx';
import { Again } from '../../../src/ui/train/run/Again.tsx';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { buttonsIn, htmlOf, linksIn, rowsIn, valuesOf, wordsIn } from '../kit/render.tsx';

const score = (em: number) => ({ n: 64, em, f1: em, recall: 1, searches: 2, formatValid: 1 });
const steps = [
  { ...trainStep(1, 'a'), em: 0.25, heldOut: score(0.5) },
  { ...trainStep(2, 'a'), em: 0.375, heldOut: score(0.75) },
];

beforeEach(() => useTrain.setState(useTrain.getInitialState(), true));

describe('the table of runs', () => {
  const runs = [
    runRecord('a', { name: '<A>', tags: ['x'], notes: 'good one', step: 2, status: 'finished' }),
    runRecord('b', { name: 'B', step: 1234 }),
  ];
  const table = (compared: string[] = []) =>
    htmlOf(<RunsTable runs={runs} compared={compared} compare={() => undefined} />, useTrain);

  it('keeps the curve on a phone, and an order that can be chosen where the heads are not seen', () => {
    useTrain.setState({ steps: { a: steps, b: [] } });
    const html = table();
    expect(html).toMatch(/<td title="[^"]*"><svg class="sparkline"/);
    expect(html).toMatch(/<select[^>]*aria-label="Order of the runs"/);
    expect(wordsIn(html)).toContain('by held-out EM');
  });

  it('says what each run came to', () => {
    useTrain.setState({ steps: { a: steps }, reading: ['b'] });
    const html = table();
    const [, first, second] = rowsIn(html);
    expect(first?.[1]).toBe('<A> x good one');
    expect(first?.[2]).toContain('finished');
    expect(first?.slice(4, 7)).toEqual([
      `2 / ${runs[0]?.settings.steps}`,
      '37.5 %',
      '50.0 % → 75.0 %',
    ]);
    expect(second?.slice(4, 7)).toEqual([`1,234 / ${runs[1]?.settings.steps}`, '…', '…']);
    expect(valuesOf(html, 'title')).toContain('64 questions, last scored at step 2');
    expect(linksIn(html).map(({ href }) => href)).toEqual(['/train?run=a', '/train?run=b']);
    expect(valuesOf(html, 'aria-label')).toEqual(
      expect.arrayContaining(['Compare <A>', 'Delete B', 'Edit and export B']),
    );
  });

  it('has a dash for what was not measured, and one value for one score', () => {
    expect(rowsIn(table())[1]?.slice(5, 7)).toEqual(['–', '–']);
    useTrain.setState({ steps: { a: steps.slice(0, 1) } });
    expect(rowsIn(table())[1]?.[6]).toBe('50.0 %');
  });

  it('gives the runs of a comparison letters in their order, eight at most', () => {
    expect(keyOf(['b', 'a'], 'a')).toEqual({ letter: 'B', colour: 1 });
    expect(keyOf([], 'a')).toBeNull();
    const full = table(['1', '2', '3', '4', '5', '6', '7', 'b']);
    expect(rowsIn(full)[2]?.[1]).toBe('H B');
    expect(valuesOf(full, 'title')).toContain('At most 8 runs can be compared');
    // The one that is compared already can be taken out.
    expect(full.match(/ disabled=""/g)).toHaveLength(1);
  });
});

describe('runs of another version of Forage', () => {
  const older = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `old-${i}`, name: `Old ${i}` }));
  const note = (count: number) =>
    wordsIn(htmlOf(<OlderRunsNote runs={older(count)} remove={() => undefined} />, useTrain));

  it('are named, with what to do', () => {
    expect(note(1)).toContain(
      '1 run from another version of Forage cannot be opened here: “Old 0”. Train again',
    );
    expect(note(1)).toContain('Delete it');
    expect(note(7)).toContain('“Old 4” and 2 more.');
    expect(note(7)).toContain('Delete them');
  });

  it('are not spoken of where there are none', () => expect(note(0)).toBe(''));
});

describe('a comparison', () => {
  const charts = (...runs: (typeof steps)[]) =>
    new Map(
      comparedCharts(
        runs.map((one, i) => ({ id: `r${i}`, letter: 'AB'[i] ?? '', colour: i, steps: one })),
      ).map((spec) => [spec.id, spec]),
    );

  it('draws one measure of all runs over one axis, and leaves out what was not measured', () => {
    const found = charts(steps, []);
    expect(
      found.get('em')?.series.map(({ name, points }) => [name, points.map(({ y }) => y)]),
    ).toEqual([['A', [0.25, 0.375]]]);
    expect(found.get('kl')?.series).toEqual([]);
    expect(found.get('kl')?.empty).toBe('None of these runs measured this.');
    expect(
      found
        .get('held-out-em')
        ?.series[0]?.interval?.get(2)
        ?.map((v) => v.toFixed(2)),
    ).toEqual(['0.63', '0.84']);
    const kl = charts(steps.map((step) => ({ ...step, kl: step.step === 2 ? 0.1 : NaN }))).get(
      'kl',
    );
    expect(kl?.series[0]?.points).toEqual([{ x: 2, y: 0.1 }]);
  });

  it('shows only the settings that differ', () => {
    const a = runRecord('a', { name: 'A run' });
    const b = runRecord('b', { name: 'B run', settings: { ...a.settings, seed: 99 } });
    const html = htmlOf(<Compare runs={[a, b]} />, useTrain);
    expect(rowsIn(html)).toEqual([
      ['setting', 'A A run', 'B B run'],
      ['seed', String(a.settings.seed), '99'],
    ]);
    expect(wordsIn(htmlOf(<Compare runs={[a, { ...a, id: 'c' }]} />, useTrain))).toContain(
      'These runs have the same settings and seed.',
    );
    expect(wordsIn(htmlOf(<Compare runs={[a]} />, useTrain))).toContain(
      'Only one run; choose another to compare',
    );
  });

  describe('of runs of which one had its learning rate changed', () => {
    const settings = getTraining('kunlun-baize/dapo');
    settings.optimizer.warmUpSteps = 0;
    const own = settings.optimizer.learningRate;
    const rated = (id: string, ...rates: number[]) =>
      rates.map((learningRate, i) => ({ ...trainStep(i + 1, id), learningRate }));
    const [a, b] = [
      runRecord('a', { name: 'A', step: 3, settings }),
      runRecord('b', { name: 'B', step: 3, settings }),
    ];
    const compared = () => htmlOf(<Compare runs={[a, b]} />, useTrain);

    it('names the change, never calls them the same, and draws the rates', () => {
      useTrain.setState({ steps: { a: rated('a', own, own, 0.02), b: rated('b', own, own, own) } });
      const html = compared();
      expect(rowsIn(html)).toEqual([
        ['setting', 'A A', 'B B'],
        [
          'learning rate, changed during training',
          `${own} → 0.02 at step 3`,
          `${own}, not changed`,
        ],
      ]);
      expect(wordsIn(html)).not.toContain('are the same');
      expect(wordsIn(html)).toContain('Learning ratetable as applied');
    });

    it('does not say that nothing was changed before their steps are read', () => {
      expect(wordsIn(compared())).toContain('are shown once the steps are loaded');
      useTrain.setState({ steps: { a: rated('a', own), b: rated('b', own) }, reading: ['b'] });
      expect(wordsIn(compared())).toContain('are shown once the steps are loaded');
    });

    it('says so too where all were changed alike, and has no chart of one rate', () => {
      useTrain.setState({ steps: { a: rated('a', own, 0.02), b: rated('b', own, 0.02) } });
      expect(wordsIn(compared())).toContain(
        `so is the change of the learning rate, ${own} → 0.02 at step 2.`,
      );
      expect(wordsIn(compared())).not.toContain('Learning ratetable as applied');
    });

    it('gives no band to seeds that trained at other rates', () => {
      const seeded = { ...b, settings: { ...b.settings, seed: 99 } };
      const banded = () => wordsIn(htmlOf(<Compare runs={[a, seeded]} />, useTrain));
      useTrain.setState({ steps: { a: rated('a', own), b: rated('b', own) } });
      expect(banded()).toContain('mean line with a band');
      useTrain.setState({ steps: { a: rated('a', own), b: rated('b', 0.02) } });
      expect(banded()).not.toContain('mean line with a band');
    });

    it('says in what a new run with its settings begins, and offers the newest rate', () => {
      const again = () => htmlOf(<Again run={a} />, useTrain);
      useTrain.setState({ steps: { a: rated('a', own, own) } });
      expect(wordsIn(again())).toBe('New run with these settings');
      useTrain.setState({ steps: { a: rated('a', own, 0.02) } });
      expect(wordsIn(again())).toContain(
        `It begins with the learning rate ${own}, as this one did; this one trained at 0.02 from step 2 on.`,
      );
      expect(buttonsIn(again()).map(({ name }) => name)).toEqual([
        'New run with these settings',
        'New run with the rate 0.02',
      ]);
    });
  });

  it('says which steps are still read', () => {
    useTrain.setState({ reading: ['a', 'other'] });
    expect(wordsIn(htmlOf(<Compare runs={[runRecord('a')]} />, useTrain))).toContain(
      'The steps of 1 run are still loading.',
    );
  });
});

describe('the page of runs', () => {
  const page = () => htmlOf(<RunsPage />, useTrain);

  it('says what is kept here and how to begin, once it knows that there is nothing', () => {
    expect(wordsIn(page())).toContain('Reading the runs …');
    useTrain.setState({ status: 'ready' });
    expect(wordsIn(page())).toContain(
      'No training runs yet. Start one, or drop an exported run or a result folder from a cluster on this page.',
    );
    expect(buttonsIn(page()).map(({ name }) => name)).toEqual([
      'From a cluster',
      'Import',
      'Train the model',
    ]);
    useTrain.setState({ status: 'failed', problem: { text: 'It failed.', detail: '' } });
    expect(wordsIn(page())).toContain('⚠ It failed.');
    expect(wordsIn(page())).not.toContain('No training runs yet');
  });

  it('shows no deleted run, and the way back to it', () => {
    useTrain.setState({
      status: 'ready',
      runs: [
        runRecord('a', { name: 'gone', deletedAt: '2026-01-02' }),
        runRecord('b', { name: 'B' }),
      ],
      removed: [{ id: 'a', name: 'gone', at: Date.now() }],
    });
    expect(rowsIn(page())).toHaveLength(2);
    expect(wordsIn(page())).toContain('Deleted “gone”. Undo');
    expect(wordsIn(page())).toContain('Undo is possible for 5 minutes; then the space is freed.');
  });
});
