import { messageOf } from '../../base/errors.ts';
import type { PolicyConfig } from '../checkpoint/config.ts';
import { EngineFault } from '../engine-fault.ts';
import type { AdapterPlaces, Decoder } from '../model/decoder.ts';
import { readKeys, runLayers } from '../model/forward.ts';
import type { Drawn } from '../ops/ops.ts';
import type { Adapter, Draws, Picks } from '../ops/values.ts';
import type { Generated, GenerateOptions } from '../policy.ts';
import { StopTexts } from '../stop-texts.ts';
import type { Work } from '../watchdog.ts';
import { ContextStore, type CacheRange } from './context-store.ts';
import { LatentSteps } from './latent.ts';
import { NonFiniteLogits } from './non-finite.ts';
import type { EngineOptions } from './options.ts';
import { deliver, isComplete, type Request } from './request.ts';
import { MemoryAdmission } from './memory-admission.ts';
import { EngineSession } from './session.ts';
import { findCachedPrefix, isPrefixPending } from './prefix-caching.ts';
import { freeStep, makeStep, type Step } from './step.ts';
import { sleep } from '../../base/sleep.ts';
import { createYield } from '../../base/yielding.ts';
import { itemAt } from '../../base/items.ts';

/** ln softmax(logits) at an id. */
export function logSoftmaxAt(logits: Float32Array, id: number): number {
  let most = -Infinity;
  for (const value of logits) most = Math.max(most, value);
  let total = 0;
  for (const value of logits) total += Math.exp(value - most);
  return itemAt(logits, id, 'logits') - most - Math.log(total);
}

/** Tokens that a call writes in the place of drawn ones (`GenerateOptions.forced`), with how likely each was. */
class ForcedTokens {
  readonly #decoder: Decoder;
  readonly #slots: number;
  #picks: Picks | null = null;

  /** @param slots most rows of a decode step */
  constructor(decoder: Decoder, slots: number) {
    this.#decoder = decoder;
    this.#slots = slots;
  }

