import type { AgentEvent } from '../../records/events.ts';
import type { SearchTarget, SourceName } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { ForkPoint, Rollout } from '../../records/rollout.ts';
import { withOverrides, type RecipeSettings } from '../../recipes/parts/settings.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';

/**
 * The part of a recorded rollout that a fork keeps. The loop runs through it once more, and whatever
 * chance, a source or a model decided then is read from the record instead: so everything that the loop
 * knows (searches, refusals, budgets, evidence, STIE's memory) is as it was, whether the policy or the environment added it.
 */

/** From which event of which rollout to continue, and with what changes. */
export interface Fork {
  of: Rollout;
  /** Events [0, event) stay. */
  event: number;
  /** The next search goes there. */
  source?: SearchTarget;
  /** Put first among what the next search finds. */
  passages?: readonly Passage[];
  /** The next query is admitted, whatever STIE says of it. */
  admit?: boolean;
  /** The environment says this once, before the policy continues. */
  hint?: string;
  /** The policy's next thought begins with these words, which it did not sample. */
  opening?: string;
}

type Change = 'source' | 'passages' | 'admit' | 'hint' | 'opening';

/** A recorded rollout cannot be gone through as it stands. */
export class ForkError extends Error {
  override name = 'ForkError';
}

interface InForce {
  seed: number;
  settings: RecipeSettings;
}

type Kind = AgentEvent['kind'];
type Of<K extends Kind> = Extract<AgentEvent, { kind: K }>;

/** What a search brought. */
const OUTCOMES: ReadonlySet<Kind> = new Set(['retrieve', 'background']);

/** What failed and why, out of the event that says it. */
const FAILED = /^search of (local|web|both) failed: ([^]*)$/u;
const OTHER = '; the other source answered';

/** Tokens of a record's context, in order, with who made each. */
interface RecordedToken {
  id: number;
  sampled: boolean;
  logprob?: number;
  entropy?: number;
}

function tokensOf({ segments }: Rollout): RecordedToken[] {
  return segments.flatMap(({ ids, mask, logprobs, entropies }) =>
    ids.map((id, i) => {
      const [logprob, entropy] = [logprobs?.[i], entropies?.[i]];
      return {
        id,
        sampled: mask === 1,
        logprob,
        entropy,
      };
    }),
  );
}

export class Past {
  readonly tokens: readonly RecordedToken[];
  /** Events [0, kept) are read from the record. */
  readonly kept: number;
  readonly #fork: Fork;
  readonly #stages: (InForce & { until: number })[];
  readonly #now: InForce;
  readonly #events: readonly AgentEvent[];
  readonly #done = new Set<Change>();

