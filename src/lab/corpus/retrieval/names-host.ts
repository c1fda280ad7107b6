import { unknownNames, wordsOfNames } from '../../../agent/answers/look-up-names.ts';
import { createTurns } from '../../../base/turns.ts';
import type { Passage } from '../../../records/records.ts';
import type { LocalSpec, WebSpec } from '../../../records/setup.ts';
import type { Mentions } from '../../../retrieval/lexical/mentions.ts';
import { mentionsOfWords } from '../../../retrieval/lexical/word-mentions.ts';
import type { WorldRecords } from '../../../retrieval/world/write.ts';
import type {
  WorldSeed,
  NamesApi,
  NamesProgress,
  NamesRequest,
  NamingQuestion,
} from '../../contract/retrieval.ts';
import { createPace } from './pace.ts';

export interface NamesHostDeps {
  /** The passages of a local source, read from where they lie. */
  passages(spec: LocalSpec): Iterable<readonly Passage[]> | AsyncIterable<readonly Passage[]>;
  /** What the web mentions; null where it does not tell. */
  web(spec: WebSpec): Promise<Mentions | null>;
  /** A world that is made. */
  made(made: WorldSeed): Promise<Pick<WorldRecords, 'local' | 'web' | 'questions'>>;
}

/** Looks up the names of many questions; passages are read once, and none are kept. */
export class NamesHost implements NamesApi {
  readonly #deps: NamesHostDeps;
  /** The one that was made last, which several ways of searching ask for one after another. */
  #made: { key: string; world: ReturnType<NamesHostDeps['made']> } | null = null;

  constructor(deps: NamesHostDeps) {
    this.#deps = deps;
  }

  async questionsOf(made: WorldSeed, onProgress: NamesProgress): Promise<NamingQuestion[]> {
    onProgress(`generating the world of seed ${made.seed}`, { share: 0 });
    const { questions } = await this.#world(made);
    return questions.map(({ text, answers, split }) => ({
      text,
      answers,
      split,
    }));
  }

  async unknownOfAll(
    { sources, asked, questions, passages, made }: NamesRequest,
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): Promise<string[][] | null> {
    const pace = createPace(onProgress);
    const words = wordsOfNames(questions);
    const web = asked.includes('web') ? await this.#web(sources.web, made, words, signal) : null;
    if (web === null && asked.includes('web')) return null;
    const local =
      asked.includes('local') &&
      (await mentionsOfWords(
        made && sources.local.kind === 'built-in'
          ? [(await this.#world(made)).local]
          : this.#deps.passages(sources.local),
        words,
        (read) => pace('reading passages', read, passages),
        signal,
      ));
    const known = [...(local ? [local] : []), ...(web ? [web] : [])];
    const turn = createTurns(signal);
    const found: string[][] = [];
    for (const question of questions) {
      await turn();
      found.push(await unknownNames(question, known, signal));
      pace('looking up names of questions', found.length, questions.length);
    }
    return found;
  }

  /** What the web mentions, of these words at least; null where it does not tell. */
  async #web(
    spec: WebSpec,
    made: WorldSeed | undefined,
    words: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Mentions | null> {
    if (!made || spec.kind !== 'built-in') return this.#deps.web(spec);
    return mentionsOfWords([(await this.#world(made)).web], words, undefined, signal);
  }

  #world(made: WorldSeed): ReturnType<NamesHostDeps['made']> {
    const key = JSON.stringify(made);
    if (this.#made?.key !== key) this.#made = { key, world: this.#deps.made(made) };
    return this.#made.world;
  }
}
