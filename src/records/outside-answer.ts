/** What a model wrote where its answer belongs, outside the tags of the protocol: shown and scored apart, never rewarded. */

interface Piece {
  source: string;
  role: string;
  text: string;
}

/** Tags, and control tokens of chat templates. */
const TAG = /<\/?[a-z_]+>|<\|[^<>|]*\|>|<\/?s>|<(?:start|end)_of_turn>/giu;

/**
 * Prose is `other` in the protocol's own tags; a format that reads it as a thought opens no tag for it. An answer block
 * without the box that its format asks for is prose too.
 */
const isProse = ({ source, role, text }: Piece): boolean =>
  source === 'policy' &&
  (role === 'other' ||
    role === 'answer' ||
    (role === 'think' && !text.trimStart().startsWith('<')));

/**
 * The last prose of a rollout without an answer, trimmed; null where it has an answer, or wrote none outside its tags.
 * What other systems wrote is read by the rules of their formats instead.
 */
export function outsideAnswer({
  answer,
  segments,
  origin,
}: {
  answer: string | null;
  segments: readonly Piece[];
  origin?: unknown;
}): string | null {
  if (answer !== null || origin !== undefined) return null;
  for (let last = segments.length - 1; last >= 0; last--) {
    let text = '';
    for (; last >= 0 && isProse(segments[last]!); last--) text = segments[last]!.text + text;
    // One token may hold parts of two tags, such as `><`.
    const begun = text === '' ? '' : (/<\/?[a-z_]*$/u.exec(segments[last]?.text ?? '')?.[0] ?? '');
    const prose = (begun + text).replaceAll(TAG, ' ').trim();
    if (/[\p{L}\p{N}]/u.test(prose)) return prose;
  }
  return null;
}

/** As the page and the command line say it. */
export const outsideText = (prose: string): string =>
  `Answered outside the tags: ${prose.replaceAll(/\s+/gu, ' ')}`;

/** Letters of prose that lists and stored scores keep. */
const MOST_LETTERS = 400;

/** A rollout's prose for a list, cut where it is long; no field where it has an answer, or wrote none outside its tags. */
export function outsideOf(rollout: Parameters<typeof outsideAnswer>[0]): { outside?: string } {
  const prose = outsideAnswer(rollout);
  return prose === null ? {} : { outside: prose.slice(0, MOST_LETTERS) };
}

interface Answered {
  answer: string | null;
  /** Why the answer cannot be read. */
  notScored?: string | undefined;
  outside?: string | undefined;
}

/** The answer of a row or a list as text, also where it is outside the tags, there is none, or it cannot be read. */
export function answerOf({ answer, notScored, outside }: Answered): string {
  if (answer !== null) return answer;
  if (notScored !== undefined) return 'cannot be read';
  return outside === undefined ? 'no answer' : outsideText(outside);
}

/** The answer of a whole rollout as text, see `answerOf`. */
export const answerText = (
  rollout: Parameters<typeof outsideAnswer>[0] & Omit<Answered, 'outside'>,
): string => answerOf({ ...rollout, outside: outsideAnswer(rollout) ?? undefined });
