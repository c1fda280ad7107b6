import { Select } from '../../kit/Select.tsx';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { itemAt } from '../../../base/items.ts';
import type { FilmRow, TrainingFilm } from '../../../evaluate/training-film.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { askWith } from '../../ask/siblings/ask-with.ts';
import { showRollouts } from '../../ask/store/training-step.ts';
import { useAsk } from '../../ask/store/ask-store.ts';
import { keepInView } from '../../kit/page/keep-in-view.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import {
  formatTrainAddress,
  parseTrainAddress,
  type BesideAddress,
} from '../store/train-address.ts';
import { trainApi } from '../store/train-store.ts';
import { AskAtStep } from './AskAtStep.tsx';
import './run-beside.css';
import { formatAfterStep } from '../../kit/words/format.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';
import type { TrainSettings } from '../../../recipes/parts/training.ts';

type Before = Pick<TrainSettings, 'start' | 'warmUp'>;

/** What changed the policy before its first step; null where nothing did. */
export const beforeSteps = ({ start, warmUp }: Before): string | null => {
  const done = [
    ...(start === undefined ? [] : ['its start']),
    ...(warmUp ? ['the cold start'] : []),
  ];
  return done.length === 0 ? null : done.join(' and ');
};

/** The name of a side, behind "before:" or "after:". @param step of the score; 0: before the first step */
export const sideName = (step: number, settings: Before): string => {
  if (step > 0) return `step ${step}`;
  const done = beforeSteps(settings);
  return done === null ? 'untrained, no step yet' : `after ${done}, before the first step`;
};

// Loaded with the first film of two scores; runs without one do not need it.
const BesidePicture = onDemand(async () => ({
  default: (await import('../../kit/beside/BesidePicture.tsx')).BesidePicture,
}));

/** By which the page is scrolled to it. */
const ID = 'beside';

/** What is in the upper half of the window already stays where it is. */
const toTop = (picture: Element): void => {
  if (picture.getBoundingClientRect().top > innerHeight / 2) picture.scrollIntoView();
};

/** @param at index of a score; false too where the question was not asked then */
const isRight = (row: FilmRow, at: number): boolean => row.cells[at]?.em === 1;

/** The first question that was learned; else one that was lost; else the first. */
const changedRow = ({ rows, steps }: TrainingFilm): FilmRow => {
  const last = steps.length - 1;
  return (
    rows.find((row) => !isRight(row, 0) && isRight(row, last)) ??
    rows.find((row) => isRight(row, 0) && !isRight(row, last)) ??
    itemAt(rows, 0, 'questions of the film')
  );
};

/** What changed for a question between two scores, by signs. */
const changeSigns = (row: FilmRow, from: number, to: number): string => {
  const sign = (at: number): string =>
    row.cells[at] === null || row.cells[at] === undefined ? '·' : isRight(row, at) ? '✓' : '✗';
  return `${sign(from)} → ${sign(to)}`;
};

type Pair = readonly [Rollout, Rollout];

/** The two rollouts as soon as they are read; those of before stay until then. */
const usePair = (run: RunRecord, question: string, from: number, to: number) => {
  const read = async (step: number): Promise<Rollout | null> => {
    const kept = await trainApi().rollouts(run.id, step, 'held-out');
    return kept.find((one) => one.question.id === question) ?? null;
  };
  const answer = useAnswer(`${run.id} ${question} ${from} ${to}`, async () => {
    // Null where one of them was deleted to free storage.
    const [a, b] = [await read(from), await read(to)];
    return a && b ? ([a, b] as const) : null;
  });
  const [shown, setShown] = useState<Pair | null>(null);
  // While drawing, not in an effect: the pair is never drawn a frame late.
  if (answer.state === 'ready' && answer.value && answer.value !== shown) setShown(answer.value);
  const same = shown?.[0].question.id === question;
  return {
    pair: answer.state === 'ready' ? answer.value : same ? shown : null,
    reading: answer.state === 'loading',
    problem: answer.state === 'failed' ? answer.message : null,
  };
};

