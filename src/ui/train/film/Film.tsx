import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import { rightBy, signedBy } from '../../../evaluate/rollouts/basis.ts';
import { answerOf } from '../../../records/outside-answer.ts';
import type { TrainingFilm } from '../../../evaluate/training-film.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { showRollouts } from '../../ask/store/training-step.ts';
import { AskAtStep } from '../beside/AskAtStep.tsx';
import { SaveChart } from '../../kit/charts/picture/SaveChart.tsx';
import { formatShare, formatAfterStep } from '../../kit/words/format.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import { trainApi } from '../store/train-store.ts';
import { FilmPicture, type FilmPlace } from './FilmPicture.tsx';
import { pageOf, useMore } from '../../kit/page/use-more.tsx';

/** The same film as a table; every cell that was asked is the way into its rollout. */
export const FilmTable = (props: { film: TrainingFilm; open: (place: FilmPlace) => void }) => {
  const { film, open } = props;
  // Few rows at a time: a long run has hundreds of scores, each a cell.
  const list = useMore(film.rows, pageOf(film.steps.length));
  return (
    <div className="film-scroll" tabIndex={0} role="group" aria-label="Training film, table">
      <table className="film-table">
        <thead>
          <tr>
            <th scope="col">question</th>
            <th scope="col">gold</th>
            {film.steps.map((step) => (
              <th key={step} scope="col" className="figure">
                {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.rows.map((row, index) => (
            <tr key={row.id}>
              <th scope="row">{row.text}</th>
              <td>{row.gold}</td>
              {row.cells.map((cell, at) => (
                <td key={film.steps[at]} className="figure">
                  {cell ? (
                    <button
                      type="button"
                      className="link"
                      title={answerOf(cell)}
                      aria-label={`${rightBy(cell.em === 1, 'em')}: ${answerOf(cell)}. Open the rollout`}
                      onClick={() => open({ row: index, at })}
                    >
                      {cell.em === 1 ? '✓' : '✗'}
                    </button>
                  ) : (
                    '–'
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {list.more}
    </div>
  );
};

import './film.css';

const TITLE = 'Training film';

/** A frame of the film stands this long, ms. */
const FRAME = 700;

/** What the chosen cell says. */
const placeWords = (film: TrainingFilm, place: FilmPlace | null): string => {
  if (!place) return 'no cell chosen';
  const row = film.rows[place.row];
  const cell = row?.cells[place.at];
  const step = formatAfterStep(film.steps[place.at] ?? 0);
  if (!row) return '';
  if (!cell) return `${row.text} ${step}: not asked.`;
  return `${row.text} ${step}: ${signedBy(cell.em === 1, 'em')}, “${answerOf(cell)}”, gold ${row.gold}.`;
};

/** What changed up to a score, against the first one. */
const changesOf = ({ rows }: TrainingFilm, at: number): string => {
  const now = rows.filter(({ cells }) => cells[at]?.em === 1).length;
  if (at === 0) return `${now} of ${rows.length} ${rightBy(true, 'em')}`;
  // A question that was not asked at one of the two has not changed.
  const both = rows.filter(({ cells }) => cells[0] && cells[at]);
  const gained = both.filter(({ cells }) => cells[0]?.em !== 1 && cells[at]?.em === 1).length;
  const lost = both.filter(({ cells }) => cells[0]?.em === 1 && cells[at]?.em !== 1).length;
  return `${now} of ${rows.length} ${rightBy(true, 'em')}: ${gained} newly right, ${lost} newly wrong since the first score`;
};

/** Runs the film to its end, a score a frame. */
const usePlaying = (count: number, at: number, show: (at: number) => void) => {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setTimeout(() => {
      if (at + 1 >= count) setPlaying(false);
      else show(at + 1);
    }, FRAME);
    return () => clearTimeout(timer);
  }, [playing, at, count, show]);
  const toggle = () => {
    // At its end it begins again.
    if (!playing && at + 1 >= count) show(0);
    setPlaying(!playing);
  };
  return { playing, toggle };
};

/** Opens the rollout of a cell, where it is kept; else says why not. */
const useOpen = (run: RunRecord, film: TrainingFilm) => {
  const [, go] = useLocation();
  const [problem, setProblem] = useState<string | null>(null);
  const open = async ({ row, at }: FilmPlace) => {
    const step = film.steps[at] ?? 0;
    const id = film.rows[row]?.id;
    setProblem(null);
    try {
      const kept = await trainApi().rollouts(run.id, step, 'held-out');
      const found = kept.find(({ question }) => question.id === id);
      if (!found)
        return setProblem(
          'This rollout is not kept: it was deleted to free storage, or the run was made elsewhere. Its answer is shown above.',
        );
      const source = { runId: run.id, name: run.name, step, group: found.groupId };
      await showRollouts([found], { ...source, run }, 0, go);
    } catch (error) {
      setProblem(`The rollout could not be read: ${messageOf(error)}`);
    }
  };
  return { open, problem };
};

/** The film with its tools; a chosen cell is said below it, with the ways into its rollout. */
const Shown = ({ run, film }: { run: RunRecord; film: TrainingFilm }) => {
  const last = film.steps.length - 1;
  // Stays at the newest score until it is scrubbed.
  const [scrubbed, setAt] = useState<number | null>(null);
  // A run that went back to a snapshot has fewer scores than when it was scrubbed.
  const at = Math.min(scrubbed ?? last, last);
  const [chosen, setChosen] = useState<FilmPlace | null>(null);
  const [asTable, setAsTable] = useState(false);
  const { playing, toggle } = usePlaying(film.steps.length, at, setAt);
  const { open, problem } = useOpen(run, film);
  const { ref, width } = useElementSize();
  const box = useRef<HTMLDivElement>(null);
  const [, go] = useLocation();
  /** The question of a cell at the first score and at the cell's, in the picture below. */
  const compare = ({ row, at: to }: FilmPlace) => {
    const question = film.rows[row]?.id ?? null;
    const beside = { question, from: film.steps[0] ?? 0, to: film.steps[to] ?? null };
    go(formatTrainAddress({ run: run.id, step: null, beside }), { replace: true });
    document.getElementById('beside')?.scrollIntoView();
  };
  const choose = (place: FilmPlace) => {
    setChosen(place);
    setAt(place.at);
  };
  const none = problem === null && (chosen === null || asTable);
  return (
    <div ref={box}>
      <div className="film-tools">
        <button type="button" className="link" onClick={toggle}>
          {playing ? 'pause' : 'play'}
        </button>
        <label>
          Step{' '}
          <input
            type="range"
            min={0}
            max={last}
            value={at}
            aria-valuetext={formatAfterStep(film.steps[at] ?? 0)}
            onChange={(event) => setAt(event.currentTarget.valueAsNumber)}
          />
        </label>
        <span data-testid="film-now">
          <b>EM {formatShare(film.em[at])}</b> {formatAfterStep(film.steps[at] ?? 0)}{' '}
          <span className="fine">{changesOf(film, at)}</span>
        </span>
        <span className="grow" />
        {asTable ? null : <SaveChart box={box} title={TITLE} />}
        <button
          type="button"
          className="link"
          aria-label={`${TITLE}: ${asTable ? 'picture' : 'table'}`}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'picture' : 'table'}
        </button>
      </div>
      {asTable ? (
        <FilmTable film={film} open={(place) => void open(place)} />
      ) : (
        <div className="film-scroll">
          <div ref={ref}>
            {width > 0 ? (
              <FilmPicture
                film={film}
                width={width}
                at={at}
                chosen={chosen}
                says={placeWords(film, chosen)}
                choose={choose}
                open={(place) => void open(place)}
              />
            ) : null}
          </div>
        </div>
      )}
      <p className="fine film-foot" data-legend="" hidden={!none}>
        Filled: right by EM; frame: wrong. Questions that were right from the start are at the top,
        then those that were learned later, in order; those that end wrong are at the bottom.
      </p>
      <p className="fine film-foot" role="status" hidden={none}>
        {problem ? (
          <span className="tone-bad">⚠ {problem}</span>
        ) : chosen && !asTable ? (
          <>
            {placeWords(film, chosen)}{' '}
            <button type="button" className="link" onClick={() => void open(chosen)}>
              Open this rollout
            </button>{' '}
            {chosen.at === 0 ? null : (
              <button type="button" className="link" onClick={() => compare(chosen)}>
                Before | after
              </button>
            )}{' '}
            <AskAtStep
              run={run}
              step={film.steps[chosen.at] ?? 0}
              question={film.rows[chosen.row]?.id ?? null}
            />
          </>
        ) : null}
      </p>
    </div>
  );
};

/** The held-out questions of a run over its steps. */
export const Film = ({ run, film }: { run: RunRecord; film: TrainingFilm }) => (
  <section className="chart film" aria-label={TITLE} id="film">
    <h2>{TITLE}</h2>
    <Shown run={run} film={film} />
  </section>
);
