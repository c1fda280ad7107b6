import type { WebSpec } from '../../records/setup.ts';
import type { Similarities } from '../similarities.ts';
import type { Source, SourceResult } from '../sources.ts';
import { AnswerCache, type TextStore } from './answer-cache.ts';
import type { Engine, EngineKind } from './kinds/engine.ts';
import { engineKind, ENGINES } from './kinds/list.ts';
import type { HostGates } from './http/gate.ts';
import { EngineHttp, systemDeps, type HttpDeps, type HttpLimits, type Meter } from './http/http.ts';
import type { Hit } from '../../records/hits.ts';
import type { Found } from './kinds/passages.ts';
import { SharedCalls } from './http/shared-call.ts';

interface EngineSourceParts {
  engine: Engine;
  http: EngineHttp;
  /** Null: every call pays for itself. */
  cache: AnswerCache | null;
  /** Fills in the similarity of each hit; the order stays the engine's. */
  similarities: Similarities | null;
  /** Milliseconds, monotonic. */
  now: () => number;
}

interface Answer {
  found: Found[];
  meter: Meter;
}

/** Most passages that one search may ask for. */
const MAX_K = 50;

/**
 * A real search engine as the web source. Hits keep the engine's order; where it gives no scores the
 * score is 1 / rank. What is asked of whom is decided by `Engine`, how politely by `EngineHttp`.
 */
class EngineSource implements Source {
  readonly name = 'web' as const;
  readonly #parts: EngineSourceParts;
  readonly #calls = new SharedCalls<Answer>();

  constructor(parts: EngineSourceParts) {
    this.#parts = parts;
  }

  /** Names protocol and address. */
  get id(): string {
    return this.#parts.engine.id;
  }

  /** @throws EngineError; the signal's reason where it was aborted */
  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    const { cache, engine, now } = this.#parts;
    const start = now();
    signal?.throwIfAborted();
    const asked = query.replace(/\s+/gu, ' ').trim();
    const most = Math.min(MAX_K, Math.max(0, Math.floor(k)));
    if (asked === '' || most === 0) return { hits: [], requests: 0, bytes: 0, latencyMs: 0 };
    const key = JSON.stringify([engine.id, most, asked]);
    const known = await cache?.get(key);
    const answer = known ?? null;
    if (answer) return this.#result(asked, answer, null, start, signal);
    const work = (inner: AbortSignal): Promise<Answer> => this.#ask(asked, most, key, inner);
    const { value, joined } = await this.#calls.run(key, work, signal);
    return this.#result(asked, value.found, joined ? null : value.meter, start, signal);
  }

  async #ask(query: string, k: number, key: string, signal: AbortSignal): Promise<Answer> {
    const { cache, engine, http } = this.#parts;
    const meter: Meter = { requests: 0, bytes: 0 };
    const found = distinct(await engine.search({ query, k, http, meter, signal })).slice(0, k);
    cache?.set(key, found);
    return { found, meter };
  }

  /** @param meter null where this call asked for nothing itself */
  async #result(
    query: string,
    found: readonly Found[],
    meter: Meter | null,
    start: number,
    signal: AbortSignal | undefined,
  ): Promise<SourceResult> {
    const { now, similarities } = this.#parts;
    const passages = found.map(({ passage }) => passage);
    const values = await similarities?.(query, passages, signal);
    const hits = found.map(({ passage, score }, i): Hit => {
      const similarity = values?.[i];
      return {
        passage,
        score: score ?? 1 / (i + 1),
        source: 'web',
        lexicalRank: i + 1,
        similarity,
      };
    });
    return {
      hits,
      ...(meter ?? { requests: 0, bytes: 0 }),
      latencyMs: now() - start,
      cached: meter === null,
    };
  }
}

/** Two results with one id are one; the first stands. */
function distinct(found: readonly Found[]): Found[] {
  const seen = new Set<string>();
  return found.filter(({ passage }) => !seen.has(passage.id) && seen.add(passage.id));
}

/** A web source that is asked over the network. */
export type EngineSpec = Exclude<WebSpec, { kind: 'built-in' }>;

/** @throws Error for a kind that is not in the list */
export const engineOf = (
  { kind, url }: EngineSpec,
  engines: readonly EngineKind[] = ENGINES,
): Engine => engineKind(kind, engines).open(url);

export interface WebSourceDeps {
  /** The web of the built-in world. */
  builtIn: () => Source;
  similarities?: Similarities | null;
  /** Keeps answers between visits. */
  store?: TextStore | null;
  /** `off`: every call pays for itself. */
  cache?: 'memory' | 'off';
  limits?: Partial<HttpLimits>;
  /** Gates that several sources share, so that one host is asked politely by all of them. */
  gates?: HostGates;
  http?: HttpDeps;
}

/** The web source of a setup. Nothing is asked before the first search. */
export function openWebSource(spec: WebSpec, deps: WebSourceDeps): Source {
  if (!('url' in spec)) return deps.builtIn();
  const http = deps.http ?? systemDeps();
  return new EngineSource({
    engine: engineOf(spec),
    http: new EngineHttp(http, deps.limits, deps.gates),
    cache: deps.cache === 'off' ? null : new AnswerCache({ store: deps.store ?? null }),
    similarities: deps.similarities ?? null,
    now: () => http.now(),
  });
}
