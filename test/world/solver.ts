import type { Passage, Question } from '../../src/records/records.ts';
import type { Entity } from '../../src/world/facts/entities.ts';
import { RELATIONS } from '../../src/world/schema/schema.ts';
import { named, Names, readPassage, type ReadFact } from './reader.ts';

/** Lists: the relation that each inverts, its title, and the kind of its owner and of its items. */
const LISTS: Readonly<Record<string, [inverts: string, title: RegExp, of: string, item: string]>> =
  {
    'person.filmsDirected': ['film.director', /^Films directed by /, 'person', 'film'],
    'person.filmsStarring': ['film.star', /^Films starring /, 'person', 'film'],
    'person.books': ['book.author', /^Books by /, 'person', 'book'],
    'award.winners': ['person.award', /^Winners of /, 'award', 'person'],
    'university.alumni': ['person.university', /^Alumni of /, 'university', 'person'],
  };
const isList = (title: string): boolean => Object.values(LISTS).some(([, re]) => re.test(title));
const kindOf = (relation: string): string => relation.split('.')[0] ?? '';
const key = (relation: string, e: Entity): string => `${relation} ${e.id}`;

/**
 * Answers questions from what the passages say, the question's composition and the names in its text;
 * knows nothing of how questions are made.
 */
export class Solver {
  readonly names: Names;
  readonly facts = new Map<string, ReadFact[]>();
  readonly #lists = new Map<string, Entity[]>();

  constructor(entities: readonly Entity[], passages: readonly Passage[]) {
    this.names = new Names(entities);
    for (const passage of passages) {
      if (passage.noise !== undefined) continue;
      if (isList(passage.title)) {
        this.#readList(passage);
        continue;
      }
      for (const fact of readPassage(passage, this.names)) {
        const at = key(fact.relation, fact.subject);
        this.facts.set(at, [...(this.facts.get(at) ?? []), fact]);
      }
    }
  }

