import { Select } from '../kit/Select.tsx';
import { useState } from 'react';
import { Link } from 'wouter';
import { filesVerdict } from '../../evaluate/rollouts/verdict.ts';
import type { ComparedQuestion, Criterion } from '../../evaluate/rollouts/compare-runs.ts';
import { NO_INTERVAL } from '../../evaluate/paired-difference.ts';
import type { ComparedRuns } from '../../lab/contract/rollouts.ts';
import type { FileRecord } from '../../lab/contract/records/rollout-files.ts';
import { formatCount, formatShare, formatSigned } from '../kit/words/format.ts';
import { PickField } from '../kit/PickField.tsx';
import { VerdictLine } from '../kit/page/VerdictLine.tsx';
import { useMore } from '../kit/page/use-more.tsx';
import { useAnswer } from '../kit/use-answer.ts';
import { CRITERIA, readerPath, type BrowseAddress } from './store/browse-address.ts';
import { useRollouts } from './store/rollouts-store.ts';
import { lab } from '../lab/connection.ts';
import { whyNothingShared } from './nothing-shared.ts';
import { Table, type Head } from '../kit/Table.tsx';

/** Two files on the same questions: gains, losses, and flipped questions. */

const HEADS: readonly Head[] = [['question'], ['gold'], ['A'], ['B'], ['B − A', 'figure'], ['']];

/**
 * Scores by name. The normaliser is part of the name, because the same metric of two papers gives two
 * numbers.
 */
const CRITERION_NAMES: Record<Criterion, string> = {
  em: 'EM (SQuAD)',
  coverEm: 'cover-EM (SQuAD)',
  subEm: 'sub-EM (SQuAD)',
  f1: 'F1 (SQuAD)',
  'em.r1-searcher': 'EM (R1-Searcher)',
  'coverEm.r1-searcher': 'cover-EM (R1-Searcher)',
  'subEm.r1-searcher': 'sub-EM (R1-Searcher)',
  'f1.r1-searcher': 'F1 (R1-Searcher)',
  judge: 'the file’s judge',
};

/** The rollouts of one question in one file, next to their mean score. */
const Traces = (props: {
  fileId: string;
  ids: string[];
  score: number;
  answers: Record<string, string>;
}) => {
  const { fileId, ids, score, answers } = props;
  const [first] = ids;
  return (
    <td>
      {formatShare(score)}{' '}
      {ids.length === 1 && first !== undefined ? (
        <span className="trace-answer">{answers[first] || 'no answer'} </span>
      ) : null}
      {ids.slice(0, 6).map((id, i) => (
        <Link key={id} href={readerPath(fileId, id)} className="trace-link" title={answers[id]}>
          {ids.length === 1 ? 'trace' : `trace ${i + 1}`}
        </Link>
      ))}
      {ids.length > 6 ? <span className="fine"> of {ids.length}</span> : null}
    </td>
  );
};

/** Opens the first rollouts of both files beside each other. */
const Beside = (props: { a: string; b: string; question: ComparedQuestion }) => {
  const [[own], [other]] = [props.question.aIds, props.question.bIds];
  if (own === undefined || other === undefined) return null;
  const place = `${encodeURIComponent(props.b)}/${encodeURIComponent(other)}`;
  const query = new URLSearchParams({ view: 'diff', with: place }).toString();
  return <Link href={readerPath(props.a, own, `?${query}`)}>side by side</Link>;
};

/** Filters of the list. "flipped": a 0/1 metric changed. */
const KINDS = ['flipped', 'gained', 'lost', 'same'] as const;

type Kind = (typeof KINDS)[number];

/** Tooltips of the filters. */
const NOTES: Record<Kind, string> = {
  flipped: 'from all wrong to all right by this score, or the reverse',
  gained: 'better by this score in the second file',
  lost: 'worse by this score in the second file',
  same: 'equal in both',
};

/** Questions listed at first, and added by each click on "Show more". */
const PAGE = 200;

