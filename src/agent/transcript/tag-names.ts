import { type Dialect, dialectOf, isDialect } from '../../recipes/parts/dialect.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../records/protocol.ts';

/** What the environment writes for a tag of the protocol; empty where the format has nothing for it. */
export function spelling({ marks, question, result, hint }: Dialect): (token: string) => string {
  const around = new Map<string, string>();
  const pairs = { question, result, background: result, reply: result, hint };
  for (const [name, [open, close]] of Object.entries(pairs)) {
    around.set(`<${name}>`, open);
    around.set(`</${name}>`, close);
  }
  for (const { kind, open, close } of marks.toReversed()) {
    around.set(`<${kind}>`, open);
    around.set(`</${kind}>`, close ?? '');
  }
  const answer = around.get('<short_answer>') ?? '';
  around.set('<long_answer>', answer);
  around.set('</long_answer>', around.get('</short_answer>') ?? '');
  return (token) => around.get(token) ?? '';
}

/** The parts of a record that tell whose tags it has; `origin`: it came from another system's file. */
interface Tagged {
  recipe?: { settings: Record<string, unknown> } | null | undefined;
  segments: readonly { role: string; text: string }[];
  origin?: unknown;
}

export type TagNames = ReadonlyMap<string, string>;

const NO_NAMES: TagNames = new Map();

/** Words between blanks, such as Self-Ask's lines, are no tag and would read as the policy's own text. */
const isTag = (text: string): boolean => /^<[^\s<>]+>$/u.test(text);

/**
 * Whether the policy's tags were special tokens: one whose tags are text gets an instruction how to
 * write them, and one whose tags are tokens reads a form line at most.
 */
const speaksTokens = ({ segments }: Pick<Tagged, 'segments'>): boolean =>
  segments.every(({ role, text }) => role !== 'instruction' || text.startsWith('<form>'));

/** The published format in which a record's tags are; null where they are the protocol's own. */
export function spokenDialect(rollout: Pick<Tagged, 'recipe' | 'segments'>): string | null {
  const id = rollout.recipe?.settings['dialect'];
  return !isDialect(id) || speaksTokens(rollout) ? null : id;
}

/**
 * Names that the recipe's published system has for the policy's tag tokens, by token; those that it calls the
 * same, or has none for, are left out. They are for showing alone: the policy reads and writes its own tokens,
 * and a record keeps them.
 */
export function tagNames(rollout: Tagged): TagNames {
  const id = rollout.recipe?.settings['dialect'];
  // Calls have no tags of one name.
  if (!isDialect(id) || id === 'tools') return NO_NAMES;
  if (rollout.origin !== undefined || !speaksTokens(rollout)) return NO_NAMES;
  const spelt = spelling(dialectOf(id));
  return new Map(
    [...SPECIAL_TOKENS, ...FURTHER_TOKENS]
      .map((token) => [token, spelt(token).trim()] as const)
      .filter(([token, name]) => isTag(name) && name !== token),
  );
}
