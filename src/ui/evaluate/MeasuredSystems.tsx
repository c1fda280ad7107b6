import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { measuredPolicy, verdictsFor } from '../../evaluate/study/signatures/measured.ts';
import type { Outcome, Verdict } from '../../evaluate/study/signatures/verdict.ts';
import { OUTCOME_WORDS } from '../../evaluate/study/signatures/words.ts';
import { useFold } from '../kit/page/use-fold.ts';
import { ClaimList } from '../kit/MeasuredClaims.tsx';
import { systemGroups, type SystemEntry } from './chooser/system-groups.ts';
import { NEW_EVALUATION } from './store/evaluate-address.ts';
import { tickSystem } from './store/evaluate-draft.ts';

/** Study results of this repository per system, for users without evaluations. */

/** Sign and tone of each outcome, in display order. */
const OUTCOMES: readonly (readonly [Outcome, string, string])[] = [
  ['shown', '✓', 'tone-good'],
  ['not shown', '○', 'tone-plain'],
  ['contradicted', '✗', 'tone-bad'],
];

const count = (verdicts: readonly Verdict[], outcome: Outcome): number =>
  verdicts.filter((one) => one.outcome === outcome).length;

/** `2 supported, 1 not supported here` */
const outcomeText = (verdicts: readonly Verdict[]): string =>
  OUTCOMES.flatMap(([outcome]) => {
    const found = count(verdicts, outcome);
    return found > 0 ? [`${found} ${OUTCOME_WORDS[outcome]}`] : [];
  }).join(', ');

/** One sign per claim; the text is in the tooltip and for screen readers. */
const Marks = ({ verdicts }: { verdicts: readonly Verdict[] }) => (
  <span className="claim-marks" title={outcomeText(verdicts)}>
    <span aria-hidden="true">
      {OUTCOMES.map(([outcome, sign, tone]) => (
        <span key={outcome} className={tone}>
          {sign.repeat(count(verdicts, outcome))}
        </span>
      ))}
    </span>
    <span className="visually-hidden">{outcomeText(verdicts)}</span>
  </span>
);

/** A system with its claims; opened, their numbers and a way to run it here. */
const System = ({ entry }: { entry: SystemEntry }) => {
  const [, go] = useLocation();
  const verdicts = verdictsFor(entry.id);
  const fold = useFold();
  return (
    <li>
      <details {...fold}>
        <summary>
          <span className="ellipsis">{entry.title}</span> <Marks verdicts={verdicts} />
        </summary>
        <div className="claims">
          <ClaimList recipe={entry.id} />
        </div>
        <button
          type="button"
          className="link"
          onClick={() => {
            tickSystem(entry.id);
            go(NEW_EVALUATION);
          }}
        >
          Evaluate {entry.title} here
        </button>
      </details>
    </li>
  );
};

/** Every system with measured claims, by kind. */
export const MeasuredSystems = () => {
  const groups = useMemo(
    () =>
      systemGroups([], '')
        .map(({ name, entries }) => ({
          name,
          entries: entries.filter(({ id }) => verdictsFor(id).length > 0),
        }))
        .filter(({ entries }) => entries.length > 0),
    [],
  );
  const all = groups.flatMap(({ entries }) => entries.flatMap(({ id }) => verdictsFor(id)));
  if (!measuredPolicy || all.length === 0) return null;
  return (
    <section className="measured-systems" aria-labelledby="measured-systems">
      <div className="measured-head">
        <h2 id="measured-systems">What studies found</h2>
        <span className="claim-legend fine">
          {OUTCOMES.map(([outcome, sign, tone]) => (
            <span key={outcome}>
              <span aria-hidden="true" className={tone}>
                {sign}
              </span>{' '}
              {count(all, outcome)} {OUTCOME_WORDS[outcome]}
            </span>
          ))}
        </span>
      </div>
      <p className="fine">
        Each method claims an effect. Studies in this repository tested the claims with the built-in
        model, {measuredPolicy.id}@{measuredPolicy.revision}, in worlds like the built-in one. Click
        a system to see its claims and numbers.
      </p>
      {groups.map(({ name, entries }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul>
            {entries.map((entry) => (
              <System key={entry.id} entry={entry} />
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
};
