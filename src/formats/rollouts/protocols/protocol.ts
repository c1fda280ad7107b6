import type { TokenSource } from '../../../records/rollout.ts';
import type { ImportedRole, ImportedSegment } from '../shape/imported.ts';

/** One kind of block: what stands between `open` and `close`, who writes it and what it is for. */
export interface BlockRule {
  open: string;
  close: string;
  role: ImportedRole;
  source: TokenSource;
}

/** A run of text with one writer; `start` is its offset in the text that was split. */
export type Piece = Pick<ImportedSegment, 'source' | 'role' | 'text'> & { start: number };

/** A stretch of a text, and where it begins in it. */
export interface Content {
  text: string;
  start: number;
}

/** How a published system marks up its rollouts. */
export interface Protocol {
  id: string;
  /** Systems that write it. */
  name: string;
  blocks: readonly BlockRule[];
  /** Role of the policy's text outside all blocks. */
  prose: ImportedRole;
  /**
   * Where the answer stands: in the answer block, in its `\boxed{…}`, in a box of the prose, or, in
   * protocols that leave it open, in whatever marks one (`answer.ts`).
   */
  answer: 'block' | 'boxed-block' | 'boxed-prose' | 'any';
  /** Chat marks around what the environment wrote (`<|im_start|>user`) are the environment's too. */
  turns?: true;
  /** Tells the protocol where no tag of it does. */
  recognises?: (text: string) => boolean;
  /** Cuts the text where no tags mark its blocks. */
  cut?: (text: string) => Piece[];
  /** A block without what marks it, where no tags do. */
  content?: (text: string) => Content | null;
  /** The query inside a block's content, where the content is a call with a name and arguments. */
  query?: (content: string) => Content | null;
  /** Gives pieces their role by what they say, where the tag alone does not. */
  refine?: (pieces: readonly Piece[]) => Piece[];
}
