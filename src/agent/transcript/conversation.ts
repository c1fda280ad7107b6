import type { SegmentRole, TokenSource } from '../../records/rollout.ts';
import type { Generated, PolicySession, SampledTokens, Sampling } from '../../policy/policy.ts';
import type { ProtocolParser, Parsed } from './parse.ts';
import type { Scanner, Unit } from './scanner.ts';
import type { BlockKind } from '../../recipes/parts/dialect.ts';
import { roleOf, type Stops } from './tags.ts';
import type { LatentPart } from './latents.ts';
import type { Transcript } from './transcript.ts';

/** One parsed step of the policy and the segment that it is in. */
export interface Placed {
  parsed: Parsed;
  segment: number;
  /** It is in a token that an earlier step had already: text after a tag in one piece. */
  afterStop: boolean;
}

export interface SampleOptions {
  maxTokens: number;
  stops: Stops;
  sampling: Sampling;
  /** As `GenerateOptions.latent`. */
  latent?: Stops;
  signal?: AbortSignal;
}

type OnParsed = (placed: Placed) => void;

/**
 * The policy's context and the transcript as one: whatever enters the one enters the other, so that
 * the segments' ids joined are exactly the context. Sampled tokens pass through scanner and parser.
 */
export class Conversation {
  /** Tokens sampled so far. */
  sampled = 0;
  /** Of these, what was read as mixtures. */
  readonly latents: LatentPart[] = [];
  /** A segment that begins with the next token. */
  #begins: SegmentRole | null = null;

  /** What begins the model's turn; written once the model is to write. */
  #opening: { source: TokenSource; ids: readonly number[]; json: boolean } | null = null;

  #session: PolicySession;

  constructor(
    session: PolicySession,
    private readonly transcript: Transcript,
    readonly parser: ProtocolParser,
    private readonly scanner: Scanner,
  ) {
    this.#session = session;
  }

  /** The policy's context as it is now. */
  get session(): PolicySession {
    return this.#session;
  }

  /** The model's turn begins with these once it is to write: until then the environment may add to its own message. */
  openTurnLater(source: TokenSource, ids: readonly number[], json = false): void {
    this.#opening = { source, ids, json };
  }

  /** What begins the model's turn, and whether the message before it is a JSON text; null where it has begun. */
  get waitingTurn(): { ids: readonly number[]; json: boolean } | null {
    return this.#opening;
  }

  /** Begins the model's turn where it waits. */
  openTurn(): void {
    const opening = this.#opening;
    this.#opening = null;
    if (opening) this.write(opening.source, 'instruction', opening.ids);
  }

  /** Leaves the context for an empty one, which the next segment begins; the policy has to think again. */
  resetContext(session: PolicySession): void {
    this.#settle();
    this.#opening = null;
    this.#session.close();
    this.#session = session;
    this.transcript.beginContext();
    this.parser.environmentSpoke();
  }

  /** Writes tokens that were not sampled here; an empty list makes no segment. */
  write(source: TokenSource, role: SegmentRole, ids: readonly number[]): number {
    if (ids.length === 0) return this.transcript.lastSegment;
    this.#settle();
    this.session.append(ids);
    return this.transcript.add(source, role, ids);
  }

  /** Writes as the environment, after which the policy has to think again. */
  answerBack(role: SegmentRole, ids: readonly number[]): number {
    const index = this.write('environment', role, ids);
    this.parser.environmentSpoke();
    return index;
  }

  /** A sampled segment is of another role than its first token showed. */
  relabel(segment: number, role: SegmentRole): void {
    this.#begins = null;
    this.transcript.relabel(segment, role);
  }

  /** Closes the block that the policy left open, in its place. */
  closeOpenBlock(closingTag: (kind: BlockKind) => readonly number[]): void {
    const kind = this.parser.open;
    if (!kind) return;
    this.write('environment', roleOf(kind), closingTag(kind));
    this.parser.closedByEnvironment(kind);
  }

