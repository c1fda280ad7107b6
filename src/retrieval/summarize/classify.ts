/**
 * Tells a query that a search can answer from one that asks for reasoning (UR², appendix D.3, step 1),
 * by its form: a task given to the reader, an expression to compute, a choice among options. What is
 * in doubt counts as knowledge: a search too many costs less than an answer that is not looked for.
 */

export interface QueryClass {
  kind: 'knowledge' | 'reasoning';
  /** The clause that decided. */
  reason: string;
}

interface Rule {
  pattern: RegExp;
  reason: string;
}

const TASKS =
  'calculate|compute|solve|prove|derive|simplify|integrate|differentiate|factorise|factorize|design|implement|optimise|optimize|brainstorm|write|rewrite|rephrase|translate|think|reason|decide|choose|pick|conclude|deduce|infer|combine|compare and contrast|plan';

const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `^(?:please |now |let us |let's |we need to |i need to )?(?:${TASKS})\\b`,
      'u',
    ),
    reason: 'it gives a task instead of asking for a fact',
  },
  {
    pattern: new RegExp(`^how (?:do|can|could|should|would) (?:i|we|you|one) (?:${TASKS})\\b`, 'u'),
    reason: 'it asks how to carry out a task',
  },
  {
    pattern: /(?:\d|\b[a-z]\)?|\))\s*(?:[*×÷^=]|\+|\/)\s*\(?(?:\d|[a-z]\b)/u,
    reason: 'it holds an expression to compute',
  },
  {
    pattern:
      /\b(?:which|what) (?:option|choice|answer|alternative)s? (?:is|are|would be|describes?|fits?)\b/u,
    reason: 'it asks for a choice among options',
  },
  {
    pattern: /\b(?:which|what) of (?:these|those|the following|the above)\b/u,
    reason: 'it asks for a choice among options that a search does not see',
  },
  {
    pattern: /(?:^|\s)\(?a[).:]\s.+(?:^|\s)\(?b[).:]\s/u,
    reason: 'it lists options to choose from',
  },
  {
    pattern: /\b(?:what|which|how) (?:should|shall|must) (?:i|we|you|one)\b/u,
    reason: 'it asks for advice',
  },
  {
    pattern:
      /\bwhat (?:is|would be) the (?:answer|right answer|correct answer|next step|best approach)\b/u,
    reason: 'it asks for the answer itself',
  },
];

/** "x / y" in a name ("AC/DC", "24/7", dates) computes nothing. */
const NAMES = /\b\p{Lu}{1,4}\/\p{Lu}{1,4}\b|\b\d{1,4}\/\d{1,2}(?:\/\d{1,4})?\b/gu;

export function classifyQuery(query: string): QueryClass {
  const text = query.replace(NAMES, ' ').toLowerCase().replace(/\s+/gu, ' ').trim();
  const rule = RULES.find(({ pattern }) => pattern.test(text));
  return rule
    ? { kind: 'reasoning', reason: rule.reason }
    : { kind: 'knowledge', reason: 'it asks for a fact' };
}
