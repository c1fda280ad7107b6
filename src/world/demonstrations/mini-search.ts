import type { Passage } from '../../records/records.ts';
import { itemAt } from '../../base/items.ts';

const K1 = 1.2;
const B = 0.5;
const STOP = new Set(['of', 'the', 'in', 'is', 'and', 'by', 'a', 'at', 'was', 'what', 'which']);

const terms = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((t) => !STOP.has(t));

/**
 * BM25 over the few hundred passages of a mini world: a cheap stand-in for real retrieval, so that
 * trajectories show the hits such a query would bring: near-duplicate names, passages that mention
 * the name, passages with the same relation.
 */
export class MiniSearch {
  private readonly postings = new Map<string, Map<number, number>>();
  private readonly lengths: number[] = [];
  private readonly passages: Passage[];

  constructor(world: { readonly local: readonly Passage[]; readonly web: readonly Passage[] }) {
    this.passages = [...world.local, ...world.web];
    this.passages.forEach((p, i) => {
      const all = terms(`${p.title} ${p.title} ${p.text}`);
      this.lengths.push(all.length);
      for (const t of all) {
        let list = this.postings.get(t);
        if (!list) this.postings.set(t, (list = new Map()));
        list.set(i, (list.get(i) ?? 0) + 1);
      }
    });
  }

  /** The best passages for a query, best first, without those that `skip` names. */
  search(query: string, k: number, skip: (p: Passage) => boolean = () => false): Passage[] {
    const scores = new Map<number, number>();
    for (const t of terms(query)) {
      const list = this.postings.get(t);
      if (!list) continue;
      const idf = Math.log(1 + (this.passages.length - list.size + 0.5) / (list.size + 0.5));
      for (const [i, count] of list) {
        const norm = K1 * (1 - B + (B * (this.lengths[i] ?? 0)) / 22);
        scores.set(i, (scores.get(i) ?? 0) + (idf * count * (K1 + 1)) / (count + norm));
      }
    }
    return [...scores.entries()]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .map(([i]) => itemAt(this.passages, i, 'corpus'))
      .filter((p) => !skip(p))
      .slice(0, k);
  }

  /** Every passage with this title that is not noise. */
  clean(title: string): Passage[] {
    return this.passages.filter((p) => p.title === title && !p.noise);
  }
}
