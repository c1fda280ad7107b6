import type { Verdict } from '../../../evaluate/verdict.ts';
import { Terms } from '../words/explain/Term.tsx';

/** The verdict on top of a page; nothing where there is none to give. */
export const VerdictLine = ({ verdict }: { verdict: Verdict | null }) =>
  verdict === null ? null : (
    <p className="verdict" data-testid="verdict" data-kind={verdict.kind}>
      <b>
        <Terms>{verdict.sentence}</Terms>.
      </b>
      {verdict.next === '' ? null : <span className="fine"> {verdict.next}</span>}
    </p>
  );
