import type { FetchFile } from '../../../base/fetch-file.ts';
import type { OnnxEncoder } from '../../../retrieval/encoder/encoder.ts';
import { openWorldRetriever, type WorldRetriever } from '../../../retrieval/open.ts';
import { loadWorld, type World } from '../../../retrieval/world/load.ts';

interface BuiltInWorldDeps {
  files: () => FetchFile;
  /** The encoder that made the world's vectors. */
  encoder: () => Promise<OnnxEncoder>;
  /** Milliseconds added to every call of its web. */
  webDelayMs: () => number;
  /** Called before passages are indexed, while nothing else can be reported. */
  onIndexing: () => void;
}

/** The built-in world, open to search; `encoder` is null where it was made without vectors. */
interface OpenWorld {
  world: World;
  retriever: WorldRetriever;
  encoder: OnnxEncoder | null;
}

/** The built-in world, fetched and indexed once, when it is first needed. */
export class BuiltInWorld {
  readonly #deps: BuiltInWorldDeps;
  readonly #load: () => Promise<World>;
  readonly #open: () => Promise<OpenWorld>;

  constructor(deps: BuiltInWorldDeps) {
    this.#deps = deps;
    this.#load = once(async () => loadWorld(deps.files()));
    this.#open = once(() => this.#openNow());
  }

  /** @throws Error that names the file at fault; the next call tries again */
  load(): Promise<World> {
    return this.#load();
  }

  open(): Promise<OpenWorld> {
    return this.#open();
  }

  async #openNow(): Promise<OpenWorld> {
    const world = await this.load();
    const encoder = world.vectors ? await this.#deps.encoder() : null;
    const { webDelayMs, files, onIndexing } = this.#deps;
    onIndexing();
    const retriever = openWorldRetriever(world, files(), { encoder, webDelayMs });
    // The first search of the web shall pay for its shards alone; a fault is recognised by that search.
    retriever.web.prepare().catch(() => undefined);
    return { world, retriever, encoder };
  }
}

/** Begins once; what failed is begun again by the next call. */
function once<T>(begin: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | null = null;
  return () => {
    if (known) return known;
    const begun = begin();
    known = begun;
    begun.catch(() => {
      if (known === begun) known = null;
    });
    return begun;
  };
}
