import { useMemo } from 'react';
import { disagreementsOf, gridOf, type GridRow } from '../../../evaluate/systems/pictures.ts';
import { rightBy } from '../../../evaluate/rollouts/basis.ts';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import { useMore } from '../../kit/page/use-more.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { plural } from '../../kit/words/format.ts';
import { QuestionGrid } from '../pictures/QuestionGrid.tsx';
import { MOST_SIDE_BY_SIDE, type EvaluateAddress } from '../store/evaluate-address.ts';
import { SideBySide } from './SideBySide.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';

interface QuestionsViewProps {
  id: string;
  result: EvaluationResult;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

/** Questions listed at first, and added by each click on “Show more”. */
const PAGE = 20;

const HEADS: readonly Head[] = [
  ['question'],
  [rightBy(true, 'em')],
  [rightBy(false, 'em')],
  ['side by side', 'visually'],
];

/** Systems that are right on most seeds of a question, and the others. */
const sidesOf = ({ cells }: GridRow): { right: string[]; wrong: string[] } => {
  const side = (right: boolean): string[] =>
    cells.flatMap((cell) =>
      cell.right !== null && cell.right > 0.5 === right ? [cell.system] : [],
    );
  return { right: side(true), wrong: side(false) };
};

/** At most two per side, because more do not fit on most screens. */
const toCompare = (row: GridRow): string[] => {
  const { right, wrong } = sidesOf(row);
  return [...right.slice(0, 2), ...wrong.slice(0, 2)];
};

/** Up to four titles (which contain commas); of more the first three and a count. */
const namesOf = (ids: readonly string[], titles: ReadonlyMap<string, string>): string =>
  ids.length > 4
    ? `${ids
        .slice(0, 3)
        .map((id) => titles.get(id) ?? id)
        .join(' · ')} and ${ids.length - 3} more`
    : ids.map((id) => titles.get(id) ?? id).join(' · ');

/** Questions on which systems disagree; each opens side by side. */
const Disagreements = (props: {
  parted: readonly GridRow[];
  titles: ReadonlyMap<string, string>;
  open: (row: GridRow) => void;
}) => {
  const { parted, titles, open } = props;
  const list = useMore(parted, PAGE);
  if (parted.length === 0)
    return <p className="fine">So far the systems agree on every question.</p>;
  return (
    <div className="list-scroll plain" tabIndex={0} role="group" aria-label="Disagreements, table">
      <Table className="plain-table" heads={HEADS}>
        {list.rows.map((row) => {
          const { right, wrong } = sidesOf(row);
          const { id, text } = row.question;
          return (
            <tr key={id}>
              <th scope="row">{text}</th>
              <td>
                <b>{right.length}</b> <span className="fine">{namesOf(right, titles)}</span>
              </td>
              <td>
                <b>{wrong.length}</b> <span className="fine">{namesOf(wrong, titles)}</span>
              </td>
              <td className="figure">
                <button
                  type="button"
                  className="link"
                  aria-label={`Side by side: ${text}`}
                  onClick={() => open(row)}
                >
                  side by side
                </button>
              </td>
            </tr>
          );
        })}
      </Table>
      {list.more}
    </div>
  );
};

/** Question by question: the grid, the disagreements, and the rollouts. */
export const QuestionsView = ({ id, result, address, change }: QuestionsViewProps) => {
  const grid = useMemo(() => gridOf(result), [result]);
  // Sorted by the number of systems that solve them, hard questions last.
  const rows = useMemo(() => grid.toSorted((a, b) => (b.solved ?? -1) - (a.solved ?? -1)), [grid]);
  const parted = useMemo(() => disagreementsOf(grid), [grid]);
  const titles = useMemo(
    () => new Map(result.systems.map((one) => [one.id, one.title])),
    [result.systems],
  );
  const question = result.questions.find((one) => one.id === address.question);
  // In the address, so that “back” closes it and links open it.
  const open = (to: string, systems: readonly string[]) => change({ question: to, systems });
  return (
    <>
      <QuestionGrid
        systems={result.systems}
        rows={rows}
        empty={result.rollouts.length === 0 ? 'Appears with the first rollouts.' : null}
        onOpen={(to, system) =>
          open(
            to,
            // Added to the systems already open for this question.
            to === address.question && !address.systems.includes(system)
              ? [...address.systems, system].slice(-MOST_SIDE_BY_SIDE)
              : [system],
          )
        }
      />
      {question ? (
        <SideBySide
          key={question.id}
          id={id}
          result={result}
          question={question}
          systems={
            address.systems.length > 0
              ? address.systems
              : result.systems.slice(0, 2).map((one) => one.id)
          }
          show={(systems) => open(question.id, systems)}
          close={() => change({ question: null, systems: [] })}
        />
      ) : null}
      <section aria-label="Disagreements" className="chart-group">
        <h2>Where systems disagree</h2>
        <p className="fine">
          {plural(parted.length, 'question')} that only some systems answer correctly (
          <Terms>EM</Terms>), the most evenly split first.
        </p>
        <Disagreements
          parted={parted}
          titles={titles}
          open={(row) => open(row.question.id, toCompare(row))}
        />
      </section>
    </>
  );
};
