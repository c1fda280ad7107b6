import type { WebSpec } from '../../records/setup.ts';
import type { Similarities } from '../sources/similarities.ts';
import type { Source } from '../sources/sources.ts';
import { AnswerCache, type TextStore } from './answer-cache.ts';
import type { Engine, EngineKind } from './kinds/engine.ts';
import { engineKind, ENGINES } from './kinds/list.ts';
import { EngineSource } from './engine-source.ts';
import type { HostGates } from './http/gate.ts';
import { EngineHttp, systemDeps, type HttpDeps, type HttpLimits } from './http/http.ts';

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
