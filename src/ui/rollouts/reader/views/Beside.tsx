import { useCallback, type ReactNode } from 'react';
import { answerText } from '../../../../records/outside-answer.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { formatNumber, plural } from '../../../kit/words/format.ts';
import { Problem } from '../parts/Problem.tsx';
import { readRollout } from '../store/api.ts';
import type { RolloutName } from '../store/address.ts';
import { Rounds } from './Rounds.tsx';

/** Answer, right or wrong, reward and rounds of one side. */
const Side = ({ reading, children }: { reading: Reading; children: ReactNode }) => {
  const { rollout, row, rounds, file } = reading;
  const { em, searches } = row.row.numbers;
  const facts = [
    ...(em === null ? [] : [em === 1 ? 'right' : 'wrong']),
    ...(searches === null ? [] : [plural(searches, 'search', 'searches')]),
    ...(rollout.reward === null ? [] : [`reward ${formatNumber(rollout.reward)}`]),
    plural(rounds.length, 'round'),
  ];
  return (
    <section className="beside-side" aria-label={`Rollout of ${file.name}`}>
      <p>
        <b>{answerText(rollout)}</b> <span className="fine">{facts.join(' · ')}</span>
      </p>
      <p className="fine ellipsis" title={rollout.id}>
        {file.name} · {rollout.id}
      </p>
      {children}
    </section>
  );
};

interface SidesProps {
  reading: Reading;
  other: RolloutName;
  /** Opens a rollout at an event. */
  open: (rollout: RolloutName, event?: number) => void;
}

/** Two rollouts in columns, each as rounds. */
export const Beside = ({ reading, other, open }: SidesProps) => {
  const read = useAnswer(`${other.fileId} ${other.rolloutId}`, () =>
    readRollout(other.fileId, other.rolloutId),
  );
  const own = { fileId: reading.file.id, rolloutId: reading.rollout.id };
  const roundsOf = useCallback(
    ({ rollout, rounds, findings }: Reading, name: RolloutName) => {
      const go = (event: number) => open(name, event);
      return (
        <Rounds
          rollout={rollout}
          rounds={rounds}
          findings={findings}
          event={null}
          readText={go}
          goEvent={go}
        />
      );
    },
    [open],
  );
  if (read.state === 'failed') return <Problem what="The other rollout" message={read.message} />;
  return (
    <div className="beside-sides">
      <Side reading={reading}>{roundsOf(reading, own)}</Side>
      {read.state === 'loading' ? (
        <p role="status">Reading the other rollout …</p>
      ) : read.value ? (
        <Side reading={read.value}>{roundsOf(read.value, other)}</Side>
      ) : (
        <p className="note">
          This rollout is not in this browser. Its file was deleted, or imported in another browser.
        </p>
      )}
    </div>
  );
};
