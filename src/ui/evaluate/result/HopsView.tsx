import { useMemo } from 'react';
import { lostAt, survivalOf } from '../../../evaluate/systems/pictures/pictures.ts';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import { Survival } from '../pictures/Survival.tsx';
import type { EvaluateAddress } from '../store/evaluate-address.ts';
import { LostList } from './LostList.tsx';

interface HopsViewProps {
  result: EvaluationResult;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

/** How far systems get along the gold chain, and what was lost where. */
export const HopsView = ({ result, address, change }: HopsViewProps) => {
  const rows = useMemo(() => survivalOf(result), [result]);
  const some = rows.some(({ hops }) => hops.length > 0);
  const { lost } = address;
  // In the address, the systems of a question and of a list share one field; a list has one system.
  const [system] = address.systems;
  return (
    <>
      <Survival
        systems={result.systems}
        rows={rows}
        empty={
          some
            ? null
            : result.rollouts.length > 0
              ? 'None of these questions has a known chain of passages.'
              : 'Appears with the first rollouts.'
        }
        onOpen={(of, at) => change({ systems: [of], lost: at })}
      />
      {lost !== null && system !== undefined ? (
        <LostList
          key={`${system} ${lost}`}
          result={result}
          system={system}
          at={lost}
          lost={lostAt(result, system, lost)}
          read={(question) => change({ view: 'questions', question, lost: null })}
          close={() => change({ systems: [], lost: null })}
        />
      ) : null}
    </>
  );
};