  #readList(passage: Passage): void {
    const [id, [, , of, item]] = Object.entries(LISTS).find(([, [, re]]) =>
      re.test(passage.title),
    ) ?? ['', ['', /./, '', '']];
    const found = this.names.in(passage.text.replace(/^As of \d+, /, ''));
    const whole = (kind: string): Entity[] =>
      found.flatMap((name) =>
        this.names.bearers(name).filter((e) => e.kind === kind && named(e) === name),
      );
    const owner = whole(of).find((e) => passage.title.endsWith(e.name));
    if (!owner) throw new Error(`whose is "${passage.text}"?`);
    this.#lists.set(
      key(id, owner),
      whole(item).filter((e) => e !== owner),
    );
  }

  /** What passages give as the object; all of them must agree. */
  object(relation: string, e: Entity): string | undefined {
    const said = [...new Set((this.facts.get(key(relation, e)) ?? []).map((f) => f.object))];
    if (said.length > 1) throw new Error(`${relation} of ${e.name}: ${said.join(' or ')}`);
    return said[0];
  }

  /** The one whom a name means, of a kind. */
  whom(name: string, kind: string): Entity | undefined {
    const all = this.names.bearers(name).filter((e) => e.kind === kind);
    return all.length === 1 ? all[0] : all.find((e) => named(e) === name && !e.qualifier);
  }

  follow(path: string, from: Entity): string | undefined {
    let at: Entity | undefined = from;
    let said: string | undefined;
    for (const relation of path.split('>')) {
      said = at && this.object(relation, at);
      const to: string = RELATIONS.find((r) => r.id === relation)?.to ?? '';
      at = said === undefined ? undefined : this.whom(said, to);
    }
    return said;
  }

  list(id: string, of: Entity): readonly Entity[] {
    return this.#lists.get(key(id, of)) ?? [];
  }

  /** Entities of a kind that the text names, in order. */
  mentioned(text: string, kind: string): Entity[] {
    return this.names.in(text).flatMap((name) => this.whom(name, kind) ?? []);
  }

  /** The answer, as passages write it; `null` for a question whose answer no passage states. */
  solve(question: Question): string | null {
    const [, how = '', inner = '', rest = ''] =
      /^(\w+)\(([^)]*)\)(?:>(.+))?$/.exec(question.composition ?? '') ?? [];
    const { text } = question;
    if (how === '') return this.#path(question.composition ?? '', text);
    const stem = text.split(' A) ')[0] ?? text;
    const [a, b] = this.mentioned(text, kindOf(inner));
    const [x, y] = [a, b].map((e) => Number(e && this.follow(inner, e)));
    switch (how) {
      case 'choice':
      case 'none':
        return this.#path(inner, stem);
      case 'summary':
        return this.#path(inner, stem);
      case 'ask':
        return this.#asked(question, inner);
      case 'compare':
        return this.#compare(question, inner, a, b);
      case 'same':
        return a && b && this.#thing(inner, a) === this.#thing(inner, b) ? 'yes' : 'no';
      case 'claim': {
        const [, claimed = ''] = /^Is (.+?) the (?=[a-z])/.exec(text) ?? [];
        const subject = this.mentioned(text, kindOf(inner)).at(-1);
        return subject && this.object(inner, subject) === claimed ? 'yes' : 'no';
      }
      case 'common': {
        const item = this.#common(inner, text);
        return rest === '' ? (item?.name ?? null) : ((item && this.follow(rest, item)) ?? null);
      }
      case 'count':
        return this.#count(inner, text);
      case 'sum':
        return String((x ?? NaN) + (y ?? NaN));
      case 'difference':
        return this.#difference(inner, text, x, y);
      default:
        throw new Error(`cannot solve ${question.composition}`);
    }
  }

  #path(path: string, text: string): string | null {
    const [anchor] = this.mentioned(text, kindOf(path));
    return (anchor && this.follow(path, anchor)) ?? null;
  }

  /** The entity or the value after a fact, whatever passages call it. */
  #thing(relation: string, e: Entity): string | undefined {
    const said = this.object(relation, e);
    const to: string = RELATIONS.find((r) => r.id === relation)?.to ?? '';
    return said === undefined ? undefined : (this.whom(said, to)?.id ?? said);
  }

  #asked({ text, clarification }: Question, path: string): string | null {
    const bare = this.names.in(text).filter((name) => this.names.bearers(name).length > 1);
    const meant = this.whom(clarification?.reply ?? '', kindOf(path));
    if (!meant || !bare.includes(meant.name)) return null;
    return this.follow(path, meant) ?? null;
  }

  #compare({ text }: Question, path: string, a?: Entity, b?: Entity): string | null {
    if (!a || !b) return null;
    const most = /\b(?:later|longer|more)\b/.test(text);
    const [x, y] = [Number(this.follow(path, a)), Number(this.follow(path, b))];
    if (Number.isNaN(x) || Number.isNaN(y)) return null;
    const winner = x > y === most ? a : b;
    const behind = /^Of the \w+ of .* and the \w+ of /.test(text);
    return behind ? (this.object(path.split('>')[0] ?? '', winner) ?? null) : named(winner);
  }

  #common(lists: string, text: string): Entity | undefined {
    const [first = '', second = ''] = lists.split(',');
    const people = this.mentioned(text, kindOf(first));
    const a = people[0];
    const b =
      kindOf(first) === kindOf(second) ? people[1] : this.mentioned(text, kindOf(second))[0];
    if (!a || !b) return undefined;
    const common = this.list(first, a).filter((e) => this.list(second, b).includes(e));
    return common.length === 1 ? common[0] : undefined;
  }

  #count(inner: string, text: string): string | null {
    const [id = '', relation] = inner.split(',');
    const [of] = this.mentioned(text, kindOf(id));
    if (!of) return null;
    const items = this.list(id, of);
    if (relation === undefined) return String(items.length);
    const year = Number(/before (\d+)\?$/.exec(text)?.[1]);
    return String(items.filter((e) => Number(this.object(relation, e)) < year).length);
  }

  #difference(inner: string, text: string, x = NaN, y = NaN): string {
    const [year = '', path] = inner.split(',');
    if (path === undefined) return String(Math.abs(x - y));
    const [thing] = this.mentioned(text, kindOf(year));
    const [made, born] = [year, path].map((p) => Number(thing && this.follow(p, thing)));
    return String(Math.abs((made ?? NaN) - (born ?? NaN)));
  }
}
