import type { PolicyConfig } from '../checkpoint/config.ts';
import type { Generated, GenerateOptions } from '../policy.ts';
import { StopTexts } from '../stop-texts.ts';
import {
  disposeLayer,
  disposeWeights,
  type DeviceLayer,
  type DeviceWeights,
} from './device-weights.ts';
import { EngineFault } from '../engine-fault.ts';
import { uniform } from './numeric.ts';
import { deliver, isComplete } from './request.ts';
import { NonFiniteLogits, sampleToken } from './sampling.ts';
import { EngineSession } from './session.ts';
import { CHUNK, COARSE_BUCKETS, FINE_BUCKETS, PREFILL_SLOTS, ringStart } from './shapes.ts';
import { SlotTable } from './slots.ts';
import { Stepper } from './stepper.ts';
import type { Work } from '../watchdog.ts';
import { createYield } from './yielding.ts';
import { messageOf } from '../../base/errors.ts';

export interface EngineOptions {
  /** Most contexts that decode together; further ones wait for a slot. */
  readonly maxSlots: number;
  /** Whether kernels run at once in the calling thread (WASM). */
  readonly sync: boolean;
  /** Decodes ids; needed where generation is to end at texts. */
  readonly decode?: (ids: readonly number[]) => string;
}

/** Decoding never waits longer than so many chunks, some tens of milliseconds each. */
const MOST_PAUSED_TURNS = 3;

/**
 * Generates for many sessions at once. Each turn of the loop reads one chunk of given text for a
 * few sessions, then (with rare pauses) decodes one token for every session that has nothing left to read, so that
 * neither kind of work, nor a session that waits for a search, holds up the rest.
 *
 * All but the last token of given text goes through chunks in a small cache of its own; the last
 * one is decoded. Which chunks there are depends on positions alone.
 */
export class GenerationEngine {
  readonly config: PolicyConfig;
  #weights: DeviceWeights;
  readonly #stepper: Stepper;
  readonly #main: SlotTable;
  readonly #reading: SlotTable;
  readonly #yield = createYield();
  readonly #scratch: Float64Array;
  readonly #decode: EngineOptions['decode'];
  /** Sessions with a request, in the order of their calls. */
  readonly #active = new Set<EngineSession>();
  readonly #open = new Set<EngineSession>();
  #running: Promise<void> | null = null;
  #disposed = false;
  /** Whether layers are being replaced. */
  #updating = false;
  /** Turns in a row in which nothing was decoded though it could have been. */
  #paused = 0;
  /** Why generation cannot go on: after a failed step the caches hold nothing certain. */
  #fault: EngineFault | null = null;

  constructor(weights: DeviceWeights, options: EngineOptions) {
    this.config = weights.config;
    this.#weights = weights;
    this.#stepper = new Stepper(weights, options.sync);
    const { decode, prefill, capacity } = options.sync ? FINE_BUCKETS : COARSE_BUCKETS;
    this.#main = new SlotTable(weights.config, options.maxSlots, { slots: decode, capacity });
    this.#reading = new SlotTable(weights.config, PREFILL_SLOTS, { slots: prefill, capacity });
    this.#decode = options.decode;
    this.#scratch = new Float64Array(weights.config.vocabSize);
  }