/** A held-out question at two scores of a run, from its first score to the newest while it trains. */
export const RunBeside = ({ run, film }: { run: RunRecord; film: TrainingFilm }) => {
  const [, go] = useLocation();
  const address = parseTrainAddress(useSearch());
  const { steps, rows } = film;
  const first = itemAt(steps, 0, 'scores of the film');
  const newest = itemAt(steps, steps.length - 1, 'scores of the film');
  const wanted: BesideAddress = address.beside ?? { question: null, from: first, to: null };
  const row = rows.find(({ id }) => id === wanted.question) ?? changedRow(film);
  // An address may name a score that the run lacks, for instance since it went back to a snapshot.
  const from = steps.includes(wanted.from) ? wanted.from : first;
  const to = wanted.to !== null && steps.includes(wanted.to) ? wanted.to : newest;
  const { pair, reading, problem } = usePair(run, row.id, from, to);
  // An address that names it is about it, whatever is above; what is in view already stays where it is.
  const isNamed = address.beside !== undefined;
  useEffect(
    () => (isNamed ? keepInView(() => document.getElementById(ID), toTop) : undefined),
    [isNamed],
  );
  const change = (by: Partial<BesideAddress>) =>
    go(formatTrainAddress({ ...address, run: run.id, beside: { ...wanted, from, ...by } }), {
      replace: true,
    });
  const options = useMemo(() => {
    const [a, b] = [steps.indexOf(from), steps.indexOf(to)];
    return rows.map((one) => ({
      value: one.id,
      label: `${changeSigns(one, a, b)}  ${one.text}`,
    }));
  }, [rows, steps, from, to]);
  const open = (side: 0 | 1, event: number) => {
    const rollout = pair?.[side];
    if (!rollout) return;
    const step = side === 0 ? from : to;
    const source = { runId: run.id, name: run.name, step, group: rollout.groupId, run };
    void showRollouts([rollout], source, 0, go).then(() =>
      useAsk.getState().select({ kind: 'event', rolloutId: rollout.id, event }),
    );
  };
  const controls = (
    <div className="run-beside-tools">
      <Select
        size="xs"
        label="Held-out question"
        className="run-beside-question"
        data={options}
        value={row.id}
        onChange={({ currentTarget: { value } }) => change({ question: value })}
      />
      <Select
        size="xs"
        label="Before"
        data={steps.map((step) => ({ value: String(step), label: formatAfterStep(step) }))}
        value={String(from)}
        onChange={({ currentTarget: { value } }) => change({ from: Number(value) })}
      />
      <Select
        size="xs"
        label="After"
        data={[
          { value: '', label: `the newest score, ${formatAfterStep(newest)}` },
          ...steps.map((step) => ({ value: String(step), label: formatAfterStep(step) })),
        ]}
        value={wanted.to === null ? '' : String(to)}
        onChange={({ currentTarget: { value } }) =>
          change({ to: value === '' ? null : Number(value) })
        }
      />
    </div>
  );
  const trained = beforeSteps(run.settings);
  const foot = (
    <p className="fine">
      These are the rollouts of the run’s own scores.{' '}
      {run.status === 'running'
        ? 'It follows the run: a newer score takes the place of the last. '
        : ''}
      {run.checkpointStep === null || run.untrained ? null : (
        <button
          type="button"
          className="link"
          onClick={() =>
            void askWith(
              run,
              { policy: { kind: 'run', run: run.id, step: null }, beside: 'alone' },
              row.id,
              go,
            )
          }
        >
          Ask it now, without and with the adapter
        </button>
      )}{' '}
      {trained === null ? '· ' : `(without it the policy is as before ${trained}) · `}
      <AskAtStep run={run} step={to} question={row.id} />
    </p>
  );
  if (!pair)
    return (
      <section className="chart run-beside" aria-label="Before | after" id={ID} aria-busy={reading}>
        <h3>Before | after</h3>
        {controls}
        <p className={problem ? 'tone-bad' : 'fine'} role="status">
          {problem
            ? `⚠ The rollouts could not be read: ${problem}`
            : reading
              ? 'Reading the rollouts …'
              : 'These rollouts are not kept: they were deleted to free storage, or the run was made elsewhere.'}
        </p>
        {foot}
      </section>
    );
  return (
    <div className="run-beside" id={ID}>
      <Guarded name="The comparison of the two">
        <BesidePicture
          sides={[
            { rollout: pair[0], name: sideName(from, run.settings) },
            { rollout: pair[1], name: sideName(to, run.settings) },
          ]}
          open={open}
          controls={controls}
          foot={foot}
        />
      </Guarded>
    </div>
  );
};
