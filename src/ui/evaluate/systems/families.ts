import { ablationMatrix, type AblationMatrix } from '../../../evaluate/systems/ablation-picture.ts';
import type { EvaluatedSystem, EvaluationResult } from '../../../evaluate/systems/result.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';

/** Whether it is a published recipe without changes. */
const isWhole = ({ changes = [] }: EvaluatedSystem): boolean => changes.length === 0;

/** A recipe and the systems derived from it. */
export interface Family {
  whole: EvaluatedSystem;
  /** The recipe and its variants as rows, the settings that differ as columns. */
  matrix: AblationMatrix;
}

/** For every recipe evaluated with at least one variant. */
export const familiesOf = (
  result: Pick<EvaluationResult, 'systems'>,
  table: SystemsTable,
): Family[] =>
  result.systems.filter(isWhole).flatMap((whole): Family[] => {
    const matrix = ablationMatrix(result, table, whole);
    return matrix ? [{ whole, matrix }] : [];
  });

/** Whether a system is derived from another one of the evaluation. */
export const isVariant = (system: EvaluatedSystem): boolean => !isWhole(system);

/** The parts of all systems, most common first, with the systems that have them. */
export const partsMatrix = (
  systems: readonly EvaluatedSystem[],
): { parts: string[]; rows: { system: EvaluatedSystem; has: boolean[] }[] } => {
  const counts = new Map<string, number>();
  for (const { parts } of systems)
    for (const part of new Set(parts)) counts.set(part, (counts.get(part) ?? 0) + 1);
  const parts = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return {
    parts,
    rows: systems.map((system) => ({
      system,
      has: parts.map((part) => system.parts.includes(part)),
    })),
  };
};
