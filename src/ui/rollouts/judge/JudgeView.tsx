import { Button, NumberInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import type { JudgeStatus } from '../../../lab/contract/rollouts.ts';
import {
  type FileRecord,
  type Judging,
  MOST_NOT_JUDGED,
} from '../../../lab/contract/records/rollout-files.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatCount, formatShare, plural } from '../../kit/words/format.ts';
import { Table, type Head } from '../../kit/Table.tsx';
import { lab } from '../../lab/connection.ts';
import { grouped, keyOf, useChatModels } from '../../setup/form/policy-words.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { startJudging, stopJudging, judgingLeft } from './judge-actions.ts';
import { useRollouts, type JudgeJob } from '../store/rollouts-store.ts';
import { filePath, readerPath } from '../store/browse-address.ts';

const REASON_HEADS: readonly Head[] = [['rollout'], ['why there is no verdict']];

/** Rollouts without a verdict, with the reason. A full list says that there may be more. */
export const NotJudged = (props: {
  judging: Pick<Judging, 'notJudged'>;
  fileId: string;
  search: string;
}) => {
  const { notJudged } = props.judging;
  if (notJudged.length === 0) return null;
  return (
    <section aria-label="Not judged">
      <h2>
        Not judged: {formatCount(notJudged.length)}
        {notJudged.length < MOST_NOT_JUDGED ? '' : ' or more, the first of them'}
      </h2>
      <Table heads={REASON_HEADS} className="plain-table">
        {notJudged.map(({ rollout, reason }) => (
          <tr key={rollout}>
            <td>
              <Link href={readerPath(props.fileId, rollout, props.search)}>{rollout}</Link>
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
};

/**
 * Counts of the last job on this file, or a note that another file is being judged. "Not judged":
 * failed calls and unreadable verdicts.
 */
export const JudgeProgress = ({ job, fileId }: { job: JudgeJob; fileId: string }) => {
  if (job.fileId !== fileId)
    return job.status === 'ended' ? null : (
      <p className="fine" role="status">
        The answers of <Link href={filePath(job.fileId, '?view=judge')}>another file</Link> are
        being judged; only one file at a time.
      </p>
    );
  const left = judgingLeft(job);
  return (
    <div role="status" data-testid="judge-progress">
      <progress className="bar" max={Math.max(1, job.total)} value={job.done} aria-label="Judged" />
      <p className="fine">
        {formatCount(job.done)} of {formatCount(job.total)} asked · by the judge right{' '}
        {formatCount(job.right)}, wrong {formatCount(job.wrong)} · not judged{' '}
        {formatCount(job.notJudged)}
        {job.status === 'running' && left !== null ? ` · ≈ ${formatDuration(left)} to go` : ''}
      </p>
      {job.words === null ? null : <p className="note">{job.words}</p>}
    </div>
  );
};

import './judge.css';

/**
 * Judging a file: choice of judge, progress, agreement with EM, cost. Verdicts are stored in the
 * rollouts, the job is in `judge-actions.ts`.
 */

/** Statistics of the stored verdicts; null while loading, a message on failure. */
const useJudgeStatus = (file: FileRecord): JudgeStatus | string | null => {
  const kept = useRollouts((state) => state.verdictsKept);
  const [judgeStatus, setJudgeStatus] = useState<JudgeStatus | string | null>(null);
  useEffect(() => {
    let live = true;
    lab()
      .rollouts.judgeStanding(file.id)
      .then(
        (found) => live && setJudgeStatus(found),
        (error: unknown) => live && setJudgeStatus(messageOf(error)),
      );
    return () => {
      live = false;
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- read again when verdicts were kept
  }, [file.id, kept]);
  return judgeStatus;
};

const HEADS: readonly Head[] = [[''], ['EM 1', 'number'], ['EM 0', 'number']];

/** Verdicts against EM as a 2 × 2 table, with agreement and Cohen’s κ; κ is null if both are constant. */
const AgreementTable = ({ agreement }: Pick<JudgeStatus, 'agreement'>) => {
  const { n, bothRight, bothWrong, judgeOnly, emOnly, agreement: share, kappa } = agreement;
  if (n === 0) return <p className="fine">No answer has a verdict yet.</p>;
  return (
    <section aria-label="Agreement with EM">
      <Table heads={HEADS} className="plain-table agreement">
        <tr>
          <th scope="row">judge right</th>
          <td className="number">{formatCount(bothRight)}</td>
          <td className="number">{formatCount(judgeOnly)}</td>
        </tr>
        <tr>
          <th scope="row">judge wrong</th>
          <td className="number">{formatCount(emOnly)}</td>
          <td className="number">{formatCount(bothWrong)}</td>
        </tr>
      </Table>
      <p>
        {formatCount(n)} verdicts, {formatShare((bothRight + judgeOnly) / n)} right by the judge.
        Agreement with EM {formatShare(share ?? 0)}, Cohen’s κ{' '}
        {kappa === null ? 'undefined: agreement by chance is already 1' : kappa.toFixed(2)}.
      </p>
    </section>
  );
};

/** Dollars per million tokens, typed by the user and not stored; '' while empty. */
interface Price {
  prompt: number | '';
  completion: number | '';
}

/** Dollars of all calls; null without both prices, or if calls reported no tokens (the sum would be too low). */
const dollarsOf = ({ cost }: Judging, { prompt, completion }: Price): number | null =>
  prompt === '' || completion === '' || cost.uncounted > 0
    ? null
    : (cost.promptTokens * prompt + cost.completionTokens * completion) / 1e6;

/** Calls, tokens and time of the last judge. */
const Cost = ({ judging }: { judging: Judging }) => {
  const [price, setPrice] = useState<Price>({ prompt: '', completion: '' });
  const { calls, uncounted, promptTokens, completionTokens, seconds } = judging.cost;
  const dollars = dollarsOf(judging, price);
  const set = (part: keyof Price) => (value: number | string) =>
    setPrice((before) => ({ ...before, [part]: typeof value === 'number' ? value : '' }));
  return (
    <section aria-label="Cost">
      <p>
        {judging.by}, prompt version {judging.promptVersion}: {plural(calls, 'call')},{' '}
        {calls > 0 && uncounted === calls
          ? 'tokens not reported by the model'
          : `${formatCount(promptTokens)} input and ${formatCount(completionTokens)} output tokens`}
        , {formatDuration(seconds)} of calls
        {dollars === null ? '' : `, $${dollars.toFixed(4)}`}.
      </p>
      {uncounted > 0 ? null : (
        <div className="judge-line">
          <NumberInput
            size="xs"
            label="$ per million input tokens"
            min={0}
            value={price.prompt}
            onChange={set('prompt')}
          />
          <NumberInput
            size="xs"
            label="$ per million output tokens"
            min={0}
            value={price.completion}
            onChange={set('completion')}
          />
        </div>
      )}
    </section>
  );
};

/** Chooses the judge (stored in the setup), and starts and stops it. One job at a time. */
const Chooser = ({ file, judgeStatus }: { file: FileRecord; judgeStatus: JudgeStatus }) => {
  const judges = useChatModels();
  const spec = useSetup(({ setup }) => setup.judge);
  const change = useSetup((state) => state.change);
  const job = useRollouts((state) => state.judging);
  const busy = job !== null && job.status !== 'ended';
  const chosen =
    spec.kind === 'model' ? judges.find(({ ref }) => keyOf(ref) === keyOf(spec.policy)) : undefined;
  if (judges.length === 0)
    return (
      <p>
        No model here can judge. The built-in model cannot judge answers. Add a server or a chat
        model on <Link href="/models">Models</Link>.
      </p>
    );
  return (
    <div className="judge-line">
      <Select
        size="xs"
        label="Judge"
        value={chosen ? keyOf(chosen.ref) : ''}
        data={[{ value: '', label: 'choose a model' }, ...grouped(judges)]}
        onChange={({ currentTarget: { value } }) => {
          const found = judges.find(({ ref }) => keyOf(ref) === value);
          change({ judge: found ? { kind: 'model', policy: found.ref } : { kind: 'off' } });
        }}
      />
      {busy ? (
        <Button
          size="xs"
          variant="default"
          disabled={job.status === 'stopping'}
          onClick={stopJudging}
        >
          Stop
        </Button>
      ) : (
        <>
          <Button
            size="xs"
            disabled={!chosen || judgeStatus.without === 0}
            onClick={() => chosen && void startJudging(file.id, chosen.ref, false)}
          >
            Judge {plural(judgeStatus.without, 'answer')} unjudged
          </Button>
          {judgeStatus.without < judgeStatus.judgeable ? (
            <Button
              size="xs"
              variant="default"
              disabled={!chosen}
              onClick={() => chosen && void startJudging(file.id, chosen.ref, true)}
            >
              Judge all {formatCount(judgeStatus.judgeable)} again
            </Button>
          ) : null}
        </>
      )}
    </div>
  );
};

/**
 * The Judge tab of a file.
 * @param props.search query of the address, kept in links so that "back" restores the table
 */
export const JudgeView = ({ file, search }: { file: FileRecord; search: string }) => {
  const judgeStatus = useJudgeStatus(file);
  const job = useRollouts((state) => state.judging);
  if (judgeStatus === null) return <p role="status">Reading the verdicts …</p>;
  if (typeof judgeStatus === 'string') return <p className="warn">{judgeStatus}</p>;
  if (file.status === 'importing')
    return <p>The file is still being read. Judge its answers once it is complete.</p>;
  if (judgeStatus.judgeable === 0)
    return (
      <p>Nothing to judge: no rollout in this file has both a gold answer and a readable answer.</p>
    );
  return (
    <div className="judge-view">
      <p className="fine">
        LLM judge (LJ): a model decides whether an answer means the same as a gold answer. The
        verdicts are stored with the rollouts: see them in the table, filters, disagreements and
        exports.
      </p>
      <Chooser file={file} judgeStatus={judgeStatus} />
      {job ? <JudgeProgress job={job} fileId={file.id} /> : null}
      <AgreementTable agreement={judgeStatus.agreement} />
      {judgeStatus.judging ? (
        <>
          <Cost judging={judgeStatus.judging} />
          <NotJudged judging={judgeStatus.judging} fileId={file.id} search={search} />
        </>
      ) : null}
    </div>
  );
};
