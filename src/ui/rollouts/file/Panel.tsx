import { useEffect, useState } from 'react';
import { withBasis } from '../../../evaluate/rollouts/basis.ts';
import { basisWords, type Outcome } from '../../../evaluate/rollouts/taxonomy.ts';
import { LINTS, type LintCode } from '../../../evaluate/rollouts/lint/finding.ts';
import type { Facet, BrowseResult } from '../../../lab/contract/rollouts.ts';
import { GROUP_FIELDS, type GroupField } from '../../../lab/contract/records/rollout-files.ts';
import { Bars } from '../../kit/charts/Bars.tsx';
import { formatCount, formatNumber, formatShare } from '../../kit/words/format.ts';
import { PickField } from '../../kit/PickField.tsx';
import { attempt } from '../store/browse-actions.ts';
import { condition } from '../store/browse-address.ts';
import { lab } from '../../lab/connection.ts';
import { HistogramPicture } from '../histogram/HistogramPicture.tsx';
import { FlowPicture } from './FlowPicture.tsx';
import { outcomeBars, outcomeName } from '../words.ts';

/** Overview next to the table: outcomes, findings and parts of the selection, with links to cases. */

/** Adds a condition to the filter. */
type Narrow = (more: string) => void;

/** Outcomes exclude one another, so the bars add up to all rollouts with an outcome. */
const OutcomeBars = ({ selected, narrow }: { selected: BrowseResult; narrow: Narrow }) => (
  <Bars
    id="outcomes"
    title={withBasis('How they ended', basisWords(selected.statistics))}
    note="Each rollout with gold answers has one outcome: by the file’s judge if it gave a verdict, else by EM (SQuAD’s normaliser)."
    {...outcomeBars(selected.outcomes)}
    empty={
      selected.order.length === 0
        ? 'No rollout passes the filter.'
        : 'No rollout here has gold answers, so none can be scored.'
    }
    onPick={(key) => narrow(condition('outcome', '=', key))}
  />
);

/** Findings, with implementation faults (bugs) separate from behaviour (which may be intended). */
const Findings = ({ selected, narrow }: { selected: BrowseResult; narrow: Narrow }) => {
  const codes = (Object.keys(LINTS) as LintCode[]).filter((code) => (selected.lint[code] ?? 0) > 0);
  const kinds = [
    ['fault', 'Implementation faults', 6],
    ['behaviour', 'Search behaviour', 5],
  ] as const;
  return (
    <>
      {kinds.map(([kind, title, colour]) => (
        <Bars
          key={kind}
          id={`lint-${kind}`}
          title={title}
          note="Rollouts in which a check found something; a rollout can count in several bars."
          bars={codes
            .filter((code) => LINTS[code].kind === kind)
            .map((code) => ({
              key: code,
              name: LINTS[code].title,
              count: selected.lint[code] ?? 0,
              note: `${LINTS[code].title} (lint has ${code}). ${LINTS[code].why}`,
              colour,
            }))
            .sort((a, b) => b.count - a.count)}
          total={selected.order.length}
          empty={
            selected.order.length === 0
              ? 'No rollout passes the filter.'
              : kind === 'fault'
                ? 'These rollouts have none of the published faults.'
                : 'Nothing to report.'
          }
          onPick={(code) => narrow(condition('lint', 'has', code))}
        />
      ))}
    </>
  );
};

/** A value as a line names it. */
const nameOf = (field: GroupField, value: string | number): string =>
  field === 'outcome' ? outcomeName(value as Outcome) : String(value);

/** Unique job names: a late cancel must not stop the next count. */
let countings = 0;

/** Statistics of the selection by one field, computed in the worker. */
const useFacets = (fileId: string, filter: string, field: GroupField, selected: BrowseResult) => {
  const [facets, setFacets] = useState<{ values: Facet[]; all: number } | null>(null);
  useEffect(() => {
    let live = true;
    const job = `facets-${++countings}`;
    // Recomputed when the selection changes, also while the file is read.
    if (selected.total === 0) return undefined;
    void attempt('The parts could not be counted', () =>
      lab().rollouts.facets(job, fileId, filter, field),
    ).then((found) => {
      if (live && found) setFacets(found);
    });
    return () => {
      live = false;
      void attempt('The counting could not be stopped', () => lab().rollouts.cancel(job));
    };
  }, [fileId, filter, field, selected]);
  return facets;
};

/** The grouping field. Starts with the step if a file has several, else the question. */
const Facets = (props: {
  fileId: string;
  filter: string;
  selected: BrowseResult;
  narrow: Narrow;
}) => {
  const { fileId, filter, selected, narrow } = props;
  const [field, setField] = useState<GroupField>(
    selected.statistics.steps > 1 ? 'step' : 'question',
  );
  const facets = useFacets(fileId, filter, field, selected);
  return (
    <section className="chart facets" aria-label="Parts">
      <header>
        <h3>By</h3>
        <PickField
          size="xs"
          aria-label="Parts by"
          values={GROUP_FIELDS}
          value={field}
          onPick={setField}
        />
        <span className="grow" />
        <span className="fine">{facets ? formatCount(facets.all) : ''}</span>
      </header>
      <div className="facet-scroll" tabIndex={0} role="group" aria-label={`Values of ${field}`}>
        <table className="bars-table">
          <thead>
            <tr>
              <th scope="col">
                {field === 'outcome' ? withBasis(field, basisWords(selected.statistics)) : field}
              </th>
              <th scope="col" className="figure">
                n
              </th>
              <th scope="col" className="figure">
                EM
              </th>
              <th scope="col" className="figure">
                reward
              </th>
            </tr>
          </thead>
          <tbody>
            {(facets?.values ?? []).map(({ value, count, em, reward, flat }) => (
              <tr key={value}>
                <th scope="row">
                  <button
                    type="button"
                    className="link ellipsis"
                    title={String(value)}
                    onClick={() => narrow(condition(field, '=', value))}
                  >
                    {nameOf(field, value)}
                  </button>
                </th>
                <td className="figure">{formatCount(count)}</td>
                <td className="figure">{formatShare(em)}</td>
                <td
                  className="figure"
                  title={
                    flat
                      ? 'All rewards equal: no learning signal under a group baseline'
                      : undefined
                  }
                >
                  {formatNumber(reward)}
                  {flat && field === 'group' ? ' =' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {facets && facets.all > facets.values.length ? (
          <p className="fine">
            The first {facets.values.length}; group the table to see all {formatCount(facets.all)}.
          </p>
        ) : null}
      </div>
    </section>
  );
};

/** Covers the filtered rows; the file’s own statistics are in its head. */
export const Panel = (props: {
  fileId: string;
  filter: string;
  selected: BrowseResult;
  narrow: Narrow;
  /** Replaces the filter. */
  setFilter: (filter: string) => void;
  /** Note on the counts; null for a completely read file. */
  partial: string | null;
}) => (
  <aside className="browse-panel" aria-label="Overview of the selection">
    <h2 className="visually-hidden">Overview of the selection</h2>
    {props.partial === null ? null : <p className="fine">{props.partial}</p>}
    <FlowPicture
      title={withBasis('Where they failed', basisWords(props.selected.statistics))}
      flow={props.selected.flow}
      basis={basisWords(props.selected.statistics)}
      onPick={(end) => props.narrow(condition('ended', '=', end))}
    />
    <OutcomeBars {...props} />
    <HistogramPicture key={`histogram ${props.fileId}`} {...props} />
    <Findings {...props} />
    <Facets key={props.fileId} {...props} />
  </aside>
);
