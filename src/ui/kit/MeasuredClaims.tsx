import { measuredPolicy, verdictsFor } from '../../evaluate/study/signatures/measured.ts';
import type { Outcome } from '../../evaluate/study/signatures/verdict.ts';
import { unmeasuredOf } from '../../evaluate/study/signatures/unmeasured.ts';
import { measurementWords, OUTCOME_WORDS } from '../../evaluate/study/signatures/words.ts';
import { Terms } from './words/explain/Term.tsx';
import './claims.css';

const TONE: Record<Outcome, string> = {
  shown: 'badge good',
  contradicted: 'badge bad',
  'not shown': 'badge',
  'not measured': 'badge',
};

/** The expected effects of a recipe: each measured claim, then the unmeasured ones. */
export const ClaimList = ({ recipe }: { recipe: string }) => {
  const open = unmeasuredOf(recipe);
  return (
    <>
      <ul aria-label="Claims that were measured">
        {verdictsFor(recipe).map((verdict) => (
          <li key={`${verdict.study} ${verdict.claim}`}>
            <span className={TONE[verdict.outcome]}>{OUTCOME_WORDS[verdict.outcome]}</span>{' '}
            <Terms>{verdict.claim}</Terms>{' '}
            <span className="fine" title={`${verdict.compared}; ${100 * verdict.level} % interval`}>
              <Terms>{measurementWords(verdict)}</Terms>
            </span>
          </li>
        ))}
      </ul>
      {open.length > 0 && (
        <p className="fine">
          Not measured: <Terms>{open.join('; ')}</Terms>.
        </p>
      )}
    </>
  );
};

/** What studies with the built-in model found for each claim of a recipe. */
export const MeasuredClaims = ({ recipe }: { recipe: string }) => {
  if (verdictsFor(recipe).length === 0) return <p className="fine">Not measured here.</p>;
  const policy = measuredPolicy ? `${measuredPolicy.id}@${measuredPolicy.revision}` : '';
  return (
    <div className="claims">
      <p className="fine">Measured here, with {policy}:</p>
      <ClaimList recipe={recipe} />
    </div>
  );
};
