import { useMemo } from 'react';
import { Link } from 'wouter';
import {
  loadExpectedCurves,
  type ExpectedCurve,
  type ExpectedCurves,
} from '../../evaluate/study/expected-curves.ts';
import { TRAININGS } from '../../systems/index.ts';
import { Chart } from '../kit/charts/Chart.tsx';
import { ChartsTogether } from '../kit/charts/charts-store.tsx';
import { useAnswer } from '../kit/use-answer.ts';
import { Terms } from '../kit/words/explain/Term.tsx';
import { formatCount, formatShare, plural } from '../kit/words/format.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { changeDraft, chooseTraining } from '../train/store/train-draft.ts';

/** Training results of this repository's studies per recipe, for users without runs. */

/** A training that was measured. */
interface Measured {
  id: string;
  title: string;
  curve: ExpectedCurve;
}

/** Where most is learned gets a chart; of the others start and end are said. */
const isDrawn = ({ curve }: Measured): boolean => curve.start !== undefined;

/** The scores as chart series. */
const chartOf = (measured: readonly Measured[]) => ({
  id: 'measured-em',
  title: 'Held-out EM',
  note: 'by step; a run on the page starts at the same score',
  unit: 'share' as const,
  kind: 'lines' as const,
  series: measured.map(({ id, curve }, colour) => ({
    id,
    // Short enough for a line's label.
    name: id,
    colour,
    points: curve.em.map(([x, y]) => ({ x, y })),
    sparse: true,
  })),
  empty: 'No recipe was trained from such a start.',
});

/** A recipe name (opens the form of a run), its scores, and what they are means of. */
const Training = ({ title, curve }: Measured) => {
  const [first, last] = [curve.em[0], curve.em.at(-1)];
  if (!first || !last) return null;
  return (
    <li>
      <Link
        href={formatTrainAddress({ run: null, step: null })}
        className="ellipsis"
        title={title}
        onClick={() => {
          chooseTraining(curve.training);
          changeDraft('start', curve.start);
        }}
      >
        {title}
      </Link>
      <span className="figure">
        {formatShare(first[1])} → {formatShare(last[1])}
      </span>
      <span className="figure fine">{plural(last[0], 'step')}</span>
    </li>
  );
};

const List = ({ rows }: { rows: readonly Measured[] }) => (
  <ul>
    {rows.map((row) => (
      <Training key={row.id} {...row} />
    ))}
  </ul>
);

/** How many questions and seeds the scores are from. */
const basisOf = (rows: readonly Measured[]): string => {
  const counts = (of: (curve: ExpectedCurve) => number): string =>
    [...new Set(rows.map(({ curve }) => of(curve)))]
      .toSorted((a, b) => a - b)
      .map(formatCount)
      .join(' or ');
  const seeds = counts((curve) => curve.seeds.length);
  return `${seeds} ${seeds === '1' ? 'seed' : 'seeds'}, n = ${counts((curve) => curve.questions)} questions`;
};

/** In the order of the form’s recipes. */
const Trainings = ({ policy, curves }: ExpectedCurves) => {
  const rows = useMemo(
    () =>
      TRAININGS.flatMap(({ id, recipe, variant }): Measured[] => {
        const title = `${recipe.title} · ${variant.title}`;
        return curves
          .filter(({ training }) => training === id)
          .map((curve) => ({ id, title, curve }));
      }),
    [curves],
  );
  const drawn = useMemo(() => rows.filter(isDrawn), [rows]);
  const chart = useMemo(() => chartOf(drawn), [drawn]);
  const once = rows.filter((row) => !isDrawn(row));
  if (rows.length === 0) return null;
  return (
    <section className="measured-runs" aria-labelledby="measured-runs">
      <div className="measured-drawn">
        <div>
          <h2 id="measured-runs">Measured training runs</h2>
          <p className="fine">
            Held-out <Terms>EM</Terms> before the first and after the last step, in studies in this
            repository with {policy.id}@{policy.revision}, the built-in model. Click a name to open
            the form with that recipe and start.
          </p>
          <h3>From a model that was taught not to search: {basisOf(drawn)}</h3>
          <List rows={drawn} />
        </div>
        <ChartsTogether>
          <Chart spec={chart} />
        </ChartsTogether>
      </div>
      <h3>From where the recipe starts: {basisOf(once)}</h3>
      <List rows={once} />
    </section>
  );
};

/** Loaded when the list of runs is empty, and hidden on failure, because it is only supplementary. */
export const MeasuredRuns = () => {
  const answer = useAnswer('measured', loadExpectedCurves);
  return answer.state === 'ready' ? <Trainings {...answer.value} /> : null;
};