  open(seed: number): EngineSession {
    if (this.#fault) throw this.#fault;
    if (this.#disposed) throw new Error('policy: it was disposed');
    if (this.#updating) throw new Error('policy: its weights are being replaced');
    const session = new EngineSession(this, seed);
    this.#open.add(session);
    return session;
  }

  fork(parent: EngineSession, seed: number): EngineSession {
    const child = this.open(seed);
    child.pending = [...parent.pending];
    child.cached = parent.cached;
    child.flushed = parent.flushed;
    if (parent.home) child.home = { cache: parent.home.cache.snapshot(parent.home.slot), slot: 0 };
    return child;
  }

  onWork(listener: (work: Work) => void): void {
    this.#stepper.onWork = listener;
  }

  checkIds(ids: readonly number[]): void {
    const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= this.config.vocabSize);
    if (bad !== undefined)
      throw new RangeError(`policy: token id ${bad} is not in [0, ${this.config.vocabSize})`);
  }

  /** @throws Error where texts are to stop it and the engine cannot decode */
  watchFor(options: GenerateOptions): StopTexts | null {
    if (!options.stopTexts?.length) return null;
    if (!this.#decode) throw new Error('policy: it has no tokenizer to find stop texts with');
    return new StopTexts(options, this.#decode);
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
    this.#open.delete(session);
    this.#leave(session);
    if (this.#open.size === 0 && !this.#running) {
      this.#main.dispose();
      this.#reading.dispose();
    }
  }

  /**
   * Samples from other weights of the same shape from now on; the old ones are freed.
   * @param upload makes the device weights; called only when they can be taken
   * @throws Error while sessions are open: their caches belong to the old weights
   */
  async replaceWeights(upload: () => DeviceWeights): Promise<void> {
    await this.#running;
    this.#checkIdle();
    const weights = upload();
    disposeWeights(this.#weights);
    this.#weights = weights;
    this.#stepper.setWeights(weights);
  }

  /**
   * Changes the weights where they lie, layer by layer, so that no second copy of them exists.
   * @param layer makes layer `index` anew, on the device
   * @throws Error while sessions are open. Where `layer` fails, generation cannot go on: the policy is
   * of two kinds of layers then
   */
  async updateLayers(layer: (index: number) => Promise<DeviceLayer>): Promise<void> {
    await this.#running;
    this.#checkIdle();
    this.#updating = true;
    try {
      for (let index = 0; index < this.config.layers; index++) {
        const fresh = await layer(index);
        disposeLayer(this.#weights.layers[index]!);
        this.#weights.layers[index] = fresh;
      }
      this.#stepper.layersChanged();
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

  /** @throws Error unless weights can be replaced now */
  #checkIdle(): void {
    if (this.#fault) throw this.#fault;
    if (this.#disposed) throw new Error('policy: it was disposed');
    if (this.#updating) throw new Error('policy: its weights are being replaced');
    if (this.#open.size > 0)
      throw new Error(
        `policy: ${this.#open.size} sessions are open; weights change between rollouts only`,
      );
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const session of this.#open) session.close();
    const free = (): void => {
      this.#main.dispose();
      this.#reading.dispose();
      disposeWeights(this.#weights);
    };
    if (this.#running) void this.#running.finally(free);
    else free();
  }

  async #run(): Promise<void> {
    // The caller's code that follows `generate` runs first, so that calls made together start together.
    await Promise.resolve();
    try {
      while (this.#active.size > 0) {
        this.#settle();
        await this.#readChunks();
        const pause = this.#mayPauseDecoding();
        if (!pause) await this.#decodeOnce();
        this.#paused = pause ? this.#paused + 1 : 0;
        await this.#yield();
      }
    } catch (error) {
      const reason = messageOf(error);
      this.#fault = new EngineFault(`policy: a step failed (${reason}); load the policy again`);
      for (const session of this.#active) this.#fail(session, this.#fault);
    }
    if (this.#open.size === 0) {
      this.#main.dispose();
      this.#reading.dispose();
    }
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

  /** Ends requests that are aborted, have no room, or have what they want. */
  #settle(): void {
    for (const session of this.#active) {
      const request = session.request!;
      if (request.options.signal?.aborted) this.#finish(session, 'abort');
      else if (isComplete(request, session.pending.length)) this.#finish(session, 'length');
      else if (session.length >= this.config.maxPositions) this.#finish(session, 'context');
      else if (session.length === 0) this.#fail(session, new Error('policy: the context is empty'));
    }
  }

  /** Reads one chunk for the sessions being read for; when all are done, takes in the next ones. */
  async #readChunks(): Promise<void> {
    if (this.#reading.sessions().length === 0) this.#startReading();
    const sessions = this.#reading.sessions();
    if (sessions.length === 0) return;
    const work = sessions.filter((s) => s.request && s.pending.length > 1);
    if (work.some((s) => s.flushed < s.cached - (s.cached % CHUNK))) this.#reading.flush(work);
    const tokens = work.map((s) => {
      const count = Math.min(CHUNK - (s.cached % CHUNK), s.pending.length - 1);
      return { slot: s.home!.slot, position: s.cached, ids: s.pending.slice(0, count) };
    });
    if (tokens.length > 0) await this.#stepper.prefill(this.#reading.cache, tokens);
    for (const [i, session] of work.entries()) {
      if (session.closed) continue;
      const { ids } = tokens[i]!;
      session.cached += ids.length;
      session.pending.splice(0, ids.length);
    }
    this.#endReading();
  }

  #startReading(): void {
    const next = [...this.#active].filter((s) => s.pending.length > 1).slice(0, PREFILL_SLOTS);
    if (next.length === 0) return;
    // A new cache, because it is then no larger than these sessions need.
    this.#reading.dispose();
    this.#move(next, this.#reading);
  }

  /** Once all have been read for, moves them to the slots that decode, as far as there is room. */
  #endReading(): void {
    const sessions = this.#reading.sessions();
    if (sessions.some((s) => s.request && s.pending.length > 1)) return;
    const active = sessions.filter((s) => s.request);
    this.#makeRoom(active.length);
    const moving = active.slice(0, this.#main.free);
    if (moving.length > 0) this.#move(moving, this.#main);
    for (const session of this.#reading.sessions()) this.#park(session);
  }

  /** Puts sessions that need no reading but have no slot (parked, forked) into slots. */
  #admitWaiting(): void {
    const waiting = [...this.#active].filter(
      (s) => s.pending.length === 1 && !this.#main.owns(s) && !this.#reading.owns(s),
    );
    if (waiting.length === 0) return;
    this.#makeRoom(waiting.length);
    const moving = waiting.slice(0, this.#main.free);
    if (moving.length > 0) this.#move(moving, this.#main);
  }

  /** Parks idle sessions until `count` slots are free, or all slots are at work. */
  #makeRoom(count: number): void {
    for (const session of this.#main.sessions()) {
      if (this.#main.free >= count) return;
      if (!session.request) this.#park(session);
    }
  }

  /** Moves a session's keys and values into a cache of their own. */
  #park(session: EngineSession): void {
    const home = session.home!;
    const parked = home.cache.snapshot(home.slot);
    this.#leave(session);
    session.home = { cache: parked, slot: 0 };
  }

  #move(sessions: readonly EngineSession[], to: SlotTable): void {
    const from = to === this.#main ? this.#reading : this.#main;
    const parked = sessions.filter((s) => s.home && !from.owns(s)).map((s) => s.home!.cache);
    to.admit(sessions);
    for (const session of sessions) from.remove(session);
    for (const cache of parked) cache.dispose();
  }

  #leave(session: EngineSession): void {
    if (session.home && !this.#main.owns(session) && !this.#reading.owns(session))
      session.home.cache.dispose();
    this.#main.remove(session);
    this.#reading.remove(session);
    session.home = null;
  }

  async #decodeOnce(): Promise<void> {
    this.#admitWaiting();
    const work = this.#main
      .sessions()
      .filter((s) => s.request && s.pending.length === 1 && !isComplete(s.request, 1));
    if (work.length === 0) return;
    this.#main.compact();
    if (work.some((s) => s.flushed < ringStart(s.cached))) this.#main.flush(this.#main.sessions());
    const tokens = work.map((s) => ({ slot: s.home!.slot, position: s.cached, ids: s.pending }));
    const logits = await this.#stepper.decode(this.#main.cache, tokens);
    for (const [i, session] of work.entries()) {
      if (session.closed) continue;
      session.cached++;
      session.pending = [];
      const slot = tokens[i]!.slot;
      const row = logits.subarray(slot * this.config.vocabSize, (slot + 1) * this.config.vocabSize);
      try {
        this.#accept(session, row);
      } catch (error) {
        // Its logits, its listener or its stop texts: no other session has a part in it.
        if (error instanceof NonFiniteLogits) session.broken = error;
        this.#fail(session, error);
      }
    }
  }

  /** Draws a session's next token and hands it on. */
  #accept(session: EngineSession, logits: Float32Array): void {
    const request = session.request!;
    const { options, output, stopTexts } = request;
    const u = uniform(session.seed, session.drawn++);
    const { id, logprob, entropy } = sampleToken(
      logits,
      options.sampling,
      u,
      this.#scratch,
      options.scores,
    );
    output.ids.push(id);
    output.logprobs.push(logprob);
    output.entropies.push(entropy);
    session.pending = [id];
    deliver(request);
    if (!session.request) return;
    if (options.stopIds.includes(id) || stopTexts?.push(id)) this.#finish(session, 'stop');
    else if (output.ids.length >= options.maxTokens) this.#finish(session, 'length');
  }

  #finish(session: EngineSession, finish: Generated['finish']): void {
    const request = session.request;
    if (!request) return;
    session.request = null;
    this.#active.delete(session);
    request.output.finish = finish;
    request.resolve(request.output);
  }

  #fail(session: EngineSession, error: unknown): void {
    const request = session.request;
    session.request = null;
    this.#active.delete(session);
    request?.reject(error);
  }
}
