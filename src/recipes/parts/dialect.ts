import { z } from 'zod';
import type { FormBlock } from '../../records/form-line.ts';
import type { RenderPassages } from '../../records/protocol.ts';
import type { RecipeSettings } from './settings.ts';

/** Blocks that the policy may write. */
export type BlockKind =
  | 'think'
  | 'search'
  | 'local_search'
  | 'web_search'
  | 'lookup'
  | 'short_answer'
  | 'long_answer'
  | FormBlock;

/** One block of the policy's. */
interface Mark {
  kind: BlockKind;
  open: string;
  /** null: the end of the turn closes it. */
  close: string | null;
}

/** What is around what the environment writes. */
type Around = readonly [open: string, close: string];

/**
 * The format that a policy speaks whose tags are text; one whose tags are tokens of its own speaks those. All formats are
 * read leniently where their checkpoints are lenient: prose between blocks is a thought, a thought may be broken off by a
 * search and need not stand before one.
 */
export interface Dialect {
  marks: readonly Mark[];
  /** All searches are inside one thought, which only the answer follows. */
  searchesInThought?: true;
  /** Ends one thought, where a loop takes them one by one. */
  thoughtEnd?: string;
  /** Further texts that only the environment may write. */
  foreign?: readonly string[];
  question: Around;
  result: Around;
  hint: Around;
  /** A result's passages as its released code writes them between the tags; default: as in the protocol. */
  passages?: RenderPassages;
  /** The query that a search block holds, where it is not the block's text; empty where it holds none. */
  query?(inner: string): string;
  /** Its inverse: what a search block holds for a query. */
  writeQuery?(query: string): string;
  /**
   * How an answer stands: boxed in a block of its own; as a block's plain text, of which `text-line` takes
   * the first line; boxed in the last prose of the turn; as the whole message of a turn without a call.
   */
  answer: 'boxed-block' | 'text' | 'text-line' | 'boxed-prose' | 'message';
  /** What is around a thought that has no block; default: a line break after it. */
  thought?: Around;
  /** Of `boxed-prose`: words after which an answer without a box stands. */
  phrase?: string;
  /** The instruction for the policy; our own wording. */
  instruction(settings: RecipeSettings): string;
}

const declared = new Map<string, Dialect>();

/** Declares the format that a system speaks: `dialect: id` in the settings of a loop. */
export const defineDialect = (id: string, dialect: Dialect): void => {
  declared.set(id, dialect);
};

export const isDialect = (id: unknown): id is string => typeof id === 'string' && declared.has(id);

/** Ids of all formats, in the order of the alphabet. */
export const dialectIds = (): string[] => [...declared.keys()].sort();

/** @throws Error where no system declares it */
export function dialectOf(id: string): Dialect {
  const found = declared.get(id);
  if (!found) throw new Error(`no system declares the dialect "${id}"`);
  return found;
}

/** The id of a declared format. */
export const dialectSchema = z.string().superRefine((id, { issues }) => {
  if (!isDialect(id)) issues.push({ code: 'invalid_value', values: dialectIds(), input: id });
});

/** The lines that several of them say. */
export const SHORT = 'The answer is as short as possible: a name, a date, a number, yes or no.';

export const searches = (n: number): string => (n === 1 ? 'one search' : `${n} searches`);

export const tag = (kind: BlockKind, name: string = kind): Mark => ({
  kind,
  open: `<${name}>`,
  close: `</${name}>`,
});

/** What is around question and remarks where a system has no tags for them. */
export const PLAIN_TURN = {
  question: ['Question:', '\n'],
  hint: ['\n', '\n'],
} as const satisfies Pick<Dialect, 'question' | 'hint'>;

/** Queries in a JSON value, a text or a list of them, with semicolons between them. */
export const queriesOf = (value: unknown): string =>
  (Array.isArray(value) ? value : [value])
    .filter((one): one is string => typeof one === 'string')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join('; ');

/** Passages with numbers and with titles between quotation marks (search_r1/llm_agent/generation.py, `_passages2string`). */
export const numberedPassages: RenderPassages = (passages) =>
  passages.map(({ title, text }, i) => `Doc ${i + 1}(Title: "${title}") ${text}`).join('\n');

/** A title between quotation marks and, below it, the text (ReSearch's vllm_rollout.py, `search`). */
export const quotedPassages: RenderPassages = (passages) =>
  passages.map(({ title, text }) => `"${title}"\n${text}`).join('\n\n');
