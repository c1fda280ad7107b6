import { useCallback, useEffect, useMemo, useState } from 'react';
import type { EvaluatedSystem, EvaluationResult } from '../../../evaluate/systems/result.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import { useTables } from '../table/use-tables.ts';
import { AblationPicture } from './AblationPicture.tsx';
import { familiesOf, type Family } from './families.ts';
import { PartsPicture } from './PartsPicture.tsx';
import { Signatures } from './Signatures.tsx';

/** A recipe and its variants: a table with the recipe as reference. */
const FamilyPart = (props: {
  id: string;
  whole: EvaluatedSystem;
  result: EvaluationResult;
  known: (family: Family) => void;
}) => {
  const { id, whole, result, known } = props;
  const { tables, problem } = useTables(id, { reference: whole.id }, result.rollouts.length);
  const table = tables?.[0];
  const family = useMemo(
    () => table && familiesOf(result, table).find((one) => one.whole.id === whole.id),
    [result, table, whole.id],
  );
  // Passed up, because only a table with this system as reference has its differences, which the expected
  // effects need.
  useEffect(() => {
    if (family) known(family);
  }, [family, known]);
  if (problem !== null) return <p className="tone-bad">⚠ {problem}</p>;
  return family ? <AblationPicture family={family} systems={result.systems} /> : null;
};

/** Parts, ablations and expected effects of the systems. */
export const SystemsView = (props: {
  id: string;
  result: EvaluationResult;
  table: SystemsTable | null;
}) => {
  const { id, result, table } = props;
  const [families, setFamilies] = useState<Readonly<Record<string, Family>>>({});
  const known = useCallback(
    (family: Family) => setFamilies((before) => ({ ...before, [family.whole.id]: family })),
    [],
  );
  // Which recipes have variants does not depend on the reference.
  const wholes = useMemo(
    () => (table ? familiesOf(result, table).map(({ whole }) => whole) : []),
    [result, table],
  );
  return (
    <>
      <section aria-label="Ablations" className="chart-group">
        <h2>What the parts do</h2>
        {table !== null && wholes.length === 0 ? (
          <p className="fine">
            No ablations here. “+ ablations” in a new evaluation adds variants with one part
            removed; duplicate a system to change anything else.
          </p>
        ) : (
          wholes.map((whole) => (
            <FamilyPart key={whole.id} id={id} whole={whole} result={result} known={known} />
          ))
        )}
      </section>
      <PartsPicture systems={result.systems} />
      <Signatures systems={result.systems} families={Object.values(families)} table={table} />
    </>
  );
};
