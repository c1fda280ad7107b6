import { type Dialect, dialectOf } from '../recipes/parts/dialect.ts';
import type { Rollout } from '../records/rollout.ts';
import { spokenDialect } from './transcript/tag-names.ts';

/** Output in a published system's format, read as its released reward function reads it. */

/**
 * The text that a released reward function reads. Those functions know no events: they search the output for tags.
 * Differences from what they are given: text that was retrieved holds no tags here, and the prompt is left out.
 */
export interface Output {
  /** What the policy and the environment wrote after the prompt, in order. */
  text: string;
  /** What the policy wrote; a line break stands for what the environment wrote between. */
  written: string;
}

/** The part of a segment that matters here; records of other systems have further roles. */
interface Piece {
  source: 'prompt' | 'policy' | 'environment';
  role: string;
  text: string;
}

const withoutTags = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›');

/** A result: the tags at its ends stay, and stand around one that came without them, as in a chat. */
function resultText(text: string, [before, after]: Dialect['result']): string {
  const [open = ''] = /^\s*<[^<>]+>/.exec(text) ?? [];
  const rest = text.slice(open.length);
  const [close = ''] = /<[^<>]+>\s*$/.exec(rest) ?? [];
  if (open === '' && close === '') return before + withoutTags(text) + after;
  return open + withoutTags(rest.slice(0, rest.length - close.length)) + close;
}

function pieceText({ source, role, text }: Piece, { result }: Pick<Dialect, 'result'>): string {
  if (source === 'policy') return text;
  if (role === 'result' || role === 'background') return resultText(text, result);
  // A forced answer is opened, and a block at a limit closed, in the policy's place.
  if (role === 'answer' || role === 'think' || role === 'search') return text;
  return withoutTags(text) + openedThought(text);
}

/** Some chat templates open the thought that the policy continues. */
const openedThought = (text: string): string =>
  text.trimEnd().endsWith('<think>') ? '<think>' : '';

/**
 * @param pieces all of a rollout; those of the prompt are left out, except for a thought that it begins
 * @param from where the output begins, among the pieces
 */
export function outputOf(
  pieces: readonly Piece[],
  from: number,
  dialect: Pick<Dialect, 'result'>,
): Output {
  const own = pieces.slice(from).filter(({ source }) => source !== 'prompt');
  const begun = openedThought(pieces[from - 1]?.text ?? '');
  return {
    text: begun + own.map((piece) => pieceText(piece, dialect)).join(''),
    written: own.map(({ source, text }) => (source === 'policy' ? text : '\n')).join(''),
  };
}

/** How often a text is in another one. */
export const count = (text: string, wanted: string): number => text.split(wanted).length - 1;

/** Contents of the closed blocks of a tag, trimmed, in order. */
export const blocksIn = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) =>
    inner.trim(),
  );

export const CHINESE = /[\u4E00-\u9FFF]/u;

/** How the reward function of a published system reads an output, in the tags of its own format. */
export interface Release {
  /** Dialects whose outputs it reads. */
  dialects: readonly string[];
  /** The answer that it takes out of an output; null: none. */
  answer: (output: Output) => string | null;
  /** What breaks its format, one sentence each; empty: the output is well formed. */
  faults: (output: Output, golds: readonly string[]) => string[];
}

/** Sentences whose condition holds. */
export const faultsAmong = (found: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(found).filter((fault) => found[fault]);

const judges = new Map<string, Release>();

/** Declares how the released reward function of a system judges outputs in its format (`src/systems/rewards.ts` loads all). */
export function defineRelease(release: Release): Release {
  for (const dialect of release.dialects) judges.set(dialect, release);
  return release;
}

/** The release whose format a dialect is in; null where none judges a format. @throws Error where none was loaded */
export function releaseOf(dialect: string): Release | null {
  if (judges.size === 0)
    throw new Error('releases: none is declared; import src/systems/rewards.ts');
  return judges.get(dialect) ?? null;
}

const UNFINISHED = new Set(['malformed', 'end-of-text', 'cancelled', 'error']);

/** An output, and the published formats in which it can be read. */
export interface SpokenOutput extends Output {
  dialects: readonly string[];
}

/** What a policy wrote in a published format, and what came between; null where it spoke the protocol's own. */
export function spokenOutput(rollout: Pick<Rollout, 'recipe' | 'segments'>): SpokenOutput | null {
  const dialect = spokenDialect(rollout);
  if (dialect === null) return null;
  const { segments } = rollout;
  const first = segments.findIndex(({ source }) => source === 'policy');
  const from = first < 0 ? segments.length : first;
  return { ...outputOf(segments, from, dialectOf(dialect)), dialects: [dialect] };
}

/**
 * Whether the released reward function of the output's format takes an answer out of it and finds no fault of format.
 * @returns null where no release judges this format
 */
export function releasedValid(output: SpokenOutput, golds: readonly string[]): boolean | null {
  const [dialect] = output.dialects;
  const release = dialect === undefined ? null : releaseOf(dialect);
  if (release === null) return null;
  return release.answer(output) !== null && release.faults(output, golds).length === 0;
}

type Recorded = Pick<Rollout, 'events' | 'answer' | 'segments' | 'recipe' | 'question'>;

/**
 * Whether the whole output follows the protocol, from the record only. In a published format as its released reward
 * function judges it (`releasedValid`). Else exactly:
 *
 * 1. no `malformed` event: every block that the policy opened it closed with the block's own tag; no
 *    tag stands inside a block; it wrote no tag of the environment's; only white space stands between
 *    its blocks; a thought stands before every search and every answer; no query is empty; the answer
 *    block holds exactly one `\boxed{…}`, closed, with text in it; no limit cut a block off;
 * 2. there is an answer;
 * 3. it did not stop by `malformed`, `end-of-text`, `cancelled` or `error`.
 *
 * What the environment asked for (a forced answer after the last search) is not a violation by the policy.
 */
export function formatValid(rollout: Recorded): boolean {
  const output = spokenOutput(rollout);
  const released = output && releasedValid(output, rollout.question.answers);
  if (released !== null) return released;
  if (rollout.answer === null) return false;
  return rollout.events.every((event) => {
    if (event.kind === 'error') return event.what !== 'malformed';
    return event.kind !== 'stop' || !UNFINISHED.has(event.reason);
  });
}
