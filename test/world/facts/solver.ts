import type { Question } from '../../../src/records/records.ts';
import type { Entity, Fact } from '../../../src/world/facts/facts.ts';

const push = (map: Map<string, string[]>, key: string, value: string) =>
  map.set(key, [...(map.get(key) ?? []), value]);

/**
 * Answers a question from the facts, its composition and the names in its text alone; knows nothing
 * of how questions are made. Returns every answer that fits.
 */
export class Solver {
  private readonly entities: ReadonlyMap<string, Entity>;
  private readonly objects = new Map<string, string[]>();
  private readonly subjects = new Map<string, string[]>();

  constructor(world: { entities: readonly Entity[]; facts: readonly Fact[] }) {
    this.entities = new Map(world.entities.map((e) => [e.name, e]));
    for (const f of world.facts) {
      push(this.objects, `${f.relation}|${f.subject.name}`, f.object);
      push(this.subjects, `${f.relation}|${f.object}`, f.subject.name);
    }
  }

  /** Names of entities that stand in a text, longest first so that no part of a name counts. */
  mentioned(text: string): string[] {
    const words = text.match(/[\p{L}]+/gu) ?? [];
    const found: string[] = [];
    for (let i = 0; i < words.length; i++)
      for (const n of [2, 1]) {
        const name = words.slice(i, i + n).join(' ');
        if (!this.entities.has(name)) continue;
        found.push(name);
        i += n - 1;
        break;
      }
    return found;
  }

  solve(question: Question): string[] {
    const composition = question.composition ?? '';
    const names = this.mentioned(question.text);
    const wrapped = /^(\w+)\(([^)]*)\)(?:>(.+))?$/.exec(composition);
    if (!wrapped) return this.path(composition, names);
    const [, how, inner = '', rest] = wrapped;
    if (how === 'summary') return this.path(inner, names);
    const [a = '', b = ''] = names;
    if (how === 'same') {
      const [x, y] = [a, b].map((n) => this.path(inner, [n]));
      return [JSON.stringify(x) === JSON.stringify(y) ? 'yes' : 'no'];
    }
    if (how === 'compare') return this.compare(question, inner, a, b);
    return this.path(rest ?? '', this.common(inner, names));
  }

  private path(path: string, from: readonly string[]): string[] {
    return path
      .split('>')
      .filter((r) => r !== '')
      .reduce<string[]>(
        (at, r) => [...new Set(at.flatMap((n) => this.objects.get(`${r}|${n}`) ?? []))],
        [...from],
      );
  }

  private compare(question: Question, path: string, a: string, b: string): string[] {
    const value = (n: string) => Number(this.path(path, [n])[0]);
    const most = /later|longer/.test(question.text);
    const winner = value(a) > value(b) === most ? a : b;
    const person = /^Of the .* of .* and the .* of/.test(question.text);
    return person ? this.path(path.split('>')[0] ?? '', [winner]) : [winner];
  }

  private common(lists: string, names: readonly string[]): string[] {
    const inverse: Record<string, [string, string]> = {
      'person.filmsDirected': ['film.director', 'person'],
      'person.filmsStarring': ['film.star', 'person'],
      'award.winners': ['person.award', 'award'],
      'university.alumni': ['person.university', 'university'],
    };
    const [first = [], second = []] = lists.split(',').map((list, i) => {
      const [relation = '', kind] = inverse[list] ?? [];
      const of = names.filter((n) => this.entities.get(n)?.kind === kind);
      return this.subjects.get(`${relation}|${of[Math.min(i, of.length - 1)]}`) ?? [];
    });
    return first.filter((n) => second.includes(n));
  }
}
