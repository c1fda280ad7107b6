import { useMemo } from 'react';
import { survivalOf } from '../../../evaluate/systems/pictures/pictures.ts';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import { Survival } from '../pictures/Survival.tsx';

/** How far down their chains systems come. */
export const HopsView = ({ result }: { result: EvaluationResult }) => {
  const rows = useMemo(() => survivalOf(result), [result]);
  const some = rows.some(({ hops }) => hops.length > 0);
  return (
    <Survival
      systems={result.systems}
      rows={rows}
      empty={
        some
          ? null
          : result.rollouts.length > 0
            ? 'None of these questions names the chain of passages that it needs.'
            : 'Shows with the first rollouts.'
      }
    />
  );
};
