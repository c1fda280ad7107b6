import { Select } from '../../kit/Select.tsx';
import { useState } from 'react';
import { Link } from 'wouter';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import type { AcrossTable } from '../../../evaluate/systems/table/across.ts';
import { MEASURES, type MeasureId } from '../../../evaluate/systems/table/measures.ts';
import { PickField } from '../../kit/PickField.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { useAnswer } from '../../kit/use-answer.ts';
import { DASH, formatDayTime, plural } from '../../kit/words/format.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';
import {
  formatEvaluateAddress,
  NEW_EVALUATION,
  type EvaluateAddress,
} from '../store/evaluate-address.ts';
import { useEvaluate, visibleEvaluations } from '../store/evaluate-store.ts';
import {
  chanceWords,
  countWords,
  differenceWords,
  endsTitle,
  endsWords,
  isSignificant,
  valueWords,
} from '../table/cell-words.ts';

const HEADS: readonly Head[] = [
  ['system'],
  ['this', 'figure'],
  ['the other', 'figure'],
  ['difference', 'figure'],
  ['95 %', 'figure'],
  ['p, Holm', 'figure'],
];

const IDS = MEASURES.map(({ id }) => id);
const NAMES = Object.fromEntries(MEASURES.map(({ id, title }) => [id, title]));

/** Systems of both evaluations by one measure; a star marks significance at 5 % after Holm’s correction. */
const Rows = ({ table, by }: { table: AcrossTable; by: MeasureId }) => {
  const measure = MEASURES.find(({ id }) => id === by);
  if (!measure) return null;
  return (
    <div className="list-scroll plain" tabIndex={0} role="group" aria-label="Comparison, table">
      <Table className="plain-table" heads={HEADS}>
        {table.rows.map(({ system, title, cells }) => {
          const cell = cells.find((one) => one.measure === by);
          const difference = cell?.difference;
          return (
            <tr key={system}>
              <th scope="row">{title}</th>
              <td className="figure">{valueWords(cell?.before?.mean ?? null, measure)}</td>
              <td className="figure">{valueWords(cell?.after?.mean ?? null, measure)}</td>
              <td className={difference && isSignificant(difference) ? 'figure strong' : 'figure'}>
                {difference ? differenceWords(difference, measure) : DASH}
                {difference && isSignificant(difference) ? '*' : ''}
              </td>
              <td className="figure" title={endsTitle(difference)}>
                {difference ? endsWords(difference, measure) : DASH}
              </td>
              <td className="figure">{difference ? chanceWords(difference) : DASH}</td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
};

/** Questions and systems in only one of the two; they are excluded from the numbers above. */
const LeftOut = ({ table }: { table: AcrossTable }) => {
  const { onlyBefore, onlyAfter, systemsBefore, systemsAfter } = table;
  const parts = [
    onlyBefore > 0 ? `${plural(onlyBefore, 'question')} only in this one` : '',
    onlyAfter > 0 ? `${plural(onlyAfter, 'question')} only in the other` : '',
    systemsBefore.length > 0 ? `only here: ${systemsBefore.join(', ')}` : '',
    systemsAfter.length > 0 ? `only there: ${systemsAfter.join(', ')}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : <p className="fine">Left out: {parts.join('; ')}.</p>;
};

/** The comparison, computed off the page, again whenever `version` changes. */
const Compared = ({ id, other, version }: { id: string; other: string; version: string }) => {
  const [by, setBy] = useState<MeasureId>('em');
  const read = useAnswer(`${id} ${other} ${version}`, () => evaluationsApi().compare(id, other));
  if (read.state === 'loading') return <p role="status">Comparing …</p>;
  if (read.state === 'failed') return <p className="tone-bad">⚠ {read.message}</p>;
  const table = read.value;
  // Questions without the measure, such as recall without known evidence, are in none of its differences.
  const counts = table.rows.flatMap(
    ({ cells }) => cells.find(({ measure }) => measure === by)?.difference?.n ?? [],
  );
  // Evaluations without common questions or systems are not an error; the page says so.
  if (table.rows.length === 0)
    return (
      <p>
        {table.questions === 0
          ? 'The two share no questions: they use different worlds or splits.'
          : 'The two share no systems.'}
      </p>
    );
  return (
    <>
      <div className="choice-line">
        <PickField
          aria-label="Number to compare by"
          values={IDS}
          names={NAMES}
          value={by}
          onPick={setBy}
        />
        <span className="fine">
          over {countWords(counts, table.questions)} in both; difference = the other − this one, *
          significant at 5 % after Holm’s correction
        </span>
      </div>
      <Rows table={table} by={by} />
      <LeftOut table={table} />
    </>
  );
};

interface CompareProps {
  id: string;
  result: EvaluationResult;
  address: EvaluateAddress;
  change: (part: Partial<EvaluateAddress>) => void;
}

/** Compares this evaluation with another one, system by system. */
export const CompareEvaluations = ({ id, result, address, change }: CompareProps) => {
  const all = useEvaluate((state) => state.evaluations);
  const others = visibleEvaluations(all).filter((one) => one.id !== id);
  // An address may name a deleted one: then none is chosen.
  const other = others.find((one) => one.id === address.other);
  if (others.length === 0)
    return (
      <p>
        There is no other evaluation to compare with. <Link href={NEW_EVALUATION}>Start one</Link>{' '}
        with the same questions, with another model or other settings.
      </p>
    );
  return (
    <>
      <div className="form-line">
        <Select
          size="xs"
          label="Compare with"
          data={[
            { value: '', label: 'choose an evaluation' },
            ...others.map(({ id: value, name, createdAt }) => ({
              value,
              label: `${name} · ${formatDayTime(createdAt)}`,
            })),
          ]}
          value={other?.id ?? ''}
          onChange={({ currentTarget: { value } }) => change({ other: value || null })}
        />
        {other ? (
          <>
            <Link href={formatEvaluateAddress(other.id)}>Open it</Link>
            <span className="fine">{plural(other.done, 'rollout')}</span>
          </>
        ) : null}
      </div>
      {other ? (
        <Compared
          id={id}
          other={other.id}
          version={`${result.rollouts.length} ${other.updatedAt}`}
        />
      ) : null}
    </>
  );
};
