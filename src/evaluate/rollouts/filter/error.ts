import { oneLine } from '../../../base/errors.ts';

/** What may be at a place of a filter: the kinds that completion distinguishes. */
export type ExpectedSyntax =
  | { kind: 'condition' }
  | { kind: 'operator'; field: string }
  | { kind: 'value'; field: string; operator: string }
  | { kind: 'connective'; open: boolean };

/** The only error that filters throw. */
export class FilterError extends Error {
  /** Offset into the text of the filter, and how much of it is meant; 0 at its end. */
  readonly position: number;
  readonly length: number;
  /** What could have was there, as text. */
  readonly expected: string;
  /** For completion; null where the fault is of another kind. */
  readonly wanted: ExpectedSyntax | null;

  constructor(
    position: number,
    length: number,
    expected: string,
    found: string,
    wanted: ExpectedSyntax | null = null,
  ) {
    super(oneLine(`at character ${position + 1}: expected ${expected}, found ${found}`));
    this.name = 'FilterError';
    this.position = position;
    this.length = length;
    this.expected = expected;
    this.wanted = wanted;
  }
}
