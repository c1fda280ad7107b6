/**
 * Tells a query that a search can answer from one that asks for reasoning (UR², appendix D.3, step 1),
 * by its form: a task given to the reader, something to compute of numbers or of two facts, a comparison,
 * a choice among options, a reference to what a search does not see. What is in doubt counts as knowledge:
 * a search too many costs less than an answer that is not looked for.
 */

export interface QueryClass {
  kind: 'knowledge' | 'reasoning';
  /** The clause that decided. */
  reason: string;
}

interface Rule {
  pattern: RegExp;
  /** Holds only for a query that names nothing. */
  nameless?: true;
  reason: string;
}

const TASKS =
  'calculate|compute|solve|prove|derive|simplify|integrate|differentiate|factorise|factorize|design|implement|optimise|optimize|brainstorm|write|rewrite|rephrase|translate|think|reason|decide|choose|pick|conclude|deduce|infer|combine|compare and contrast|plan';

const SCALES =
  'earlier|later|longer|shorter|older|younger|larger|smaller|bigger|higher|lower|greater|less|more';

/** Words of a computation; the numbers stand around them. */
const OPERATIONS = `years? (?:${SCALES}|before|after)|lies? between|years between|together|in both|in all|in total|altogether|sum of|difference|plus|minus|times|divided by|(?:${SCALES}),`;

const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(String.raw`^(?=(?:.*?\b\d[\d.,]*\b){2}).*\b(?:${OPERATIONS})`, 'u'),
    reason: 'it gives the numbers of a computation',
  },
  {
    pattern: /\bhow (?:many|much)\b.*\b(?:lies? between|together|in both|altogether)\b/u,
    reason: 'it asks for a computation over two facts',
  },
  {
    pattern: /\bhow (?:many|much) years (?:before|after)\b.*\b(?:birth|death|founding|release)\b/u,
    reason: 'it asks for a computation over two facts',
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:which|who|what)\b.*\b(?:${SCALES}|first)\b[^,]*,.+\bor\b.+`,
      'u',
    ),
    reason: 'it asks for a comparison of two',
  },
  {
    pattern: new RegExp(
      String.raw`\bof .+ and .+, (?:which|who|what)\b.*\b(?:${SCALES}|first)\b`,
      'u',
    ),
    reason: 'it asks for a comparison of two',
  },
  {
    pattern: new RegExp(
      String.raw`^(?:the )?(?:${SCALES}|sum|difference|total|count|same|common)(?: (?:is|one|of them|of both|of these|than))*[ .?]*$`,
      'u',
    ),
    reason: 'it names nothing to look up, only what to work out',
  },
  {
    pattern: /^(?:its|his|her|their|both|this|that|these|those|the (?:former|latter))\b/u,
    nameless: true,
    reason: 'it refers to what a search does not see',
  },
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

/** A capital after the first letter: something has a name. */
const NAMED = /\p{Lu}/u;

export function classifyQuery(query: string): QueryClass {
  const text = query.replace(NAMES, ' ').toLowerCase().replace(/\s+/gu, ' ').trim();
  const named = NAMED.test(query.trim().slice(1));
  const rule = RULES.find(({ pattern, nameless }) => pattern.test(text) && !(nameless && named));
  return rule
    ? { kind: 'reasoning', reason: rule.reason }
    : { kind: 'knowledge', reason: 'it asks for a fact' };
}
