import { useEffect, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { EvaluationSpec } from '../../../evaluate/systems/spec.ts';
import type { UnknownInSet } from '../../../lab/contract/evaluations.ts';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { useMore } from '../../kit/page/use-more.tsx';
import { evaluationsApi } from '../store/evaluate-actions.ts';
import { faultOf, useEvaluateDraft } from '../store/evaluate-draft.ts';
import { useEvaluate } from '../store/evaluate-store.ts';

/** Idle time of the form before passages are read, ms. */
const REST_MS = 500;
/** Questions listed at first, and added by each click on “Show more”. */
const PAGE = 20;

/** State of the name check; `nothing` if nothing imported is used, or the form is invalid. */
export type NameCheck =
  | { state: 'nothing' }
  | { state: 'reading'; stage: string; leftMs: number | null; stop: () => void }
  | { state: 'stopped'; again: () => void }
  | { state: 'known'; sets: readonly UnknownInSet[] }
  | { state: 'failed'; message: string };

const NOTHING: NameCheck = { state: 'nothing' };

/** The inputs of the name check. */
const keyOf = ({ systems, questions, retrieval }: EvaluationSpec, round: number): string =>
  JSON.stringify([systems, questions, retrieval, round]);

/** Names in the chosen questions that no searched passage mentions; checked again when the form changes. */
export const useUnknownNames = (): NameCheck => {
  const spec = useEvaluateDraft((state) => state.spec);
  const ready = useEvaluate((state) => state.status === 'ready');
  const [found, setFound] = useState<{ to: string; nameCheck: NameCheck } | null>(null);
  const [round, setRound] = useState(0);
  const own =
    spec.questions.some(({ kind }) => kind === 'collections') ||
    spec.retrieval.some(({ local }) => local?.kind === 'collections');
  const key = ready && own && faultOf(spec) === null ? keyOf(spec, round) : null;
  useEffect(() => {
    if (key === null) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const show = (nameCheck: NameCheck): void => {
      if (!signal.aborted) setFound({ to: key, nameCheck });
    };
    const stop = (): void => {
      show({ state: 'stopped', again: () => setRound((before) => before + 1) });
      abort.abort(new Error('stopped'));
    };
    const look = async () => {
      try {
        const sets = await evaluationsApi().unknownNames(
          useEvaluateDraft.getState().spec,
          (stage, { leftMs = null }) => show({ state: 'reading', stage, leftMs, stop }),
          signal,
        );
        show({ state: 'known', sets });
      } catch (error) {
        show({ state: 'failed', message: messageOf(error) });
      }
    };
    const timer = setTimeout(() => void look(), REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort(new Error('the selection changed'));
    };
  }, [key]);
  // Results for other questions or passages are not shown.
  return found !== null && found.to === key ? found.nameCheck : NOTHING;
};

/** Unknown names of one question set; also says if all names are known. */
const Naming = (props: { found: UnknownInSet; where: string; searchesOwn: boolean }) => {
  const { found, where, searchesOwn } = props;
  const { questions, naming, first } = found;
  const { rows, more } = useMore(first, PAGE);
  if (naming === 0)
    return (
      <p className="fine">
        Passages that are searched{where} mention every name found in{' '}
        {questions === 1 ? 'the question' : `these ${formatCount(questions)} questions`}.
      </p>
    );
  return (
    <details className="note">
      <summary>
        ⚠ {formatCount(naming)} of {plural(questions, 'question')} name
        {naming === 1 ? 's' : ''} something that no passage searched{where} mentions: any answer to
        {naming === 1 ? ' it' : ' them'} is a guess
      </summary>
      {searchesOwn ? null : (
        <p className="fine">
          The built-in passages are searched. “Search the sources chosen on Corpus”, under
          Retrieval, searches your own.
        </p>
      )}
      <ul>
        {rows.map(({ text, names }, at) => (
          <li key={at} className="fine">
            <b>{names.map((name) => `“${name}”`).join(', ')}</b> in “{text}”
          </li>
        ))}
      </ul>
      {more}
      {more === null && naming > first.length ? (
        <p className="fine">and {formatCount(naming - first.length)} more</p>
      ) : null}
    </details>
  );
};

/** Unknown names of one question set, per retrieval setting. */
export const UnknownNames = ({ nameCheck, set }: { nameCheck: NameCheck; set: number }) => {
  const retrieval = useEvaluateDraft(({ spec }) => spec.retrieval);
  if (nameCheck.state !== 'known') return null;
  return nameCheck.sets
    .filter((one) => one.set === set)
    .map((found) => {
      const numbers = found.retrievals.map((at) => at + 1);
      const some = numbers.length < retrieval.length;
      const where = some ? ` under retrieval setting ${numbers.join(' and ')}` : '';
      const searchesOwn = found.retrievals.some(
        (at) => retrieval[at]?.local?.kind === 'collections',
      );
      return <Naming key={numbers.join()} found={found} where={where} searchesOwn={searchesOwn} />;
    });
};

/** Progress of the check, a stop button, and why it ended. */
export const NameCheckProgress = ({ nameCheck }: { nameCheck: NameCheck }) => {
  switch (nameCheck.state) {
    case 'reading':
      return (
        <p className="fine">
          Do passages mention what these questions name? {nameCheck.stage}
          {nameCheck.leftMs === null
            ? ''
            : ` · ${formatDuration(nameCheck.leftMs / 1000)} left`}{' '}
          <button type="button" className="link" onClick={nameCheck.stop}>
            Skip this check
          </button>
        </p>
      );
    case 'stopped':
      return (
        <p className="fine">
          The names were not checked.{' '}
          <button type="button" className="link" onClick={nameCheck.again}>
            Look up
          </button>
        </p>
      );
    case 'failed':
      return <p className="fine">⚠ The names could not be checked: {nameCheck.message}</p>;
    case 'nothing':
    case 'known':
      return null;
  }
};
