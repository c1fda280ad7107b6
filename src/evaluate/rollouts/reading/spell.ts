import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';

/**
 * The text of each token of a rollout whose record has ids. Whether a tokenizer is the one that cut the
 * text is not asked of its name: it is the one that turns the ids of a segment into the segment's text.
 */

/** Text of ids, as one tokenizer decodes them together. */
export type Decode = (ids: readonly number[]) => string;

/** What a token decodes to that holds only a part of a letter's bytes. */
const BROKEN = '\u{FFFD}';
/** A letter has four bytes at most, so that no more tokens share one. */
const MOST_PARTS = 4;

/**
 * Texts of ids, one each; joined they are what the ids decode to together. Where several ids make one
 * letter, the first has it and the others are empty. Where a decoder treats the beginning of a text
 * otherwise (it drops a blank there), each id is read after the ids before it.
 */
export function spellIds(ids: readonly number[], decode: Decode): string[] {
  const known = new Map<number, string>();
  const alone = ids.map((id) => {
    const text = known.get(id) ?? decode([id]);
    known.set(id, text);
    return text;
  });
  if (alone.join('') === decode(ids)) return alone;
  const pieces: string[] = [];
  let before: readonly number[] = [];
  while (pieces.length < ids.length) {
    const from = pieces.length;
    const head = decode(before);
    let [count, text] = [1, ''];
    for (; count <= MOST_PARTS && from + count <= ids.length; count++) {
      const whole = decode([...before, ...ids.slice(from, from + count)]);
      text = whole.startsWith(head) ? whole.slice(head.length) : whole;
      if (!text.includes(BROKEN)) break;
    }
    if (count > MOST_PARTS || from + count > ids.length) {
      count = 1;
      text = alone[from] ?? '';
    }
    pieces.push(text, ...Array.from({ length: count - 1 }, () => ''));
    before = ids.slice(from, from + count);
  }
  return pieces;
}

/**
 * Token texts by segment; null for a segment that has its texts already, has no ids, or whose ids the
 * tokenizer does not turn into its text.
 */
export const spellSegments = (
  { segments }: Pick<ImportedRollout, 'segments'>,
  decode: Decode,
): (string[] | null)[] =>
  segments.map(({ ids, tokens, text }) => {
    if (ids === undefined || tokens !== undefined) return null;
    const pieces = spellIds(ids, decode);
    return pieces.join('') === text ? pieces : null;
  });

/** Segments with ids and no texts: what there is to spell. */
export const toSpell = ({ segments }: Pick<ImportedRollout, 'segments'>): number =>
  segments.filter(({ ids, tokens }) => ids !== undefined && tokens === undefined).length;

/** The rollout with token texts where there are some. */
export const withTexts = <T extends Pick<ImportedRollout, 'segments'>>(
  rollout: T,
  pieces: readonly (string[] | null)[],
): T => ({
  ...rollout,
  segments: rollout.segments.map((segment, s) => {
    const tokens = pieces[s];
    return tokens ? { ...segment, tokens } : segment;
  }),
});

/** Segments that are read to tell a tokenizer by. */
const TELLING = 8;

/** Whether most of the first segments with ids are what this tokenizer makes of them. */
export function cutBy({ segments }: Pick<ImportedRollout, 'segments'>, decode: Decode): boolean {
  const told = segments
    .flatMap(({ ids, tokens, text }) => (ids && !tokens && text !== '' ? [{ ids, text }] : []))
    .slice(0, TELLING);
  const right = told.filter(({ ids, text }) => decode(ids) === text).length;
  return right * 2 > told.length;
}
