import { beforeEach, describe, expect, it } from 'vitest';
import { parseSweep } from '../../../../src/evaluate/sweep/axes.ts';
import { planSweep } from '../../../../src/evaluate/sweep/cells.ts';
import type { RunRecord, RunStatus } from '../../../../src/lab/contract/records/runs.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { RunHeader } from '../../../../src/ui/train/run/RunHeader.tsx';
import { SweepPanel } from '../../../../src/ui/train/form/SweepPanel.tsx';
import { HeatMap } from '../../../../src/ui/train/sweep/HeatMap.tsx';
import { metricOf, sweepGrid } from '../../../../src/ui/train/sweep/sweep-grid.ts';
import { SweepView } from '../../../../src/ui/train/sweep/SweepView.tsx';
import { resetDraft } from '../../../../src/ui/train/store/train-draft.ts';
import { useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';
import { buttonsIn, htmlOf, linksIn, wordsIn } from '../../kit/render.tsx';

/** What the page shows of a sweep: before it is begun, while it waits, and at its end. */

const settings = { ...getTraining('kunlun-baize/dapo'), steps: 2 };
const axes = parseSweep('lr=1e-3,2e-3;groupSize=2,3');

/** Its four runs, row by row, as far as these are. */
const runsOf = (...statuses: RunStatus[]): RunRecord[] =>
  planSweep(settings, axes, () => undefined).map((cell, i) => {
    const status = statuses[i] ?? 'paused';
    return runRecord(`run-${i}`, {
      name: `grid: ${cell.name}`,
      settings: cell.settings,
      status,
      step: status === 'finished' ? 2 : 0,
      sweep: { id: 's', name: 'grid', axes, place: cell.place },
    });
  });
const scored = (em: number) => [
  { ...trainStep(2), heldOut: { n: 64, em, f1: em, recall: 1, searches: 1, formatValid: 1 } },
];
const view = (runs: RunRecord[]): string => {
  useTrain.setState({ runs });
  const [first] = runs;
  if (!first?.sweep) throw new Error('no sweep');
  return htmlOf(<SweepView sweep={first.sweep} runs={runs} />, useTrain);
};
const names = (html: string): string[] => buttonsIn(html).map(({ name }) => name);

beforeEach(() => {
  resetDraft();
  useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true);
});

describe('a sweep in the form', () => {
  const panel = (blocked = false, change: Partial<typeof settings> = {}) =>
    htmlOf(
      <SweepPanel settings={{ ...settings, ...change }} demonstrations={null} blocked={blocked} />,
      useTrain,
    );

  it('what is planned is said before it is begun, with what is not allowed', () => {
    const html = panel();
    expect(wordsIn(html)).toMatch(
      /4 runs of 2 steps, one after another; how long they take shows once this device is measured/,
    );
    expect(buttonsIn(html).at(-1)).toMatchObject({ name: 'Start 4 runs', disabled: false });
    expect(buttonsIn(panel(true)).at(-1)).toMatchObject({ disabled: true });
    // Nothing could be compared.
    const none = panel(false, { heldOut: { ...settings.heldOut, questions: 0 } });
    expect(wordsIn(none)).toContain('compared on held-out questions, and there are none');
    expect(buttonsIn(none).at(-1)).toMatchObject({ name: 'Start the sweep', disabled: true });
  });
});

describe('the page of a sweep', () => {
  it('a sweep that was interrupted says how far it is, and offers to go on', () => {
    const html = view(runsOf('finished'));
    expect(wordsIn(html)).toContain('1 of 4 runs ended');
    expect(wordsIn(html)).toContain('sweep over optimizer.learningRate × groupSize · 4 runs');
    expect(names(html)).toEqual(expect.arrayContaining(['Go on: 3 runs left', 'Drop what waits']));
    const dropped = runsOf('finished').map((run, i) =>
      i < 2 ? run : { ...run, deletedAt: '2026-01-02T00:00:00.000Z' },
    );
    expect(wordsIn(view(dropped))).toContain('1 of 2 runs ended');
    expect(names(view(dropped))).toContain('Go on: 1 run left');
  });

  it('while one trains names it, and can be paused or stopped with what that costs', () => {
    const html = view(runsOf('finished', 'running'));
    expect(wordsIn(html)).toContain('Trains now: grid: lr 0.001 · group 3, step 0 / 2');
    expect(names(html)).toEqual(
      expect.arrayContaining([
        'Pause after this step',
        'Finish this run and drop the rest',
        'Stop now and drop the rest',
      ]),
    );
    expect(names(html).join()).not.toContain('Go on');
    expect(wordsIn(html)).toContain('The 2 runs that wait will not be made; this can be undone.');
  });

  it('at its end has nothing to go on with', () => {
    const html = view(runsOf('finished', 'finished', 'failed', 'stopped'));
    expect(wordsIn(html)).toContain('4 of 4 runs ended');
    expect(names(html).join()).not.toMatch(/Go on|Drop|Stop/);
  });

  it('its map has a name for each row and column, and the number of each run', () => {
    const steps = { 'run-0': scored(0.25), 'run-3': scored(0.5) };
    const runs = runsOf('finished', 'running', 'paused', 'finished');
    const map = (metric: string) => {
      const grid = sweepGrid(runs, axes, steps, metricOf(metric));
      return htmlOf(
        <HeatMap grid={grid} width={500} says={({ name }) => name} open={() => undefined} />,
      );
    };
    const texts = (html: string, kind: string) =>
      [...html.matchAll(new RegExp(`class="heat-${kind}">([^<]*(?:<!-- -->[^<]*)*)<`, 'g'))].map(
        ([, text = '']) => text.replaceAll('<!-- -->', ''),
      );
    expect(texts(map('em'), 'tick')).toEqual(['2', '3', 'lr 0.001', 'lr 0.002']);
    expect(texts(map('em'), 'name')).toEqual(['group']);
    expect(texts(map('em'), 'value')).toEqual(['25.0 %', '★ 50.0 %']);
    expect(texts(map('em'), 'state')).toHaveLength(2);
    expect(texts(map('searches'), 'value')).not.toEqual(texts(map('em'), 'value'));
    // A cell is a button's worth of words to who listens.
    expect(map('em')).toMatch(/role="slider"[^>]*aria-label="Runs of the sweep/);
  });

  it('each of its runs leads back to it', () => {
    const [run] = runsOf('finished');
    if (!run) throw new Error('no run');
    const links = linksIn(htmlOf(<RunHeader run={run} steps={[]} />, useTrain));
    expect(links).toContainEqual({ name: 'Its sweep', href: '/train?sweep=s' });
  });
});
