import type { ReactNode } from 'react';
import { Terms } from './words/explain/Term.tsx';
import { termsIn } from './words/explain/terms.ts';

interface Label {
  label: ReactNode;
  'aria-label'?: string;
}

/**
 * A field's label with explained acronyms; plain text without any. The accessible name is the whole
 * text, because a name joined from parts would have gaps.
 */
export const labelled = (label: ReactNode): Label =>
  typeof label === 'string' && termsIn(label).some(({ id }) => id !== null)
    ? { label: <Terms>{label}</Terms>, 'aria-label': label }
    : { label };