  /**
   * Takes over what a fork of this very context sampled: the policy's own tokens, as if drawn here.
   * @param onParsed called in order
   */
  adopt(generated: Generated, onParsed: OnParsed): void {
    this.openTurn();
    this.session.append(generated.ids);
    this.#take(generated, onParsed);
    this.#place(
      generated.finish === 'stop' ? this.scanner.endCall() : this.scanner.flush(),
      onParsed,
    );
  }

  /**
   * Samples until a stop or a limit.
   * @param onParsed called in order, while the tokens arrive
   */
  async sample(options: SampleOptions, onParsed: OnParsed): Promise<Generated> {
    this.openTurn();
    let taken = 0;
    let open = true;
    const take = (added: SampledTokens): void => {
      // A worker's last messages may come in after its reply, which holds all tokens.
      if (!open) return;
      taken += added.ids.length;
      this.#take(added, onParsed);
    };
    const { signal, stops, ...rest } = options;
    const start = this.session.length;
    const generated = await this.session.generate({
      ...rest,
      ...askedStops(stops, this.scanner.held),
      ...(signal ? { signal } : {}),
      onTokens: take,
    });
    if (generated.latent) this.latents.push({ start, ...generated.latent });
    const behind = taken;
    take({
      ids: generated.ids.slice(behind),
      logprobs: generated.logprobs.slice(behind),
      entropies: generated.entropies.slice(behind),
    });
    open = false;
    // At a stop, all tokens have their place; a tag that begins after it may be completed later.
    const rests = generated.finish === 'stop' ? this.scanner.endCall() : this.scanner.flush();
    this.#place(rests, onParsed);
    return generated;
  }

  /**
   * What is held back can become no tag any more. Its token is in a segment already, except for
   * tokens of a call that ended where the scanner sees no end.
   */
  #settle(): void {
    const rests = this.scanner.flush().filter((unit) => unit.tokens.length > 0);
    this.#place(rests, () => undefined);
  }

  #take(added: SampledTokens, onParsed: OnParsed): void {
    added.ids.forEach((id, i) => {
      const [logprob, entropy] = [added.logprobs[i], added.entropies[i]];
      const token = {
        id,
        logprob,
        entropy,
      };
      for (const unit of this.scanner.push(token)) this.#placeUnit(unit, onParsed);
    });
    this.transcript.flush();
  }

  #place(units: readonly Unit[], onParsed: OnParsed): void {
    for (const unit of units) this.#placeUnit(unit, onParsed);
    this.transcript.flush();
  }

  #placeUnit(unit: Unit, onParsed: OnParsed): void {
    const step = this.parser.take(unit);
    if (step.starts) this.#begins = step.starts === 'other' ? 'other' : roleOf(step.starts);
    const begun = this.#write(unit);
    const segment = this.transcript.lastSegment;
    if (step.ends) this.#end();
    for (const parsed of step.parsed) {
      // A tag inside a block closes that block and begins the next segment.
      const before = parsed.type === 'closed' && begun && step.starts !== null && segment > 0;
      onParsed({
        parsed,
        segment: before && !step.ends ? segment - 1 : segment,
        afterStop: unit.tokens.length === 0,
      });
    }
  }

  /** @returns whether a segment was begun; one without a token is none */
  #write(unit: Unit): boolean {
    let begun = false;
    for (const token of unit.tokens) {
      if (this.#begins) {
        this.transcript.beginSampled(this.#begins);
        this.#begins = null;
        begun = true;
      }
      this.transcript.push(token);
      this.sampled += 1;
    }
    return begun;
  }

  #end(): void {
    this.#begins = null;
    this.transcript.endSegment();
  }
}

/** Without texts to stop at, the call is what it is for a policy whose tags are ids. */
const askedStops = (
  { stopIds, stopTexts }: Stops,
  held: string,
): Partial<Stops> & { stopIds: readonly number[]; stopPrefix?: string } => ({
  stopIds,
  ...(stopTexts.length > 0 ? { stopTexts } : {}),
  ...(stopTexts.length > 0 && held !== '' ? { stopPrefix: held } : {}),
});
