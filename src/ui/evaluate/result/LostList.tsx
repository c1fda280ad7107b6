import { useEffect, useRef } from 'react';
import { answerOf } from '../../../records/outside-answer.ts';
import type { FailurePoint } from '../../../evaluate/systems/pictures.ts';
import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import type { EvaluatedRollout, EvaluationResult } from '../../../evaluate/systems/result.ts';
import { useMore } from '../../kit/page/use-more.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { DASH, plural } from '../../kit/words/format.ts';

/** Rollouts listed at first, and added by each click on “Show more”. */
const PAGE = 20;

const HEADS: readonly Head[] = [
  ['question'],
  ['answer'],
  ['gold'],
  [rightBy(true, 'em'), 'centre'],
  ['open it', 'visually'],
];

/** The end of the list's heading. */
const placeWords = (at: FailurePoint): string => {
  if (typeof at === 'number') return `lost at hop ${at}`;
  return at === 'whole' ? 'wrong by EM with the whole chain' : 'wrong by EM with a broken chain';
};

/**
 * The rollouts that a system lost at one stage of the chart above; each opens in comparison with
 * others of its question.
 */
export const LostList = (props: {
  result: EvaluationResult;
  system: string;
  at: FailurePoint;
  lost: readonly EvaluatedRollout[];
  read: (question: string) => void;
  close: () => void;
}) => {
  const { result, system, at, lost, read, close } = props;
  const box = useRef<HTMLElement>(null);
  const list = useMore(lost, PAGE);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.focus({ preventScroll: true });
  }, []);
  const title = result.systems.find(({ id }) => id === system)?.title ?? system;
  const questions = new Map(result.questions.map((one) => [one.id, one]));
  const words = placeWords(at);
  return (
    <section className="chart-group" aria-label={`${title}: ${words}`} ref={box} tabIndex={-1}>
      <header className="page-bar">
        <h2>
          {title}: {plural(lost.length, 'rollout')} {words}
        </h2>
        <span className="grow" />
        <button type="button" className="link" onClick={close}>
          Close
        </button>
      </header>
      {lost.length === 0 ? (
        <p className="fine">None: this system lost no rollout here.</p>
      ) : (
        <div className="list-scroll plain" tabIndex={0} role="group" aria-label="Lost there, table">
          <Table className="plain-table" heads={HEADS}>
            {list.rows.map((one) => {
              const { rollout, question, em } = one;
              const asked = questions.get(question);
              const text = asked?.text ?? question;
              return (
                <tr key={rollout}>
                  <th scope="row">{text}</th>
                  <td>{answerOf(one)}</td>
                  <td>{asked?.answers.join(' / ') ?? DASH}</td>
                  <td className="centre">{em === 1 ? '✓' : '✗'}</td>
                  <td className="figure">
                    <button
                      type="button"
                      className="link"
                      aria-label={`Read: ${text}`}
                      onClick={() => read(question)}
                    >
                      read
                    </button>
                  </td>
                </tr>
              );
            })}
          </Table>
          {list.more}
        </div>
      )}
    </section>
  );
};
