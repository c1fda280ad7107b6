import { unknownNames, wordsOfNames } from '../../../agent/answers/unknown-names.ts';
import { createTurns } from '../../../base/turns.ts';
import type { Passage } from '../../../records/records.ts';
import type { LocalSpec, WebSpec } from '../../../records/setup.ts';
import type { Mentions } from '../../../retrieval/lexical/mentions.ts';
import { mentionsOfWords } from '../../../retrieval/lexical/word-mentions.ts';
import type { NamesApi, NamesProgress, NamesRequest } from '../../contract/retrieval.ts';
import { createPace } from './pace.ts';

export interface NamesHostDeps {
  /** The passages of a local source, read from where they lie. */
  passages(spec: LocalSpec): Iterable<readonly Passage[]> | AsyncIterable<readonly Passage[]>;
  /** What the web mentions; null where it does not tell. */
  web(spec: WebSpec): Promise<Mentions | null>;
}

/** Looks up the names of many questions; passages are read once, and none are kept. */
export class NamesHost implements NamesApi {
  readonly #deps: NamesHostDeps;

  constructor(deps: NamesHostDeps) {
    this.#deps = deps;
  }

  async unknownOfAll(
    { sources, asked, questions, passages }: NamesRequest,
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): Promise<string[][] | null> {
    const pace = createPace(onProgress);
    const web = asked.includes('web') ? await this.#deps.web(sources.web) : undefined;
    if (web === null) return null;
    const local =
      asked.includes('local') &&
      (await mentionsOfWords(
        this.#deps.passages(sources.local),
        wordsOfNames(questions),
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
}
