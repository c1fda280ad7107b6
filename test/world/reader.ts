import type { Passage } from '../../src/records/records.ts';
import type { Entity } from '../../src/world/facts/entities.ts';
import { RELATIONS } from '../../src/world/schema/schema.ts';
import { PAIRS } from '../../src/world/schema/joint-relations.ts';

/**
 * Reads facts out of the words of passages. It knows the wordings and who bears which name, and nothing
 * of the facts from which the passages were written.
 */

/** How passages name an entity where nobody else may be meant. */
export const named = (e: Entity): string => (e.qualifier ? `${e.name} ${e.qualifier}` : e.name);

export class Names {
  readonly #byName = new Map<string, Entity[]>();

  constructor(entities: readonly Entity[]) {
    for (const e of entities)
      for (const name of new Set([e.name, named(e), ...(e.alias ? [e.alias] : [])]))
        this.#byName.set(name, [...(this.#byName.get(name) ?? []), e]);
  }

  bearers(name: string): readonly Entity[] {
    return this.#byName.get(name) ?? [];
  }

  /** Names in a text, in order; longest first so that no part of a name counts. */
  in(text: string): string[] {
    const words = text.replace(/[,.?:;]/g, '').split(/\s+/);
    const found: string[] = [];
    for (let i = 0; i < words.length; i++)
      for (let n = 4; n > 0; n--) {
        const name = words.slice(i, i + n).join(' ');
        if (!this.#byName.has(name)) continue;
        found.push(name);
        i += n - 1;
        break;
      }
    return found;
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Numbers, single words, or names with what tells them apart. */
const slot = (to: string): string => {
  if (['year', 'length', 'count'].includes(to)) return '(\\d+)';
  if (['currency', 'language', 'field', 'genre'].includes(to)) return '(\\p{L}+)';
  return '(\\p{Lu}\\p{L}*(?: \\p{Lu}\\p{L}*)*(?: \\((?:born )?\\d+\\))?)';
};

interface Pattern {
  kind: string;
  relations: readonly string[];
  regex: RegExp;
}

const END = '(?= and |$)';
const PATTERNS: readonly Pattern[] = [
  ...PAIRS.flatMap(({ of, predicates }) => {
    const [a, b] = of.map((id) => RELATIONS.find((r) => r.id === id));
    if (!a || !b) throw new Error(`no relation ${of.join(', ')}`);
    return predicates.map((text): Pattern => {
      const order = text.indexOf('{0}') < text.indexOf('{1}') ? [a, b] : [b, a];
      const regex = escaped(text).replace('\\{0\\}', slot(a.to)).replace('\\{1\\}', slot(b.to));
      return {
        kind: a.of,
        relations: order.map((r) => r.id),
        regex: new RegExp(`^${regex}${END}`, 'u'),
      };
    });
  }),
  ...RELATIONS.flatMap((r) =>
    r.predicates.map((text): Pattern => {
      const regex = escaped(text).replace('\\{o\\}', slot(r.to));
      return { kind: r.of, relations: [r.id], regex: new RegExp(`^${regex}${END}`, 'u') };
    }),
  ),
];

export interface ReadFact {
  subject: Entity;
  relation: string;
  object: string;
  passage: string;
}

const ALIAS =
  /^(.+?) is another name of (.+)$|^The name (.+?) stands for (.+)$|^(.+?) and (.+) are one and the same$/;

/** Words of a title that tell what kind of thing its passage is about. */
const TITLES: Readonly<Record<string, RegExp>> = {
  person: /^(?:Career of |People in brief)/,
  film: /^(?:Production of |Films in brief)/,
  book: /^(?:Publication of |Books in brief)/,
};
const kindIn = (title: string): string | undefined =>
  Object.keys(TITLES).find((kind) => TITLES[kind]?.test(title));

/** The facts that one passage states. @throws Error where a sentence cannot be read */
export function readPassage(passage: Passage, names: Names): ReadFact[] {
  const out: ReadFact[] = [];
  // What the sentence before spoke of; a pronoun means the same.
  let about: Entity | undefined;
  const kind = kindIn(passage.title);
  for (const whole of passage.sentences) {
    const text = whole.replace(/\.$/, '').replace(/^As of \d+, /, '');
    if (/^See also |is treated in | is also known as /.test(text) || ALIAS.test(text)) continue;
    const sentence = text.replace(/^the /i, '');
    const pronoun = /^(?:it|he|she) /i.exec(sentence)?.[0];
    const [name = ''] = pronoun === undefined ? names.in(sentence) : [];
    const rest = sentence.slice(pronoun?.length ?? name.length + 1);
    const subjects =
      pronoun === undefined
        ? names
            .bearers(name)
            .filter((e) => named(e) === name && (kind === undefined || e.kind === kind))
        : [about];
    const read = subjects.flatMap((e) => {
      const facts = e && predicates(rest, e);
      return facts ? [{ e, facts }] : [];
    });
    const [one] = read;
    if (!one || read.length > 1) throw new Error(`${passage.title}: cannot read "${whole}"`);
    about = one.e;
    for (const [relation, object] of one.facts)
      out.push({ subject: one.e, relation, object, passage: passage.id });
  }
  return out;
}

/** Every predicate of "is a and does b"; undefined where some part is none of the kind's. */
function predicates(text: string, e: Entity): [relation: string, object: string][] | undefined {
  if (text === '') return [];
  for (const { kind, relations, regex } of PATTERNS) {
    const match = kind === e.kind ? regex.exec(text) : null;
    if (!match) continue;
    const rest = predicates(text.slice(match[0].length).replace(/^ and /, ''), e);
    const own = relations.map((id, i): [string, string] => [id, match[i + 1] ?? '']);
    if (rest) return [...own, ...rest];
  }
  return undefined;
}

/** Who else a passage says a name means. */
export function readAliases(passages: readonly Passage[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const { title, sentences, noise } of passages) {
    if (noise !== undefined) continue;
    for (const sentence of sentences) {
      const match = ALIAS.exec(sentence.replace(/\.$/, ''));
      if (match) {
        const [alias = '', name = ''] = match.slice(1).filter((part) => part !== undefined);
        out.set(alias, name);
      }
      const known = /is also known as (.+)\.$/.exec(sentence)?.[1];
      if (known !== undefined) out.set(known, title);
    }
  }
  return out;
}
