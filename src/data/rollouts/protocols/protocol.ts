import type { TokenSource } from '../../rollout.ts';
import type { ImportedRole } from '../imported.ts';

/** One kind of block: what stands between `open` and `close`, who writes it and what it is for. */
export interface BlockRule {
  open: string;
  close: string;
  role: ImportedRole;
  source: TokenSource;
}

/** How a published system marks up its rollouts. */
export interface Protocol {
  id: string;
  /** Systems that write it. */
  name: string;
  blocks: readonly BlockRule[];
  /** Role of the policy's text outside all blocks. */
  prose: ImportedRole;
  /** Where the answer stands: in the answer block, in its `\boxed{…}`, or in the prose. */
  answer: 'block' | 'boxed-block' | 'boxed-prose';
}