  /**
   * @param now seed and settings from the fork on
   * @param events the list of the rollout that grows
   * @throws ForkError where the record has no such event
   */
  constructor(fork: Fork, now: InForce, events: readonly AgentEvent[]) {
    const { of } = fork;
    const last = of.events.findLastIndex(({ kind }) => kind === 'stop');
    if (fork.event < 0 || fork.event > (last < 0 ? of.events.length : last))
      throw new ForkError(
        `The rollout ${of.id} has ${of.events.length} events and can be forked before any of them, 0 to ${last < 0 ? of.events.length : last}, not at ${fork.event}.`,
      );
    this.#fork = fork;
    this.#now = now;
    this.#events = events;
    this.tokens = tokensOf(of);
    // A search of two sources of which one failed is one call: it is made again as a whole.
    let kept = fork.event;
    if (OUTCOMES.has(of.events[kept]?.kind ?? 'stop'))
      while (isFailedSearch(of.events[kept - 1])) kept--;
    this.kept = kept;
    const stage = (point: Pick<ForkPoint, 'event' | 'seed' | 'settings'>) => ({
      until: point.event,
      seed: point.seed,
      settings: withOverrides(point.settings as unknown as RecipeSettings, {}),
    });
    this.#stages = [
      ...(of.forks ?? []).map(stage),
      stage({ event: kept, seed: of.seed, settings: of.recipe.settings }),
    ];
  }

  /** Settings of the recorded parts. */
  get settings(): RecipeSettings[] {
    return this.#stages.map((stage) => stage.settings);
  }

  get #at(): number {
    return this.#events.length;
  }

  /** Whether the rollout continues by itself. */
  get live(): boolean {
    return this.#at >= this.kept;
  }

  /** Seed and settings that are in force now. */
  get inForce(): InForce {
    if (this.live) return this.#now;
    return this.#stages.find(({ until }) => this.#at < until) ?? this.#now;
  }

  /** Events that stay; a route whose call is made again has earned nothing yet. */
  get events(): readonly AgentEvent[] {
    const events = this.#fork.of.events.slice(0, this.kept);
    const open = events.findLastIndex(({ kind }) => OUTCOMES.has(kind) || kind === 'route');
    return events.map((event, i) =>
      i === open && event.kind === 'route' ? { ...event, reward: null } : event,
    );
  }

  /** The recorded event that comes next, where it is of this kind; null where nothing is recorded. */
  next<K extends Kind>(kind: K): Of<K> | null {
    const event = this.live ? undefined : this.#fork.of.events[this.#at];
    return event?.kind === kind ? (event as Of<K>) : null;
  }

  /** RDRA's thought, which was written in a context of its own; null where it has to be written. */
  thought(): { ids: readonly number[]; text: string } | null {
    const event = this.next('think');
    const segment =
      event?.segment === undefined ? undefined : this.#fork.of.segments[event.segment];
    return event && segment?.source === 'policy' && segment.mask === 0
      ? { ids: segment.ids, text: event.text }
      : null;
  }

  /**
   * What a search brought, or why it failed.
   * @returns null where it has to be made
   */
  retrieval(): Retrieval | Error | null {
    if (this.live) return null;
    const { events } = this.#fork.of;
    const failures: { source: SearchTarget; message: string }[] = [];
    let at = this.#at;
    for (let found = failureIn(events[at]); found; found = failureIn(events[++at]))
      failures.push(found);
    const outcome = events[at];
    if (outcome?.kind === 'retrieve' || outcome?.kind === 'background') {
      const { query, hits, latencyMs } = outcome;
      return {
        query,
        source: outcome.kind === 'retrieve' ? outcome.source : 'both',
        hits,
        latencyMs,
        addedDelayMs: 0,
        failures: failures.map(({ source, message }) => ({
          source: source as SourceName,
          message: message.endsWith(OTHER) ? message.slice(0, -OTHER.length) : message,
        })),
      };
    }
    return new Error(failures[0]?.message ?? 'it is not in the record');
  }

  /** Whether what the last search brought was read from the record. */
  get replayedOutcome(): boolean {
    return this.#events.findLastIndex(({ kind }) => OUTCOMES.has(kind)) < this.kept;
  }

  /** Whether words are to be written before the policy continues. */
  get wordsWait(): boolean {
    const waits = (which: 'hint' | 'opening'): boolean =>
      this.#fork[which] !== undefined && !this.#done.has(which);
    return this.live && (waits('hint') || waits('opening'));
  }

  /** One of the changes, at the first occasion after the fork and never again. */
  change<K extends Change>(which: K): Fork[K] | undefined {
    if (!this.live || this.#done.has(which)) return undefined;
    this.#done.add(which);
    return this.#fork[which];
  }

  /**
   * Where the new rollout left the old one, for its record.
   * @param tokens of the context that are the old one's
   */
  points(tokens: number): ForkPoint[] {
    const { of, source, passages, admit, hint, opening } = this.#fork;
    return [
      ...(of.forks ?? []).filter(({ event }) => event < this.kept),
      {
        rolloutId: of.id,
        event: this.kept,
        tokens,
        seed: of.seed,
        settings: of.recipe.settings,
        changes: {
          source,
          ...(passages?.length && { passages: passages.map(({ id }) => id) }),
          ...(admit && { admitted: true as const }),
          hint,
          opening,
        },
      },
    ];
  }
}

function failureIn(
  event: AgentEvent | undefined,
): { source: SearchTarget; message: string } | null {
  if (event?.kind !== 'error' || event.what !== 'retrieval') return null;
  const [, source, message] = FAILED.exec(event.message) ?? [];
  return source === undefined || message === undefined
    ? null
    : { source: source as SearchTarget, message };
}

const isFailedSearch = (event: AgentEvent | undefined): boolean => failureIn(event) !== null;
