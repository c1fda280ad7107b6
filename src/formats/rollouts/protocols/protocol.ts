import type { TokenSource } from '../../../records/rollout.ts';
import type { ImportedRole, ImportedSegment } from '../shape/imported.ts';

/** One kind of block: what is between `open` and `close`, who writes it and what it is for. */
export interface BlockRule {
  open: string;
  close: string;
  role: ImportedRole;
  source: TokenSource;
  /** A call of a tool that brings nothing to read: code. Blocks with the role `search` are calls too. */
  acts?: true;
}

/** A run of text with one writer. */
export type Piece = Pick<ImportedSegment, 'source' | 'role' | 'text'> & {
  /** Offset in the text that was split. */
  start: number;
  /** Of a call: whether it asks for something to read. Absent on everything else. */
  reads?: boolean;
};

/** Chat marks between the policy's turns and the environment's. */
export interface Turns {
  /** In front of a block of the environment, up to its opening tag. */
  before: RegExp;
  /** After its closing tag; matches the empty text too. */
  after: RegExp;
  /** Marks that the policy writes around its calls, which do not count as prose. */
  own: readonly string[];
}

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
   * Where the answer is: in the answer block; in a `\boxed{…}` there; in the box, or in the whole block where
   * it has none; in a box of the prose; in the final message; or, in protocols that leave it open, in
   * whatever marks one (`answer.ts`).
   */
  answer: 'block' | 'boxed-block' | 'box-or-block' | 'boxed-prose' | 'final' | 'any';
  /** Chat marks around what the environment wrote (`<|im_start|>user`) are the environment's too. */
  turns?: Turns;
  /** A result before any call is not a result: absent where its tags alone make it one. */
  calledOnly?: true;
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
