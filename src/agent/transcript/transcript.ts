import type { AgentEvent } from '../../records/events.ts';
import type { Rollout, Segment, SegmentRole, TokenSource } from '../../records/rollout.ts';
import { ForkError } from '../fork/past.ts';
import type { SampledToken } from './scanner.ts';
import type { RolloutUpdate } from '../../records/updates.ts';

type WithoutTime<T> = T extends AgentEvent ? Omit<T, 't'> : never;
/** An event before its time is stamped on it. */
export type NewEvent = WithoutTime<AgentEvent>;

/** The policy segment that is being written, and how much of it the listener knows. */
interface Writing {
  segment: Segment;
  index: number;
  told: number;
}

const copy = (segment: Segment): Segment => ({
  ...segment,
  ids: [...segment.ids],
  ...(segment.tokens ? { tokens: [...segment.tokens] } : {}),
  ...(segment.logprobs ? { logprobs: [...segment.logprobs] } : {}),
  ...(segment.entropies ? { entropies: [...segment.entropies] } : {}),
});

/**
 * The growing record of one rollout: the only place that appends segments and events, and that
 * tells the listener. A segment's text is always the decoding of its ids.
 */
export class Transcript {
  #writing: Writing | null = null;
  #start: number;
  /** Events that are known before they happen. */
  #kept: readonly AgentEvent[] = [];

  constructor(
    readonly rollout: Rollout,
    private readonly decode: (ids: readonly number[]) => string,
    private readonly now: () => number,
    /** Null: nobody listens, and nothing is copied for a listener. */
    private readonly onUpdate: ((update: RolloutUpdate) => void) | null,
    /** Ids are pieces of text: their text is kept beside them. */
    private readonly pieces = false,
  ) {
    this.#start = now();
    this.#tell(() => ({ type: 'started', rollout: structuredClone(rollout) }));
  }

  /** Milliseconds since the rollout began. */
  get elapsed(): number {
    return this.now() - this.#start;
  }

  /** Index of the segment that is being written, or of the last one. */
  get lastSegment(): number {
    return this.rollout.segments.length - 1;
  }

  /** The first events are in a record: each is taken from there when it happens, with its time. */
  keep(events: readonly AgentEvent[]): void {
    this.#kept = events;
  }

  /**
   * @returns the event's index, for `replaceEvent`
   * @throws ForkError where the record holds an event of another kind there
   */
  event(event: NewEvent): number {
    const known = this.#kept[this.rollout.events.length];
    if (known) {
      if (known.kind !== event.kind)
        throw new ForkError(
          `Event ${this.rollout.events.length} is "${known.kind}" in the record and would be "${event.kind}" now: the rollout was made with another recipe, model or version, so it cannot be forked.`,
        );
      this.#start = this.now() - known.t;
    }
    const timed = known ? structuredClone(known) : { ...event, t: this.elapsed };
    const index = this.rollout.events.push(timed) - 1;
    this.#tellEvent(index, timed);
    return index;
  }

  /** Completes an event that was reported before its outcome was known; its time stays. */
  replaceEvent(index: number, change: (event: AgentEvent) => AgentEvent): void {
    const known = this.rollout.events[index];
    if (!known) return;
    const changed = change(known);
    this.rollout.events[index] = changed;
    this.#tellEvent(index, changed);
  }

  /** Adds a whole segment that was not sampled in this context: never trained. */
  add(source: TokenSource, role: SegmentRole, ids: readonly number[]): number {
    this.endSegment();
    const segment: Segment = { source, role, text: this.decode(ids), ids: [...ids], mask: 0 };
    this.#keepPieces(segment);
    const index = this.rollout.segments.push(segment) - 1;
    this.#tell(() => ({ type: 'segment', index, segment: copy(segment) }));
    return index;
  }

  /** The next segment is in a context of its own. */
  beginContext(): void {
    this.endSegment();
    const { rollout } = this;
    rollout.contexts = [...(rollout.contexts ?? []), rollout.segments.length];
  }

  /** Begins a segment of sampled tokens. */
  beginSampled(role: SegmentRole): Writing {
    this.endSegment();
    const segment: Segment = {
      source: 'policy',
      role,
      text: '',
      ids: [],
      logprobs: [],
      entropies: [],
      mask: 1,
    };
    const writing = { segment, index: this.rollout.segments.push(segment) - 1, told: 0 };
    this.#writing = writing;
    return writing;
  }

  /**
   * Adds one sampled token to the segment that is being written. One token without a value leaves the
   * whole segment without: a column has one value a token or is not there.
   */
  push({ id, logprob, entropy }: SampledToken): void {
    const { segment } = this.#writing ?? this.beginSampled('other');
    segment.ids.push(id);
    if (logprob === undefined) delete segment.logprobs;
    else segment.logprobs?.push(logprob);
    if (entropy === undefined) delete segment.entropies;
    else segment.entropies?.push(entropy);
  }

  /** Tells the listener what was pushed since the last time. */
  flush(): void {
    const writing = this.#writing;
    if (!writing || writing.told === writing.segment.ids.length) return;
    const { segment, index, told } = writing;
    writing.told = segment.ids.length;
    const ids = segment.ids.slice(told);
    const text = this.decode(ids);
    segment.text += text;
    if (told === 0) {
      this.#tell(() => ({ type: 'segment', index, segment: copy(segment) }));
      return;
    }
    this.#tell(() => ({
      type: 'tokens',
      index,
      ids,
      logprobs: segment.logprobs?.slice(told) ?? [],
      entropies: segment.entropies?.slice(told) ?? [],
      text,
    }));
  }

  /** Ends the segment that is being written: its text becomes final. */
  endSegment(): void {
    const writing = this.#writing;
    if (!writing) return;
    this.#writing = null;
    writing.segment.text = this.decode(writing.segment.ids);
    this.#keepPieces(writing.segment);
    this.#tell(() => ({ type: 'segment', index: writing.index, segment: copy(writing.segment) }));
  }

  /** Says what a sampled segment turned out to be, once its turn is over. */
  relabel(index: number, role: SegmentRole): void {
    this.endSegment();
    const segment = this.rollout.segments[index];
    if (!segment || segment.role === role) return;
    segment.role = role;
    this.#tell(() => ({ type: 'segment', index, segment: copy(segment) }));
  }

  /** Tells the finished record. */
  finish(): void {
    this.endSegment();
    this.#tell(() => ({ type: 'finished', rollout: structuredClone(this.rollout) }));
  }

  #keepPieces(segment: Segment): void {
    if (this.pieces) segment.tokens = segment.ids.map((id) => this.decode([id]));
  }

  #tellEvent(index: number, event: AgentEvent): void {
    this.#tell(() => ({ type: 'event', index, event: structuredClone(event) }));
  }

  #tell(update: () => OmitId<RolloutUpdate>): void {
    this.onUpdate?.({ rolloutId: this.rollout.id, ...update() });
  }
}

type OmitId<T> = T extends RolloutUpdate ? Omit<T, 'rolloutId'> : never;
