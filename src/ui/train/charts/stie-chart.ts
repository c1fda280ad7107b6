import type { StieCounts } from '../../../records/stie.ts';
import { repeatedAnswers } from '../../../agent/stie-counts.ts';
import type { ChartSpec } from '../../kit/charts/series.ts';
import { line, spec, type Steps } from './chart-parts.ts';

/** Lines of the chart of STIE, by its counts. */
const STIE_LINES = [
  ['too like an earlier one (9)', repeatedAnswers],
  ['kept, as passages support it', ({ exempt }) => exempt],
  ['replaced (10)–(11)', ({ replaced }) => replaced],
  ['blocked (12)', ({ joinedBlocked }) => joinedBlocked],
  ['queries refused', ({ queriesRefused }) => queriesRefused],
  [
    'stops',
    (counts) =>
      counts.stopOverlapAbove +
      counts.stopOverlapBelow +
      counts.stopConfidence +
      counts.stopNewInformation +
      counts.stopRepeatedQueries,
  ],
] as const satisfies readonly (readonly [string, (counts: StieCounts) => number])[];

/** How often STIE's clauses fired; absent where it judged nothing. */
export const stie = (steps: Steps): ChartSpec[] =>
  steps.some((step) => step.stie)
    ? [
        spec(
          'stie',
          'STIE: clauses that fired',
          'times in the rollouts of a step; click a step to see which rules',
          'number',
          STIE_LINES.map(([name, of], index) =>
            line(steps, name, index, (step) => (step.stie ? of(step.stie) : null)),
          ),
          { include: [0] },
        ),
      ]
    : [];
