import { Select } from '../kit/Select.tsx';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../../base/errors.ts';
import {
  ANSWER_SCORERS,
  type Disagreement,
  type Opinion,
} from '../../evaluate/rollouts/rescore/disagreement.ts';
import { answerOf } from '../../records/outside-answer.ts';
import { SCORERS, scorerById } from '../../evaluate/rollouts/rescore/scorers.ts';
import type { FileRecord } from '../../lab/contract/records/rollout-files.ts';
import { formatNumber, formatShare, plural } from '../kit/words/format.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';
import { readerPath } from './store/browse-address.ts';
import { attempt } from './store/browse-actions.ts';
import { lab } from '../lab/connection.ts';
import { useMore } from '../kit/page/use-more.tsx';
import { Table, type Head } from '../kit/Table.tsx';

/** Rollouts on which scorers (or the file's judge) disagree. */

const HEADS: readonly Head[] = [
  ['question'],
  ['answer'],
  ['gold'],
  ['highest score'],
  ['lowest score'],
];

/** Option value for all answer metrics together. */
const ANSWERS = 'answer';
/** Option value for the file’s own judge. */
const JUDGE = 'judge';

/** Progress of scoring, which takes seconds for a large file. */
type Read =
  | { state: 'reading'; share: number }
  | { state: 'stopped' }
  | { state: 'failed'; message: string }
  | { state: 'read'; found: readonly Disagreement[] };

const START: Read = { state: 'reading', share: 0 };

/** Cancels a scoring; not an error if it has already ended. */
const stop = (job: string): void =>
  void attempt('The scoring could not be stopped', () => lab().rollouts.cancel(job));

/** Two published scorers, or all answer metrics; the judge if the file has one. */
const useDisagreements = (
  fileId: string,
  a: string,
  b: string,
  turn: number,
): Read & { key: string } => {
  // Also the job name for cancelling: a late cancel must not stop the next one.
  const key = `disagreements ${fileId} ${a} ${b} ${turn}`;
  const [read, setRead] = useState<Read & { key: string }>({ key, ...START });
  useEffect(() => {
    let live = true;
    const load = async (): Promise<void> => {
      try {
        const scorers = a === ANSWERS ? ANSWER_SCORERS : b === JUDGE ? [a] : [a, b];
        const found = await lab().rollouts.disagreements(key, fileId, scorers, (share) => {
          if (live) setRead({ key, state: 'reading', share });
        });
        if (live) setRead(found ? { key, state: 'read', found } : { key, state: 'stopped' });
      } catch (error) {
        const message = messageOf(error);
        if (live) setRead({ key, state: 'failed', message });
      }
    };
    void load();
    return () => {
      live = false;
      stop(key);
    };
  }, [key, fileId, a, b]);
  // An answer to an earlier choice is not shown.
  return read.key === key ? read : { key, ...START };
};

/** Scorers by their published names. */
const scorerName = (id: string): string =>
  id === 'judge' ? 'judge' : (scorerById(id)?.name ?? id);

/** A score relative to its scorer's range. */
const Said = ({ opinion, tone }: { opinion: Opinion; tone: string }) => (
  <>
    <span className={tone}>{formatNumber(opinion.share)}</span>{' '}
    <span className="fine">{scorerName(opinion.by)}</span>
  </>
);

/** Rollouts listed at first, and added by each click on "Show more". */
const PAGE = 200;

/** Rollouts by disagreement, largest first; each links to the reader. */
const List = (props: { fileId: string; search: string; found: readonly Disagreement[] }) => {
  const list = useMore(props.found, PAGE);
  return (
    <>
      <Table className="list-table" heads={HEADS}>
        {list.rows.map(({ rollout, question, answer, outside, gold, kindest, harshest }) => (
          <tr key={rollout}>
            <th scope="row" className="row-name">
              <Link href={readerPath(props.fileId, rollout, props.search)}>
                {question.slice(0, 300)}
              </Link>
            </th>
            <td className="free">{answerOf({ answer, outside }).trim().slice(0, 200)}</td>
            <td className="free">{gold.join(' / ').slice(0, 200)}</td>
            <td>
              <Said opinion={kindest} tone="tone-good" />
            </td>
            <td>
              <Said opinion={harshest} tone="tone-bad" />
            </td>
          </tr>
        ))}
      </Table>
      {list.more}
    </>
  );
};

const toLookAt = (count: number): string =>
  count === 0
    ? 'These differ by less than 0.5 on every rollout. Other scorers, or a judge, may differ more.'
    : `${plural(count, 'rollout')} to look at`;

/** Large disagreements show where a metric is unreliable. Compares two scorers, or one with the file's judge. */
export const Disagreements = ({ file, search }: { file: FileRecord; search: string }) => {
  const [a, setA] = useState(ANSWERS);
  const [b, setB] = useState('cover-em');
  const [turn, setTurn] = useState(0);
  const read = useDisagreements(file.id, a, b, turn);
  const scorers = SCORERS.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <section className="browse-body" aria-label="Disagreements">
      <div className="choice-line">
        <Select
          size="xs"
          aria-label="First scorer"
          data={[
            {
              value: ANSWERS,
              label: 'the scorers of the answer (EM, F1, cover-EM, sub-EM by SQuAD’s normaliser)',
            },
            ...scorers,
          ]}
          value={a}
          onChange={(event) => setA(event.currentTarget.value)}
        />
        {a === ANSWERS ? null : (
          <>
            <span>against</span>
            <Select
              size="xs"
              aria-label="Second scorer"
              data={
                file.statistics?.judge
                  ? [{ value: JUDGE, label: 'the file’s judge' }, ...scorers]
                  : scorers
              }
              value={b}
              onChange={(event) => setB(event.currentTarget.value)}
            />
          </>
        )}
        {file.statistics?.judge && (a === ANSWERS || b !== JUDGE) ? (
          <span>and the file’s judge</span>
        ) : null}
      </div>
      <p className="fine">
        Each score as a share of its scorer’s range; listed where the highest and the lowest are at
        least 0.5 apart, the largest gap first.
      </p>
      <div role="status">
        {read.state === 'reading' ? 'Scoring every rollout …' : null}
        {read.state === 'stopped' ? 'Stopped; nothing is listed.' : null}
        {read.state === 'read' ? toLookAt(read.found.length) : null}
      </div>
      {read.state === 'reading' ? (
        <p className="choice-line">
          <progress className="bar" aria-label="Rollouts scored" max={1} value={read.share} />
          <span className="fine">
            {formatShare(read.share)}
            <TimeLeft of={read.key} share={read.share} />
          </span>
          <button type="button" className="link" onClick={() => stop(read.key)}>
            Cancel
          </button>
        </p>
      ) : null}
      {read.state === 'stopped' ? (
        <button type="button" className="link" onClick={() => setTurn(turn + 1)}>
          Score again
        </button>
      ) : null}
      {read.state === 'failed' ? <p className="tone-bad">⚠ {read.message}</p> : null}
      {read.state === 'read' && read.found.length > 0 ? (
        <List fileId={file.id} search={search} found={read.found} />
      ) : null}
    </section>
  );
};
