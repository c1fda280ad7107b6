import type { ChainStep, Passage } from '../../records/records.ts';
import type { SourceName } from '../../records/hits.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { World } from '../../retrieval/world/load.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';

/** A world opened to be measured. */
export interface MeasuredWorld {
  world: Pick<World, 'manifest' | 'local' | 'questions'>;
  /** The whole web corpus. */
  web: readonly Passage[];
  /** Searches as the product does. */
  retriever: Retriever;
  /** One local method by itself; null where the world has no vectors. */
  local: { lexical: LocalSearch; dense: LocalSearch | null };
  /** Tokens of a text, by the shipped tokenizer. */
  countTokens: (text: string) => number;
}

type LocalSearch = (query: string, k: number) => Promise<readonly Passage[]>;

/** A gold step with the passages that count as found, by corpus. */
export interface GoldStep extends ChainStep {
  gold: Readonly<Record<SourceName, ReadonlySet<string>>>;
}

/** Which passages state what a step asks for. */
export class Gold {
  readonly #byTitle: Readonly<Record<SourceName, ReadonlyMap<string, string>>>;

  constructor({ world, web }: Pick<MeasuredWorld, 'world' | 'web'>) {
    const titles = (passages: readonly Passage[]): Map<string, string> =>
      new Map(passages.filter((p) => p.noise === undefined).map((p) => [p.title, p.id]));
    this.#byTitle = { local: titles(world.local), web: titles(web) };
  }

  /** A step that lists no passages is found by the title of its page. */
  of(step: ChainStep): GoldStep {
    const corpus = (source: SourceName): Set<string> => {
      if (step.passageIds)
        return new Set(step.passageIds.filter((id) => id.startsWith(`${source}-`)));
      const id = this.#byTitle[source].get(step.title);
      return new Set(id === undefined ? [] : [id]);
    };
    return { ...step, gold: { local: corpus('local'), web: corpus('web') } };
  }
}

export const testQuestions = ({ world }: Pick<MeasuredWorld, 'world'>): WorldQuestion[] =>
  world.questions.filter(({ split }) => split === 'test');

/** Parts of a whole; 0 of nothing. */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
