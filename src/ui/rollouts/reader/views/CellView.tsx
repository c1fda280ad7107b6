import { blockText } from '../../../../formats/rollouts/protocols/split.ts';
import { protocolOf, type ReadPassage } from '../../../../formats/rollouts/rounds.ts';
import type { ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import type { AlignedCell } from '../../../../evaluate/rollouts/align.ts';
import { passageKey } from '../../../../evaluate/rollouts/reading/rounds.ts';
import { formatCount } from '../../../kit/words/format.ts';
import { MarkedText } from '../parts/MarkedText.tsx';

/** One round of one sibling, in a column of its own. */

/** Characters of a thought that a cell shows; the rest is one click away, in the sibling itself. */
const THOUGHT = 400;

/** Passages that a cell names; the rest are counted. */
const MOST_PASSAGES = 12;

/** Siblings of a large group that asked the same are counted, not named. */
const MOST_NAMED = 8;

const sameAs = (siblings: readonly number[]): string => {
  const named = siblings.slice(0, MOST_NAMED).map((i) => i + 1);
  const more = siblings.length - named.length;
  return `same as ${named.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
};

/** What is in a cell, and the segment that it is of. */
type Part = { segment: number } & (
  | { kind: 'own'; role: string; text: string }
  | { kind: 'query'; text: string }
  | { kind: 'passages'; passages: ReadPassage[] }
);

/** A round in the order in which it was written: a background stands before what followed it. */
function partsOf({ round }: AlignedCell, rollout: ImportedRollout | undefined): Part[] {
  const parts: Part[] = round.segments.flatMap((index): Part[] => {
    const segment = rollout?.segments[index];
    // What was asked has a part and a sign of its own.
    if (!rollout || segment?.source !== 'policy' || segment.role === 'search') return [];
    // Without its tags, as in the rounds.
    const { text } = blockText(segment.text, protocolOf(rollout));
    return [{ kind: 'own', segment: index, role: segment.role, text }];
  });
  if (round.query)
    parts.push({ kind: 'query', segment: round.query.segment, text: round.query.text });
  const shown = round.passages.slice(0, MOST_PASSAGES);
  for (const segment of new Set(shown.map((passage) => passage.segment)))
    parts.push({
      kind: 'passages',
      segment,
      passages: shown.filter((passage) => passage.segment === segment),
    });
  return parts.toSorted((a, b) => a.segment - b.segment);
}

/**
 * The badges say what sets it apart from its siblings: the same query, passages that it alone read, passages
 * it had read before.
 */
export const CellView = (props: {
  /** Null where the sibling had ended. */
  cell: AlignedCell | null;
  /** Undefined until its text is read. */
  rollout: ImportedRollout | undefined;
}) => {
  const { cell, rollout } = props;
  if (!cell) return <td className="fine">had ended</td>;
  const { round, sameQueryAs, onlyHere, repeated } = cell;
  const only = new Set(onlyHere.map(passageKey));
  const again = new Set(repeated.map(passageKey));
  const more = round.passages.length - MOST_PASSAGES;
  return (
    <td>
      {partsOf(cell, rollout).map((part, i) =>
        part.kind === 'own' ? (
          <p key={i} className={`aligned-text ${part.role}`}>
            <span className="fine">{part.role}</span>{' '}
            <MarkedText text={part.text.slice(0, THOUGHT)} marks={[]} />
            {part.text.length > THOUGHT ? ' …' : ''}
          </p>
        ) : part.kind === 'query' ? (
          <p key={i} className="aligned-query">
            <span aria-hidden="true">⌕</span> <MarkedText text={part.text} marks={[]} />{' '}
            {sameQueryAs.length > 0 ? <span className="badge">{sameAs(sameQueryAs)}</span> : null}
          </p>
        ) : (
          <ul key={i} className="aligned-passages">
            {part.passages.map((passage, at) => (
              <li key={at}>
                <MarkedText text={passage.title || passage.text.slice(0, 60)} marks={[]} />{' '}
                {only.has(passageKey(passage)) ? (
                  <span className="badge good">only here</span>
                ) : null}
                {again.has(passageKey(passage)) ? <span className="badge">again</span> : null}
              </li>
            ))}
          </ul>
        ),
      )}
      {more > 0 ? <p className="fine">… {formatCount(more)} more</p> : null}
    </td>
  );
};
