import type { ReactNode } from 'react';
import { Terms } from '../words/explain/Term.tsx';
import { termsIn } from '../words/explain/terms.ts';

/** A field's label whose acronyms open what they mean; one without any stays the text that it is. */
export const labelled = (label: ReactNode): ReactNode =>
  typeof label === 'string' && termsIn(label).some(({ id }) => id !== null) ? (
    <Terms>{label}</Terms>
  ) : (
    label
  );
