import { useMemo } from 'react';
import { frontierOf } from '../../../evaluate/systems/pictures.ts';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import {
  MEASURES,
  type Measure,
  type MeasureId,
} from '../../../evaluate/systems/table/measures.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import { PickField } from '../../kit/PickField.tsx';
import { QualityCost, type CostPoint, type Measure as Drawn } from '../pictures/QualityCost.tsx';
import type { EvaluateAddress } from '../store/evaluate-address.ts';

/** Measures where more is better are qualities, where less is better costs. */
const QUALITIES = MEASURES.filter(({ better }) => better === 'more').map(({ id }) => id);
const COSTS = MEASURES.filter(({ better }) => better === 'less').map(({ id }) => id);
const NAMES = Object.fromEntries(MEASURES.map(({ id, title }) => [id, title])) as Record<
  MeasureId,
  string
>;

/** A measure as an axis. */
const drawn = (id: MeasureId): Drawn => {
  const unit: Measure['unit'] | undefined = MEASURES.find((one) => one.id === id)?.unit;
  return { name: NAMES[id], unit: unit === 'count' || unit === undefined ? 'number' : unit };
};

/** The systems of a table as points, with the intervals of their quality. */
const pointsOf = (
  table: SystemsTable,
  { systems }: Pick<EvaluationResult, 'systems'>,
  quality: MeasureId,
  cost: MeasureId,
): CostPoint[] =>
  frontierOf(table, cost, quality).map(({ system, ...point }) => {
    const row = table.rows.find((one) => one.system === system);
    const value = row?.cells.find(({ measure }) => measure === quality)?.value;
    return {
      ...point,
      id: system,
      name: systems.find(({ id }) => id === system)?.title ?? system,
      low: value?.low ?? point.quality,
      high: value?.high ?? point.quality,
    };
  });

/** Quality against cost, from one table. */
export const CostView = (props: {
  result: EvaluationResult;
  table: SystemsTable | null;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}) => {
  const { result, table, address, change } = props;
  const { quality, cost } = address;
  const points = useMemo(
    () => (table ? pointsOf(table, result, quality, cost) : []),
    [table, result, quality, cost],
  );
  // Stable objects while the choice is unchanged, because the layout depends on them.
  const measures = useMemo(() => [drawn(quality), drawn(cost)] as const, [quality, cost]);
  return (
    <>
      <div className="form-line">
        <PickField
          label="Quality"
          values={QUALITIES}
          names={NAMES}
          value={quality}
          onPick={(value) => change({ quality: value })}
        />
        <PickField
          label="Cost"
          values={COSTS}
          names={NAMES}
          value={cost}
          onPick={(value) => change({ cost: value })}
        />
      </div>
      <QualityCost
        points={points}
        quality={measures[0]}
        cost={measures[1]}
        empty={
          points.length > 0
            ? null
            : table && result.rollouts.length > 0
              ? 'None of these rollouts has both measures.'
              : 'Appears with the first rollouts.'
        }
        // A selected point becomes the reference of the table.
        onPick={(system) => change({ view: 'table', reference: system })}
      />
    </>
  );
};
