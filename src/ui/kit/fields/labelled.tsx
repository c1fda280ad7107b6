import type { ReactNode } from 'react';
import { Terms } from '../words/explain/Term.tsx';
import { termsIn } from '../words/explain/terms.ts';

interface Label {
  label: ReactNode;
  'aria-label'?: string;
}

/**
 * A field's label whose acronyms open what they mean; one without any stays the text that it is. The field
 * is called by the whole text: a name that is put together of parts would have gaps around each of them.
 */
export const labelled = (label: ReactNode): Label =>
  typeof label === 'string' && termsIn(label).some(({ id }) => id !== null)
    ? { label: <Terms>{label}</Terms>, 'aria-label': label }
    : { label };