/** Questions of one kind with both scores and links to the rollouts. */
const Questions = (props: {
  a: string;
  b: string;
  questions: readonly ComparedQuestion[];
  compared: ComparedRuns;
}) => {
  const { a, b, questions, compared } = props;
  const list = useMore(questions, PAGE);
  const { texts, golds, answers } = compared;
  if (questions.length === 0) return <p className="fine">No questions.</p>;
  return (
    <>
      <Table className="list-table" heads={HEADS}>
        {list.rows.map((question) => (
          <tr key={question.questionId}>
            <th scope="row" className="row-name">
              {(texts[question.questionId] ?? question.questionId).slice(0, 300)}
            </th>
            <td className="free">{golds[question.questionId] ?? ''}</td>
            <Traces fileId={a} ids={question.aIds} score={question.a} answers={answers.a} />
            <Traces fileId={b} ids={question.bIds} score={question.b} answers={answers.b} />
            <td className={`figure ${question.b >= question.a ? 'tone-good' : 'tone-bad'}`}>
              {formatSigned(question.b - question.a)}
            </td>
            <td>
              <Beside a={a} b={b} question={question} />
            </td>
          </tr>
        ))}
      </Table>
      {list.more}
    </>
  );
};

/** The difference over the shared questions with its interval, then the questions. */
const Result = (props: { a: string; b: string; by: Criterion; compared: ComparedRuns }) => {
  const { a, b, by, compared } = props;
  const [kind, setKind] = useState<Kind>('flipped');
  const { difference, onlyA, onlyB, gained, lost, same, noScore } = compared;
  // If one file lacks the score, "only in A/B" would be wrong.
  const bothScored = noScore.a === null && noScore.b === null;
  const shared = gained.length + lost.length + same.length;
  const files = useRollouts((state) => state.files);
  const nameOf = (id: string): string => files.find((file) => file.id === id)?.name ?? id;
  const verdict = filesVerdict(compared, {
    a: nameOf(a),
    b: nameOf(b),
    score: CRITERION_NAMES[by],
  });
  return (
    <>
      <VerdictLine verdict={verdict} />
      <p>
        {formatCount(shared)} questions {bothScored ? 'in both' : 'with this score in both'}, by{' '}
        {CRITERION_NAMES[by]}
        {difference ? (
          <>
            ; B − A <b>{formatSigned(difference.mean, 3)}</b>{' '}
            <span className="fine">
              (
              {difference.low === null
                ? NO_INTERVAL
                : `95 % from ${formatSigned(difference.low, 3)} to ${formatSigned(difference.high, 3)}, paired`}
              )
            </span>
          </>
        ) : (
          `: ${whyNothingShared(compared)}`
        )}
        {bothScored && onlyA.length + onlyB.length > 0 ? (
          <span className="fine">
            ; left out: {formatCount(onlyA.length)} only in A, {formatCount(onlyB.length)} only in B
          </span>
        ) : null}
      </p>
      <div className="choice-line" role="group" aria-label="Which questions">
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            className={one === kind ? 'choice chosen' : 'choice'}
            aria-pressed={one === kind}
            title={NOTES[one]}
            onClick={() => setKind(one)}
          >
            {one} {formatCount(compared[one].length)}
          </button>
        ))}
      </div>
      <Questions key={kind} a={a} b={b} questions={compared[kind]} compared={compared} />
    </>
  );
};

/** Recomputed by the worker for another file or score; both files may be large. */
const Compared = ({ a, b, by }: { a: string; b: string; by: Criterion }) => {
  const read = useAnswer(`${a} ${b} ${by}`, () => lab().rollouts.compare(a, b, by));
  if (read.state === 'loading') return <p role="status">Comparing …</p>;
  if (read.state === 'failed') return <p className="tone-bad">⚠ {read.message}</p>;
  return <Result a={a} b={b} by={by} compared={read.value} />;
};

/** This file (A) against another one (B), question by question. The address holds file and score. */
export const CompareFiles = (props: {
  file: FileRecord;
  address: BrowseAddress;
  change: (change: Partial<BrowseAddress>) => void;
}) => {
  const { file, address, change } = props;
  const files = useRollouts((state) => state.files);
  const others = files.filter(({ id }) => id !== file.id);
  const other = others.find(({ id }) => id === address.other);
  return (
    <section className="browse-body" aria-label="Comparison">
      {others.length === 0 ? (
        <p>No other file to compare with. Drop one on this page.</p>
      ) : (
        <div className="choice-line">
          <span>
            <b>A</b> {file.name}
          </span>
          <span>
            against <b>B</b>
          </span>
          <Select
            size="xs"
            aria-label="File to compare with"
            data={[
              { value: '', label: 'choose a file' },
              ...others.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={other?.id ?? ''}
            onChange={(event) => change({ other: event.currentTarget.value || null })}
          />
          <span>by</span>
          <PickField
            aria-label="Score to compare by"
            values={CRITERIA}
            names={CRITERION_NAMES}
            value={address.by}
            onPick={(by) => change({ by })}
          />
        </div>
      )}
      {other ? <Compared a={file.id} b={other.id} by={address.by} /> : null}
    </section>
  );
};
