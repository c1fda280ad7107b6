import { printValue } from './ast.ts';
import { FilterError, type ExpectedSyntax } from './error.ts';
import { fieldOf, FIELDS, OPERATOR_NOTES, OPERATORS } from './fields.ts';
import { parseTokens } from './parse.ts';
import { tokenize, type Token } from './tokenize.ts';
import { present } from '../../../base/items.ts';

export interface Completion {
  /** What replaces the text between `from` and `to`. */
  text: string;
  kind: 'field' | 'operator' | 'value' | 'word';
  note: string;
}

export interface Completions {
  from: number;
  to: number;
  items: Completion[];
}

/** Values of a field that occur in what is filtered: recipes, tags, reward clauses under `reward.`. */
export type KnownValues = (field: string) => readonly string[];

const word = (text: string, note: string): Completion => ({ text, kind: 'word', note });

function fieldItems(known: KnownValues): Completion[] {
  const clauses = known('reward.').map((name) => ({
    name: `reward.${name}`,
    note: `clause ${name} of the reward`,
  }));
  return [
    ...[...FIELDS, ...clauses].map(({ name, note }): Completion => ({
      text: name,
      kind: 'field',
      note,
    })),
    word('not', 'negates the next condition; unknown stays unknown'),
    word('(', 'opens a group'),
  ];
}

function valueItems(name: string, operator: string, known: KnownValues): Completion[] {
  if (operator === 'is')
    return [word('missing', 'the record has none'), word('present', 'the record has one')];
  if (operator === 'matches') return [{ text: '/…/i', kind: 'value', note: 'regular expression' }];
  const field = fieldOf(name);
  const values = [...new Set([...(field?.values ?? []), ...known(name)])];
  return values.map((value) => ({
    text: printValue(value),
    kind: 'value',
    note: field?.names?.[value] ?? '',
  }));
}

function itemsFor(wanted: ExpectedSyntax, known: KnownValues): Completion[] {
  switch (wanted.kind) {
    case 'condition':
      return fieldItems(known);
    case 'operator':
      return OPERATORS[present(fieldOf(wanted.field), `the field ${wanted.field}`).kind].map(
        (text) => ({
          text,
          kind: 'operator',
          note: OPERATOR_NOTES[text] ?? '',
        }),
      );
    case 'value':
      return valueItems(wanted.field, wanted.operator, known);
    case 'connective':
      return [
        word('and', 'both'),
        word('or', 'either'),
        ...(wanted.open ? [word(')', 'closes the group')] : []),
      ];
  }
}

/** What the filter asks for behind `tokens`; null where it is wrong before its end. */
function expectedAfter(text: string, tokens: readonly Token[]): ExpectedSyntax | null {
  if (tokens.length === 0) return { kind: 'condition' };
  try {
    parseTokens(text, tokens);
    return { kind: 'connective', open: false };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return error.length === 0 && error.position === text.length ? error.wanted : null;
  }
}

/** The piece under the cursor that a completion replaces, and the tokens before it. */
function splitAt(before: string): { tokens: Token[]; from: number; partial: string } | null {
  // A string that is still open is the value being written.
  const open = /"(?:[^"\\]|\\.)*$/.exec(
    before.replaceAll(/"(?:[^"\\]|\\.)*"/g, (s) => '_'.repeat(s.length)),
  );
  const from = open ? open.index : before.length;
  try {
    const tokens = tokenize(before.slice(0, from));
    if (open) return { tokens, from, partial: before.slice(from + 1) };
    const last = tokens.at(-1);
    const touching =
      last?.end === before.length && (last.kind === 'word' || last.kind === 'operator');
    if (!touching) return { tokens, from, partial: '' };
    return { tokens: tokens.slice(0, -1), from: last.start, partial: last.value };
  } catch (error) {
    if (error instanceof FilterError) return null;
    throw error;
  }
}

const bare = (text: string): string => text.replace(/^"/, '').toLowerCase();

/** Values are looked for by what the page calls them too: who reads a table has never seen the id. */
const holds = ({ text, kind, note }: Completion, written: string): boolean =>
  bare(text).includes(written) ||
  (kind === 'value' && ` ${note.toLowerCase()}`.includes(` ${written}`));

/**
 * What may be at a place of a filter: fields, operators, values, `and` and `or`; those that begin as
 * what is written there first, then those that hold it, themselves or in what the page calls them.
 * @param position of the cursor, 0 to the length of the text
 */
export function completionsAt(
  text: string,
  position: number,
  known: KnownValues = () => [],
): Completions {
  const at = Math.max(0, Math.min(text.length, Math.trunc(position) || 0));
  const none: Completions = { from: at, to: at, items: [] };
  const split = splitAt(text.slice(0, at));
  if (!split) return none;
  const { tokens, from, partial } = split;
  const wanted = expectedAfter(text.slice(0, from), tokens);
  if (!wanted) return none;
  const rest = text.slice(at).search(/[\s()"=<>!]|$/);
  const written = partial.toLowerCase();
  const items = itemsFor(wanted, known).filter((item) => holds(item, written));
  const first = (item: Completion): number => (bare(item.text).startsWith(written) ? 0 : 1);
  return {
    from,
    to: partial === '' ? at : at + rest,
    items: items.sort((a, b) => first(a) - first(b)),
  };
}
