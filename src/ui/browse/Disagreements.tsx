import { NativeSelect } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import {
  ANSWER_SCORERS,
  SCORERS,
  scorerById,
  type Disagreement,
  type Opinion,
} from '../../evaluate/inspect/rescore/index.ts';
import type { FileRecord } from '../../runs/inspection/index.ts';
import { formatNumber, plural } from '../lib/format.ts';
import { readerPath } from '../stores/browse-address.ts';
import { lab } from '../stores/connection.ts';

/** Rollouts that scorers, or scorers and the file's judge, see differently. */

const ANSWERS = 'answer';

type Read =
  | { state: 'reading' }
  | { state: 'failed'; message: string }
  | { state: 'read'; found: readonly Disagreement[] };

/** Two published scorers, or those of the answer together; the judge is asked where there is one. */
const useDisagreements = (fileId: string, a: string, b: string): Read => {
  const key = `${fileId} ${a} ${b}`;
  const [read, setRead] = useState<Read & { key: string }>({ key, state: 'reading' });
  useEffect(() => {
    let live = true;
    const load = async (): Promise<void> => {
      try {
        const scorers = a === ANSWERS ? ANSWER_SCORERS : [a, b];
        const found = await lab().inspection.disagreements(fileId, scorers);
        if (live) setRead({ key, state: 'read', found });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (live) setRead({ key, state: 'failed', message });
      }
    };
    void load();
    return () => {
      live = false;
    };
  }, [key, fileId, a, b]);
  return read.key === key ? read : { state: 'reading' };
};

const scorerName = (id: string): string =>
  id === 'judge' ? 'judge' : (scorerById(id)?.name ?? id);

const Said = ({ opinion, tone }: { opinion: Opinion; tone: string }) => (
  <>
    <span className={tone}>{formatNumber(opinion.share)}</span>{' '}
    <span className="fine">{scorerName(opinion.by)}</span>
  </>
);

const PAGE = 200;

const List = (props: { fileId: string; search: string; found: readonly Disagreement[] }) => {
  const [shown, setShown] = useState(PAGE);
  const { found } = props;
  return (
    <>
      <table className="runs-table">
        <thead>
          <tr>
            <th scope="col">question</th>
            <th scope="col">answer</th>
            <th scope="col">kindest</th>
            <th scope="col">harshest</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, shown).map(({ rollout, question, answer, kindest, harshest }) => (
            <tr key={rollout}>
              <th scope="row" className="run-name">
                <Link href={readerPath(props.fileId, rollout, props.search)}>
                  {question.slice(0, 300)}
                </Link>
              </th>
              <td>{answer === null ? <i>none</i> : answer.trim().slice(0, 200)}</td>
              <td>
                <Said opinion={kindest} tone="tone-good" />
              </td>
              <td>
                <Said opinion={harshest} tone="tone-bad" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > shown ? (
        <button type="button" className="link" onClick={() => setShown(shown + PAGE)}>
          Show more of {found.length}
        </button>
      ) : null}
    </>
  );
};

export const Disagreements = ({ file, search }: { file: FileRecord; search: string }) => {
  const [a, setA] = useState(ANSWERS);
  const [b, setB] = useState('cover-em');
  const read = useDisagreements(file.id, a, b);
  const scorers = SCORERS.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <section className="browse-body" aria-label="Disagreements">
      <div className="choice-line">
        <NativeSelect
          size="xs"
          aria-label="First scorer"
          data={[
            { value: ANSWERS, label: 'the scorers of the answer (EM, F1, cover-EM, sub-EM)' },
            ...scorers,
          ]}
          value={a}
          onChange={(event) => setA(event.currentTarget.value)}
        />
        {a === ANSWERS ? null : (
          <>
            <span>against</span>
            <NativeSelect
              size="xs"
              aria-label="Second scorer"
              data={scorers}
              value={b}
              onChange={(event) => setB(event.currentTarget.value)}
            />
          </>
        )}
        {file.statistics?.judge ? <span>and the file’s judge</span> : null}
      </div>
      <p className="fine">
        Shares of each scorer’s own range, 0 its worst and 1 its best; listed where best and worst
        opinion are at least 0.5 apart, the widest first.
      </p>
      <div role="status">
        {read.state === 'reading' ? 'Scoring every rollout …' : null}
        {read.state === 'read' ? `${plural(read.found.length, 'rollout')} to look at` : null}
      </div>
      {read.state === 'failed' ? <p className="tone-bad">⚠ {read.message}</p> : null}
      {read.state === 'read' && read.found.length > 0 ? (
        <List fileId={file.id} search={search} found={read.found} />
      ) : null}
    </section>
  );
};
