import type { WebSpec } from '../../records/setup.ts';
import type { Similarities } from '../sources/similarities.ts';
import type { Source } from '../sources/sources.ts';
import { AnswerCache, type TextStore } from './answer-cache.ts';
import type { Engine } from './kinds/engine.ts';
import { EngineSource } from './engine-source.ts';
import type { HostGates } from './http/gate.ts';
import { EngineHttp, systemDeps, type HttpDeps, type HttpLimits } from './http/http.ts';
import { MediaWiki } from './kinds/mediawiki.ts';
import { R1Searcher } from './kinds/r1-searcher.ts';
import { ReSearch } from './kinds/research.ts';
import { SearchR1 } from './kinds/search-r1.ts';
import { SearXng } from './kinds/searxng.ts';

/** A web source that is asked over the network. */
export type EngineSpec = Exclude<WebSpec, { kind: 'built-in' }>;

export function engineOf(spec: EngineSpec): Engine {
  switch (spec.kind) {
    case 'mediawiki':
      return new MediaWiki(spec.url);
    case 'searxng':
      return new SearXng(spec.url);
    case 'search-r1':
      return new SearchR1(spec.url);
    case 'r1-searcher':
      return new R1Searcher(spec.url);
    case 'research':
      return new ReSearch(spec.url);
  }
}

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
  if (spec.kind === 'built-in') return deps.builtIn();
  const http = deps.http ?? systemDeps();
  return new EngineSource({
    engine: engineOf(spec),
    http: new EngineHttp(http, deps.limits, deps.gates),
    cache: deps.cache === 'off' ? null : new AnswerCache({ store: deps.store ?? null }),
    similarities: deps.similarities ?? null,
    now: () => http.now(),
  });
}