  /** What the rows of a decode step drew, with forced tokens in their place; before anything else is computed in its rows. */
  async take({ x }: Step, sessions: readonly EngineSession[], drawn: Drawn[]): Promise<Drawn[]> {
    const wanted = sessions.flatMap(({ request }, row) => {
      const id = request?.options.forced?.[request.output.ids.length];
      return id !== undefined && drawn[row]?.finite === true ? [{ row, id }] : [];
    });
    if (wanted.length === 0) return drawn;
    const { ops, weights, config } = this.#decoder;
    this.#picks ??= ops.picks(this.#slots);
    const rows = wanted.map(({ row }) => row);
    ops.placePicks(this.#picks, { rows, targets: rows.map(() => 0) });
    const head = { x, norm: weights.finalNorm, head: weights.head };
    const logits = await ops.readLogits({ ...head, picks: this.#picks });
    const out = [...drawn];
    wanted.forEach(({ row, id }, i) => {
      const own = logits.subarray(i * config.vocabSize, (i + 1) * config.vocabSize);
      const logprob = logSoftmaxAt(own, id);
      out[row] = { ...itemAt(drawn, row), id, logprob, modelLogprob: logprob };
    });
    return out;
  }

  dispose(): void {
    if (this.#picks) this.#decoder.ops.free(this.#picks);
    this.#picks = null;
  }
}

/** Decoding never waits longer than this many turns of reading, some tens of milliseconds each. */
const MOST_PAUSED_TURNS = 3;

/** How often it looks whether there is memory, while all that it has to do waits for some. */
const LOOK_MS = 20;

/**
 * Generates for many sessions at once. Each turn of the loop reads some given text, then (with rare
 * pauses) decodes one token for every session that has nothing left to read, so that neither kind of
 * work, nor a session that waits for a search, holds up the rest.
 *
 * All but the last token of given text is read `many` at a time; the last one is decoded.
 */
export class GenerationEngine {
  readonly config: PolicyConfig;
  readonly #decoder: Decoder;
  readonly #options: EngineOptions;
  readonly #contexts: ContextStore;
  readonly #admission: MemoryAdmission;
  readonly #reading: Step;
  readonly #decoding: Step;
  readonly #draws: Draws;
  readonly #latent: LatentSteps;
  readonly #forced: ForcedTokens;
  readonly #yield = createYield();
  /** Sessions with a request, in the order of their calls. */
  readonly #active = new Set<EngineSession>();
  readonly #open = new Set<EngineSession>();
  /** Kinds of steps that were taken, whose kernels exist. */
  readonly #taken = new Set<Step>();
  #onWork: (work: Work) => void = () => undefined;
  #running: Promise<void> | null = null;
  #disposed = false;
  /** Whether weights are being replaced. */
  #updating = false;
  /** Turns in a row in which nothing was decoded though it could have been. */
  #paused = 0;
  /** Why generation cannot continue: after a failed step the stores hold nothing certain. */
  #fault: EngineFault | null = null;

  /** @throws MemoryError */
  constructor(decoder: Decoder, options: EngineOptions) {
    const { ops, config } = decoder;
    this.config = config;
    this.#decoder = decoder;
    this.#options = options;
    this.#contexts = new ContextStore(decoder, options.keys, options.maxSlots);
    this.#admission = new MemoryAdmission(
      this.#contexts,
      config.maxPositions,
      options.memoryWaitMs ?? 0,
    );
    this.#reading = makeStep(decoder, options.prefillChunk, 'reading');
    this.#decoding = makeStep(decoder, options.maxSlots, 'decoding');
    this.#latent = new LatentSteps(decoder, this.#reading, options.maxSlots, options.decode);
    this.#forced = new ForcedTokens(decoder, options.maxSlots);
    this.#draws = ops.draws(options.maxSlots);
  }

  /** @throws Error where it was disposed or its weights are being replaced */
  open(seed: number, drawn = 0): EngineSession {
    this.#checkUsable();
    const session = new EngineSession(this, seed, drawn);
    this.#open.add(session);
    return session;
  }

  /** @throws MemoryError */
  async fork(parent: EngineSession, seed: number): Promise<EngineSession> {
    const child = this.open(seed);
    child.pending = [...parent.pending];
    child.cachedTokens = [...parent.cachedTokens];
    child.finiteCount = parent.finiteCount;
    child.mixture = parent.mixture;
    try {
      await this.#admission.copyRange(parent, child);
    } catch (error) {
      child.close();
      throw error;
    }
    return child;
  }

  /** Makes room for contexts to come, so that stores need not grow. @throws MemoryError */
  reserve(contexts: number, positions: number): Promise<void> {
    return this.#contexts.reserve(contexts, Math.min(positions, this.config.maxPositions));
  }

  onWork(listener: (work: Work) => void): void {
    this.#onWork = listener;
  }

  checkIds(ids: readonly number[]): void {
    const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= this.config.vocabSize);
    if (bad !== undefined)
      throw new RangeError(`policy: token id ${bad} is not in [0, ${this.config.vocabSize})`);
  }

  /** What is watched for in the tokens of a call. @throws Error where texts are to be found and it cannot decode */
  watchFor(options: GenerateOptions): Pick<Request, 'stopTexts' | 'latent'> {
    const latent = this.#latent.callFor(options);
    if (!options.stopTexts?.length) return { stopTexts: null, latent };
    const { decode } = this.#options;
    if (!decode) throw new Error('policy: it has no tokenizer to find stop texts with');
    return { stopTexts: new StopTexts(options, decode), latent };
  }

  enqueue(session: EngineSession): void {
    if (this.#fault) return this.#fail(session, this.#fault);
    this.#active.add(session);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Frees what a closed session holds. A request under way ends as if aborted. */
  release(session: EngineSession): void {
    if (session.request) this.#finish(session, 'abort');
    this.#admission.forget(session);
    this.#open.delete(session);
    if (session.cacheRange) this.#contexts.release(session.cacheRange);
    session.cacheRange = null;
    this.#clearIfIdle();
  }

  /**
   * Lets `change` make the weights again, or the adapter, where they lie.
   * @throws Error while sessions are open: their keys and values belong to the old ones. Where `change`
   * fails, generation cannot continue
   */
  async update(change: (decoder: Decoder) => Promise<void>): Promise<void> {
    await this.#running;
    this.#checkUsable();
    if (this.#open.size > 0)
      throw new Error(
        `policy: ${this.#open.size} sessions are open; weights change between rollouts only`,
      );
    this.#updating = true;
    try {
      await change(this.#decoder);
      this.#latent.forget();
    } catch (error) {
      const reason = messageOf(error);
      this.#fault = new EngineFault(
        `policy: its weights changed in part (${reason}); load it again`,
      );
      throw this.#fault;
    } finally {
      this.#updating = false;
    }
  }

  /** Which adapter is added from now on. @throws Error while sessions are open */
  async useAdapter(adapter: Adapter | null, places?: AdapterPlaces): Promise<void> {
    await this.update(async (decoder) => decoder.useAdapter(adapter, places));
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const session of this.#open) session.close();
    const free = (): void => {
      this.#contexts.clear();
      for (const step of [this.#reading, this.#decoding]) freeStep(this.#decoder, step);
      this.#decoder.ops.free(this.#draws);
      for (const steps of [this.#latent, this.#forced]) steps.dispose();
      this.#decoder.dispose();
    };
    if (this.#running) void this.#running.finally(free);
    else free();
  }

  #checkUsable(): void {
    if (this.#fault) throw this.#fault;
    if (this.#disposed) throw new Error('policy: it was disposed');
    if (this.#updating) throw new Error('policy: its weights are being replaced');
  }

  #clearIfIdle(): void {
    if (this.#open.size === 0 && !this.#running) this.#contexts.clear();
  }

  async #run(): Promise<void> {
    // The caller's code that follows `generate` runs first, so that calls made together start together.
    await Promise.resolve();
    try {
      while (this.#active.size > 0) {
        await this.#settle();
        await this.#contexts.step(() => this.#turn());
        if (this.#admission.allWait(this.#active)) await sleep(LOOK_MS).then(() => this.#end(null));
        else await this.#yield();
      }
    } catch (error) {
      const reason = messageOf(error);
      this.#fault = new EngineFault(`policy: a step failed (${reason}); load the policy again`);
      for (const session of this.#active) this.#fail(session, this.#fault);
    }
    if (this.#open.size === 0) this.#contexts.clear();
  }

  /** Reads, and mostly decodes. */
  async #turn(): Promise<void> {
    const pause = (await this.#read()) && this.#mayPauseDecoding();
    if (!pause) await this.#decode();
    this.#paused = pause ? this.#paused + 1 : 0;
  }

  /**
   * A decode step costs nearly the same for few sessions as for many. So while most still have text
   * to read, reading goes first for a few turns.
   */
  #mayPauseDecoding(): boolean {
    if (this.#paused >= MOST_PAUSED_TURNS) return false;
    let reading = 0;
    for (const session of this.#active) if (session.pending.length > 1) reading++;
    return 2 * reading > this.#active.size;
  }

  /** Ends requests that are aborted, have no room, or have what they want; gives the others room. */
  async #settle(): Promise<void> {
    for (const session of this.#active) {
      const { request } = session;
      if (!request) continue;
      if (request.options.signal?.aborted) this.#finish(session, 'abort');
      else if (isComplete(request, session.pending.length)) this.#finish(session, 'length');
      else if (session.length >= this.config.maxPositions) this.#finish(session, 'context');
      else if (session.length === 0) this.#fail(session, new Error('policy: the context is empty'));
      else await this.#admission.growRange(session);
    }
    const refused = this.#admission.nextRefused(this.#active, this.#open);
    if (refused) this.#fail(refused.session, refused.error);
  }

  /**
   * Reads given text, as much as one turn reads, for the sessions that came first. What another session has read behind
   * the same past is copied from it; where one that came before has it to read, this one waits. Tells whether any was read.
   */
  async #read(): Promise<boolean> {
    let left = this.#options.prefillChunk;
    const work: { session: EngineSession; ids: number[]; start: number }[] = [];
    const before: EngineSession[] = [];
    for (const session of this.#active) {
      const { cacheRange: place } = session;
      if (!place || this.#admission.isWaiting(session)) continue;
      if (session.pending.length > 1) this.#copyRead(session, place);
      const count = Math.min(left, session.pending.length - 1);
      if (count > 0 && !isPrefixPending(session, before)) {
        left -= count;
        work.push({ session, ids: session.pending.slice(0, count), start: place.start });
      }
      before.push(session);
    }
    if (work.length === 0) return false;
    const { tokens, x, buffers } = this.#reading;
    const decoder = this.#decoder;
    this.#begin(this.#reading);
    const runs = work.map(({ session, ids, start }) => ({ ids, start, position: session.cached }));
    const sessions = work.map(({ session }) => session);
    const done = this.#latent.place(this.#reading, runs, sessions, 'many');
    readKeys(decoder, x, tokens, this.#contexts.stores, buffers);
    decoder.ops.submit();
    await decoder.ops.settled();
    done();
    this.#end(this.#reading);
    for (const { session, ids } of work) {
      if (session.closed) continue;
      session.markPrefilled(ids.length);
    }
    return true;
  }

  /** Copies what another session has read of this one's pending text, if any has. */
  #copyRead(session: EngineSession, to: CacheRange): void {
    const read = findCachedPrefix(session, to, this.#open);
    if (!read) return;
    this.#decoder.ops.copyKeys(this.#contexts.stores, [read.move]);
    session.markPrefilled(read.count);
  }

  /** One token for every session that has nothing left to read. */
  async #decode(): Promise<void> {
    const work: EngineSession[] = [];
    for (const session of this.#active) {
      const { request, cacheRange: place, pending } = session;
      if (!request || !place || this.#admission.isWaiting(session)) continue;
      if (pending.length !== 1 || isComplete(request, 1)) continue;
      if (work.push(session) === this.#options.maxSlots) break;
    }
    if (work.length === 0) return;
    const drawn = await this.#step(work);
    for (const [i, session] of work.entries()) {
      if (session.closed) continue;
      const one = drawn[i];
      try {
        if (one) this.#accept(session, one);
      } catch (error) {
        // Its logits, its listener or its stop texts: no other session has a part in it.
        if (error instanceof NonFiniteLogits) session.broken = error;
        this.#fail(session, error);
      }
    }
  }

  /** Feeds every session its pending token and draws the next one. */
  async #step(work: readonly EngineSession[]): Promise<Drawn[]> {
    const { tokens, x, buffers } = this.#decoding;
    const decoder = this.#decoder;
    const { ops, weights } = decoder;
    this.#begin(this.#decoding);
    const runs = work.map(({ pending: ids, cached: position, cacheRange: place }) => ({
      ids,
      position,
      start: place?.start ?? 0,
    }));
    const draws = work.flatMap(({ request, seed, drawn: counter }, row) =>
      request ? [{ row, seed, counter, sampling: request.options.sampling }] : [],
    );
    const done = this.#latent.place(this.#decoding, runs, work, 'few');
    ops.placeDraws(this.#draws, draws);
    runLayers(decoder, x, tokens, this.#contexts.stores, buffers);
    ops.sample({ x, norm: weights.finalNorm, head: weights.head, draws: this.#draws });
    const free = await ops.readDraws(this.#draws);
    const drawn = await this.#forced.take(this.#decoding, work, free);
    done();
    for (const session of work) session.markDecoded();
    await this.#latent.mix(this.#decoding, work, drawn);
    this.#end(this.#decoding);
    return drawn;
  }

  #begin(step: Step): void {
    this.#onWork(this.#taken.has(step) ? 'computing' : 'compiling');
  }

  #end(step: Step | null): void {
    if (step) this.#taken.add(step);
    this.#onWork('computing');
  }

  /** Hands a session its next token. */
  #accept(session: EngineSession, drawn: Drawn): void {
    const { request } = session;
    if (!request) return;
    if (!drawn.finite) throw new NonFiniteLogits();
    session.finiteCount = session.cached;
    const { options, output, stopTexts } = request;
    const ofModel = options.scores === 'model' || options.sampling.temperature === 0;
    session.drawn++;
    output.ids.push(drawn.id);
    output.logprobs.push(ofModel ? drawn.modelLogprob : drawn.logprob);
    output.entropies.push(ofModel ? drawn.modelEntropy : drawn.entropy);
    session.pending = [drawn.id];
    deliver(request);
    if (!session.request) return;
    if (options.stopIds.includes(drawn.id) || stopTexts?.push(drawn.id))
      this.#finish(session, 'stop');
    else if (output.ids.length >= options.maxTokens) this.#finish(session, 'length');
  }

  #finish(session: EngineSession, finish: Generated['finish']): void {
    const { request } = session;
    if (!request) return;
    session.request = null;
    this.#active.delete(session);
    this.#admission.forget(session);
    const latent = request.latent?.tokens;
    request.resolve({ ...request.output, finish, ...(latent && { latent }) });
  }

  #fail(session: EngineSession, error: unknown): void {
    const { request } = session;
    session.request = null;
    this.#active.delete(session);
    this.#admission.forget(session);
    request?.reject(error);
  }
}
