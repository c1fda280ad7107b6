import { LruCache } from '../../base/lru.ts';
import { sum } from '../../base/statistics.ts';
import { sourcesAsked } from '../../evaluate/systems/plan/plan.ts';
import type { EvaluationSpec, QuestionsSource } from '../../evaluate/systems/spec.ts';
import type { SourceName } from '../../records/hits.ts';
import { BUILT_IN_SETUP } from '../../records/setup.ts';
import type { UnknownInSet } from '../contract/evaluations.ts';
import type { NamesProgress, RetrieverSpec } from '../contract/retrieval.ts';
import { chosen, OpenSets, type SetParts, type StartedNames } from './sets.ts';

/** Questions that are sent to the page; the rest are counted. */
const MOST_SENT = 500;

interface Searched {
  sources: RetrieverSpec;
  asked: SourceName[];
  retrievals: number[];
}

/** What is searched under the retrieval settings, each once. */
function searchedBy(spec: EvaluationSpec): Searched[] {
  const found = new Map<string, Searched>();
  for (const [at, retrieval] of spec.retrieval.entries()) {
    const { local = BUILT_IN_SETUP.local, web = BUILT_IN_SETUP.web } = retrieval;
    const asked = sourcesAsked(spec, retrieval);
    const key = JSON.stringify([local, web, asked]);
    const known = found.get(key) ?? { sources: { local, web }, asked, retrievals: [] };
    known.retrievals.push(at);
    found.set(key, known);
  }
  return [...found.values()];
}

/** Questions of a world are of what that world mentions: they are looked up where others' passages are searched. */
const mayName = ({ kind }: QuestionsSource, { sources: { local } }: Searched): boolean =>
  kind === 'collections' || (kind !== 'files' && local.kind !== 'built-in');

/** What was found under one way of searching; null where a source does not tell. */
type UnknownNames = Pick<UnknownInSet, 'questions' | 'naming' | 'first'> | null;

/** Of fresh worlds: making one takes seconds, and the form asks again at every change. */
const REMEMBERED = 16;

/** Finds the questions of a spec whose names no passage mentions that is searched for them. */
export class NamesLookUp {
  readonly #parts: SetParts;
  readonly #known = new LruCache<{ found: UnknownNames }>(REMEMBERED);

  constructor(parts: SetParts) {
    this.#parts = parts;
  }

  /** @throws the signal's reason */
  async lookUp(
    spec: EvaluationSpec,
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): Promise<UnknownInSet[]> {
    const found: UnknownInSet[] = [];
    const searched = searchedBy(spec).filter(({ asked }) => asked.length > 0);
    for (const [set, source] of spec.questions.entries()) {
      const places = searched.filter((one) => mayName(source, one));
      const ask =
        source.kind === 'fresh'
          ? this.#inFresh(source, places, onProgress, signal)
          : this.#inOwn(source, places, onProgress, signal);
      for await (const [{ retrievals }, one] of ask)
        if (one !== null) found.push({ set, retrievals, ...one });
    }
    return found;
  }

  async *#inOwn(
    source: QuestionsSource,
    places: readonly Searched[],
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): AsyncGenerator<[Searched, UnknownNames], void, void> {
    if (places.length === 0) return;
    const sets = new OpenSets(this.#parts);
    await sets.find(source, () => undefined);
    const texts = sets.sets.flatMap(({ questions }) => textsOf(questions));
    for (const place of places) {
      const passages = sum((await this.#own(place)).map((one) => one.passages));
      const request = { sources: place.sources, asked: place.asked, questions: texts, passages };
      signal.throwIfAborted();
      yield [
        place,
        foundIn(texts, await this.#parts.names.unknownOfAll(request, onProgress, signal)),
      ];
    }
  }

  /** The world is made in a worker of its own: the page's questions continue meanwhile, and its passages are not encoded. */
  async *#inFresh(
    source: Extract<QuestionsSource, { kind: 'fresh' }>,
    places: readonly Searched[],
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): AsyncGenerator<[Searched, UnknownNames], void, void> {
    const made = { seed: source.seed };
    let worker: StartedNames | null = null;
    const stop = (): void => worker?.terminate();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (const place of places) {
        signal.throwIfAborted();
        const own = await this.#own(place);
        const key = JSON.stringify([source, place.sources, place.asked, own]);
        const known = this.#known.get(key);
        if (known) {
          yield [place, known.found];
          continue;
        }
        const { names } = (worker ??= this.#parts.startNames());
        const texts = textsOf(chosen(await names.questionsOf(made, onProgress), source));
        const passages = sum(own.map((one) => one.passages));
        const { sources, asked } = place;
        const request = { sources, asked, questions: texts, passages, made };
        const found = foundIn(texts, await names.unknownOfAll(request, onProgress, signal));
        this.#known.set(key, { found });
        yield [place, found];
      }
    } catch (error) {
      // A worker that is ended in the midst of a call says only that it is gone.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async #own({ sources: { local } }: Searched): Promise<readonly { passages: number }[]> {
    return local.kind === 'collections' ? this.#parts.collections(local.ids) : [];
  }
}

/** One without a gold answer is not asked. */
const textsOf = (questions: readonly { text: string; answers: readonly string[] }[]): string[] =>
  questions.filter(({ answers }) => answers.length > 0).map(({ text }) => text);

function foundIn(texts: readonly string[], names: readonly string[][] | null): UnknownNames {
  if (names === null) return null;
  const naming = texts
    .map((text, at) => ({ text, names: names[at] ?? [] }))
    .filter((one) => one.names.length > 0);
  return { questions: texts.length, naming: naming.length, first: naming.slice(0, MOST_SENT) };
}
