import type { Passage } from '../../records/records.ts';
import type { KeyedRandom } from '../../base/random.ts';
import type { Fact } from '../facts/facts.ts';
import type { Knowledge } from '../facts/knowledge.ts';
import { makeNoise, type Noise } from './noise.ts';
import type { Page } from './pages.ts';
import { writePage, type State } from './write.ts';

/** The passages of a page. */
export interface Placed {
  local?: Passage;
  web?: Passage;
  /** The older state, in the local corpus. */
  stale?: Passage;
}

export interface Corpora {
  local: Passage[];
  web: Passage[];
  placed: ReadonlyMap<Page, Placed>;
  /** Doubtful claims about a fact. */
  doubts: ReadonlyMap<Fact, readonly (Noise & { id: string })[]>;
}

/**
 * What the web holds: `apart`, pages of its own and some of the local corpus; `superset`, every page in its current state,
 * as in KunLunBaizeRAG (arXiv 2506.19466), where the web knows what the local corpus knows and more.
 */
export type WebKind = 'apart' | 'superset';

/** Noise passages for each passage of a corpus. */
const NOISE = { local: 0.16, web: 0.32 } as const;
/** Share of facts about which both corpora hold several doubtful claims. */
const DISPUTED = 0.012;

/** Writes every page into the corpora where it lies, and noise beside them. */
export const writeCorpora = (
  rng: KeyedRandom,
  pages: readonly Page[],
  knowledge: Knowledge,
  /** Facts that no page states; doubtful claims may be made about them all the same. */
  untold: readonly Fact[],
  webKind: WebKind,
): Corpora => {
  const placed = new Map<Page, Placed>(pages.map((page) => [page, {}]));
  const doubts = new Map<Fact, (Noise & { id: string })[]>();
  const facts = [...knowledge.facts, ...untold];
  const disputed = facts.filter(() => rng.chance(DISPUTED));
  const fill = (name: 'local' | 'web', states: (page: Page) => State | undefined): Passage[] => {
    type Draft = Omit<Passage, 'id'> & { page?: [Page, State]; wrong?: Noise };
    const drafts: Draft[] = [];
    for (const page of pages) {
      const state = states(page);
      if (!state) continue;
      const sentences = writePage(rng, page, state);
      const text = sentences.join(' ');
      const noise = state === 'older' ? { noise: 'stale' as const } : {};
      drafts.push({ title: page.title, text, sentences, ...noise, page: [page, state] });
    }
    const count = Math.round(drafts.length * NOISE[name]);
    for (const one of makeNoise(rng, knowledge, facts, count, disputed))
      drafts.push({ ...one.passage, wrong: one });
    return rng.shuffle(drafts).map(({ page, wrong, ...rest }, i): Passage => {
      const passage = { id: `${name}-${i}`, ...rest };
      if (page) {
        const [of, state] = page;
        placed.set(of, { ...placed.get(of), [state === 'older' ? 'stale' : name]: passage });
      }
      if (wrong) {
        const list = doubts.get(wrong.fact) ?? [];
        doubts.set(wrong.fact, [...list, { ...wrong, id: passage.id }]);
      }
      return passage;
    });
  };
  const local = fill('local', ({ where }) =>
    where === 'web' ? undefined : where === 'stale' ? 'older' : 'current',
  );
  const web = fill('web', ({ where }) => (where === 'local' ? undefined : 'current'));
  if (webKind === 'superset') {
    // Added last: claims of the noise, and so the questions, are those of the other kind.
    for (const page of pages.filter(({ where }) => where === 'local')) {
      const sentences = writePage(rng, page, 'current');
      const passage = {
        id: `web-${web.length}`,
        title: page.title,
        text: sentences.join(' '),
        sentences,
      };
      placed.set(page, { ...placed.get(page), web: passage });
      web.push(passage);
    }
  }
  return { local, web, placed, doubts };
};
