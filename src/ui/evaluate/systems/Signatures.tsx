import type { EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import { MEASURES } from '../../../evaluate/systems/table/measures.ts';
import type { SystemsTable, TableRow } from '../../../evaluate/systems/table/shape.ts';
import { MeasuredClaims } from '../../kit/MeasuredClaims.tsx';
import { Term, Terms } from '../../kit/words/explain/Term.tsx';
import {
  differenceWords,
  endsTitle,
  endsWords,
  intervalWords,
  isSignificant,
  valueWords,
} from '../table/cell-words.ts';
import { isVariant, type Family } from './families.ts';

/** The numbers of a row, abbreviated; `compared`: differences from the full system. */
const Measured = ({ row, compared }: { row: TableRow | undefined; compared: boolean }) => {
  if (!row || row.rollouts === 0) return <p className="fine">Nothing measured yet.</p>;
  return (
    <ul className="measured">
      {MEASURES.flatMap((measure) => {
        const cell = row.cells.find((one) => one.measure === measure.id);
        if (!cell?.value) return [];
        const difference = compared ? cell.difference : null;
        return [
          <li key={measure.id}>
            <span className="fine">
              <Terms>{measure.title}</Terms>
            </span>{' '}
            <b>{valueWords(cell.value.mean, measure)}</b>{' '}
            <span className="fine" title={endsTitle(difference)}>
              {difference
                ? `${differenceWords(difference, measure)}${isSignificant(difference) ? '*' : ''} (${endsWords(difference, measure)})`
                : `(${intervalWords(cell.value, measure)})`}
            </span>
          </li>,
        ];
      })}
    </ul>
  );
};

interface SignatureProps {
  system: EvaluatedSystem;
  /** Its row, the reference of the family. */
  row: TableRow | undefined;
  family: Family | undefined;
  titleOf: (system: string) => string;
}

/** The expected effect of a system, next to the results of it and its ablations. */
const Signature = ({ system, row, family, titleOf }: SignatureProps) => (
  <li className="signature">
    <h3>{system.title}</h3>
    <p>
      <Terms>{system.signature ?? ''}</Terms>
    </p>
    <MeasuredClaims recipe={system.recipe} />
    <div className="signature-rows">
      <section aria-label={`${system.title}, full system`}>
        <p className="fine strong">full system</p>
        <Measured row={row} compared={false} />
      </section>
      {(family?.matrix.rows ?? [])
        .filter((row) => row.system !== system.id)
        .map((row) => (
          <section key={row.system} aria-label={titleOf(row.system)}>
            <p className="fine strong">{titleOf(row.system)}</p>
            <Measured row={row.row} compared />
          </section>
        ))}
    </div>
    {family ? null : (
      <p className="fine">
        This evaluation has no ablations of it. Add them with “+ ablations” in a new evaluation.
      </p>
    )}
    {system.departures && system.departures.length > 0 ? (
      <details>
        <summary>Differences from the paper</summary>
        <ul className="differences">
          {system.departures.map((difference) => (
            <li key={difference} className="fine">
              <Terms>{difference}</Terms>
            </li>
          ))}
        </ul>
      </details>
    ) : null}
  </li>
);

/** Expected effects with the measured numbers. */
export const Signatures = (props: {
  systems: readonly EvaluatedSystem[];
  families: readonly Family[];
  table: SystemsTable | null;
}) => {
  const { systems, families, table } = props;
  const whole = systems.filter((system) => system.signature !== null && !isVariant(system));
  const titleOf = (id: string): string => systems.find((one) => one.id === id)?.title ?? id;
  return (
    <section aria-label="Expected effects" className="chart-group">
      <h2>Expected effects</h2>
      <p className="fine">
        What each method should show, what studies of the built-in model found, and the numbers of
        this evaluation; for ablations, the difference from the full system (* significant at 5 %
        after <Term id="holm">Holm’s correction</Term>).
      </p>
      {whole.length === 0 ? (
        <p className="fine">None of these systems has expected effects.</p>
      ) : null}
      <ul className="signatures">
        {whole.map((system) => (
          <Signature
            key={system.id}
            system={system}
            row={table?.rows.find((one) => one.system === system.id)}
            family={families.find((one) => one.whole.id === system.id)}
            titleOf={titleOf}
          />
        ))}
      </ul>
    </section>
  );
};
