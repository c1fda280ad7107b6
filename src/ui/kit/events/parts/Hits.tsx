import type { Hit } from '../../../../records/hits.ts';
import type { EventBodyProps } from './definition.ts';
import { Passages } from './Passages.tsx';

/** The line of an event with passages. */
export const titlesLine = (hits: readonly Hit[]): string =>
  hits.length === 0 ? 'nothing found' : hits.map((hit) => hit.passage.title).join(' · ');

/** Ids of passages returned by events before `index`. */
const before = (props: EventBodyProps) =>
  new Map([...props.firstSeen].filter(([, seen]) => seen.event < props.index));

/** The results of a search. An empty result is an event too, because the policy reads that nothing was found. */
export const Hits = (props: EventBodyProps<'background' | 'retrieve'>) =>
  props.event.hits.length === 0 ? (
    <p>Nothing was found; the model received a note that says so.</p>
  ) : (
    <Passages
      hits={props.event.hits}
      gold={props.gold}
      answer={props.rollout.answer}
      seenBefore={before(props)}
      onEvent={props.onEvent}
      onPassage={(hit) => props.onPassage(props.index, hit)}
    />
  );
