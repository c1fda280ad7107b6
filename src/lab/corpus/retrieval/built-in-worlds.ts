import type { BuiltInForm } from '../../../records/built-in-forms.ts';
import type { FetchFile } from '../../../base/fetch-file.ts';
import type { OnnxEncoder } from '../../../retrieval/encoder/encoder.ts';
import { openWorldRetriever, type WorldRetriever } from '../../../retrieval/open.ts';
import { loadWorld, type World } from '../../../retrieval/world/load.ts';

interface BuiltInWorldDeps {
  /** Files of the world of a form. */
  files: (form: BuiltInForm) => FetchFile;
  /** The encoder that made the vectors of all forms. */
  encoder: () => Promise<OnnxEncoder>;
  /** Milliseconds added to every call of their webs. */
  webDelayMs: () => number;
  /** Told before passages are indexed, in which nothing else can be said. */
  onIndexing: () => void;
}

/** A built-in world that is open to search; `encoder` is null where it was made without vectors. */
interface OpenWorld {
  world: World;
  retriever: WorldRetriever;
  encoder: OnnxEncoder | null;
}

/** The built-in worlds, each fetched and indexed once it is asked for. */
export class BuiltInWorlds {
  readonly #deps: BuiltInWorldDeps;
  readonly #loading = new Map<BuiltInForm, Promise<World>>();
  readonly #opening = new Map<BuiltInForm, Promise<OpenWorld>>();

  constructor(deps: BuiltInWorldDeps) {
    this.#deps = deps;
  }

  /** @throws Error that names the file at fault; the next call tries again */
  load(form: BuiltInForm): Promise<World> {
    return once(this.#loading, form, () => loadWorld(this.#deps.files(form)));
  }

  open(form: BuiltInForm): Promise<OpenWorld> {
    return once(this.#opening, form, () => this.#open(form));
  }

  async #open(form: BuiltInForm): Promise<OpenWorld> {
    const world = await this.load(form);
    const encoder = world.vectors ? await this.#deps.encoder() : null;
    const { webDelayMs, files, onIndexing } = this.#deps;
    onIndexing();
    const retriever = openWorldRetriever(world, files(form), { encoder, webDelayMs });
    // The first search of the web shall pay for its shards alone; a fault is told by that search.
    retriever.web.prepare().catch(() => undefined);
    return { world, retriever, encoder };
  }
}

/** What is under way or done; what failed is begun again. */
function once<K, V>(known: Map<K, Promise<V>>, key: K, begin: () => Promise<V>): Promise<V> {
  const found = known.get(key);
  if (found) return found;
  const begun = begin();
  known.set(key, begun);
  begun.catch(() => {
    if (known.get(key) === begun) known.delete(key);
  });
  return begun;
}
