import type { ReactNode } from 'react';
import type { Question } from '../../records/records.ts';
import { asksWords, relationWords } from '../kit/words/step-words.ts';
import { Icon } from '../kit/Icon.tsx';
import { useSession } from '../kit/session-store.ts';
import { isRunning, useAsk } from './store/ask-store.ts';

/** The gold chain, step by step: what each asks or states, and its result; the tooltip names the passage. */
const Chain = ({ question }: { question: Question }) =>
  question.chain && question.chain.length > 0 ? (
    <ol className="chain" aria-label="Gold chain">
      {question.chain.map((step, index) => (
        <li key={index} title={`states it: ${step.title}`}>
          {step.query ? asksWords(step) : step.subject}{' '}
          <span className="fine">{step.query ? '→' : `${relationWords(step.relation)} →`}</span>{' '}
          <b>{step.object}</b>
        </li>
      ))}
    </ol>
  ) : null;

/**
 * The question of the run with its gold.
 * @param children what can be done with the result, beside the question
 */
export const QuestionHeader = ({ children }: { children: ReactNode }) => {
  const question = useAsk((state) => state.question);
  const request = useAsk((state) => state.request);
  const asked = request?.asked;
  const row = useSession((state) =>
    asked?.kind === 'world' ? state.questions.find(({ id }) => id === asked.id) : undefined,
  );
  const typed = asked?.kind === 'typed' ? asked.text : null;
  const more = useAsk((state) => state.moreOpen);
  const replaying = useAsk((state) => state.replay !== null);
  const making = useAsk(({ run, forking }) => isRunning(run) && forking === null);
  const hidesGold = replaying || making || !more;
  const failed = useAsk((state) => state.run?.status === 'failed');
  // A question that is no longer in the list has no text here.
  const unknown = failed && asked?.kind === 'world' ? `Question ${asked.id}` : 'Loading …';
  const text = typed ?? question?.text ?? row?.text ?? unknown;
  return (
    <div className="question-head">
      <div className="question-line">
        <h1>{text}</h1>
        {children}
      </div>
      {question ? (
        <div className="question-gold">
          {/* Gold comes after the answer, and next to it; here it is again with the chain. */}
          {hidesGold ? null : (
            <span>
              <span className="fine">gold</span> <b>{question.answers.join(' / ')}</b>
            </span>
          )}
          {question.type ? <span className="badge">{question.type}</span> : null}
          {question.hops ? (
            <span className="badge">
              {question.hops} {question.hops === 1 ? 'hop' : 'hops'}
            </span>
          ) : null}
          {question.localSuffices === undefined ? null : (
            <span className={question.localSuffices ? 'badge of-local' : 'badge of-web'}>
              <Icon name={question.localSuffices ? 'local' : 'web'} size={12} />{' '}
              {question.localSuffices ? 'local is enough' : 'needs web'}
            </span>
          )}
          {hidesGold ? null : <Chain question={question} />}
        </div>
      ) : typed === null ? null : (
        <div className="fine">Your own question: no reference answer, so no score.</div>
      )}
    </div>
  );
};
