import { PUNCTUATION_AND_QUOTES, spacing } from '../../agent/answers/normalisers.ts';
import { jsonOf } from '../../base/fetch-file.ts';
import { blocksIn, defineRelease, type Output } from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import { scoresBy, type RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * ARENA (arXiv 2505.13258; code: ren258/ARENA, src/evaluate.py): 1 for the format, 1 for exact match, 1 where the
 * passages named are exactly the supporting ones and 0.5 where some are, and 10 more where all three are whole.
 * Exact match is by their normaliser: punctuation becomes a space. An output in their own format is read by their rules
 * (`release`), in which text on the line after the answer passes. Differences in Forage's protocol: the
 * format is its own and one choice of passages; passages are those of every result, by title; `arena-released` lets pass
 * what is after the answer.
 */

/**
 * ARENA's format (ren258/ARENA, src/evaluate.py): relevance, analysis and answer in this order, nothing before or between
 * them, and no "<" inside. Its expression works by lines: what follows on the next line is not looked at.
 */
const FORM =
  /^<relevance>[^<]*<\/relevance>\s*<analysis>[^<]*<\/analysis>\s*<answer>[^<]*<\/answer>$/m;

/** Numbers of passages in the first block of relevance, a JSON list; null where it holds none. */
export function chosenIn(text: string): number[] | null {
  const value = jsonOf(blocksIn(text, 'relevance')[0] ?? '');
  if (!Array.isArray(value)) return null;
  return value.filter((one): one is number => typeof one === 'number');
}

export const release = defineRelease({
  dialects: ['arena'],
  answer: ({ text }) => blocksIn(text, 'answer')[0] ?? null,
  faults: ({ text }) =>
    FORM.test(text) ? [] : ['the output is not relevance, analysis and answer'],
});

export const NORMALISER = spacing(PUNCTUATION_AND_QUOTES);

const JOINT = 10;

/** 1: exactly the supporting titles; 0.5: some of them; 0: none, or nothing that can be read. */
export function relevance({
  selections,
  supporting,
}: Pick<RewardFacts, 'selections' | 'supporting'>): number {
  const read = selections.filter(({ chosen }) => chosen !== null);
  const named = new Set(
    read.flatMap(({ passages, chosen }) =>
      (chosen ?? []).map((number) => passages[number - 1]?.title ?? `no passage ${number}`),
    ),
  );
  const wanted = new Set(supporting);
  const common = [...named].filter((title) => wanted.has(title)).length;
  if (read.length === 0 || wanted.size === 0 || common === 0) return 0;
  return common === wanted.size && named.size === wanted.size ? 1 : 0.5;
}

/** The passages that were shown first, and what the first block of relevance chooses among them. */
const chosenBy = ({ selections }: RewardFacts, { text }: Output): RewardFacts['selections'] => [
  { passages: selections[0]?.passages ?? [], chosen: chosenIn(text), evidence: [] },
];

const choseOnce = ({ selections }: RewardFacts): boolean =>
  selections.some(({ chosen }) => chosen !== null);

const arenaBy = <const Id extends string>(
  id: Id,
  name: string,
  wellFormed: (facts: RewardFacts) => boolean,
) =>
  fixedReward({
    id,
    name,
    source: 'ARENA, arXiv 2505.13258',
    range: [0, 13],
    needs: { relevance: 'passages' },
    clauses: asReleased(release, (facts, output) => {
      const { em } = scoresBy(NORMALISER, facts);
      const format = Number(output ? facts.formatValid : wellFormed(facts));
      const relevant = relevance(
        output ? { ...facts, selections: chosenBy(facts, output) } : facts,
      );
      const joint = format === 1 && em === 1 && relevant === 1;
      return [
        clause('format', format, facts.faults.flat()),
        clause('answer', em, facts.answer),
        clause(
          'relevance',
          relevant,
          facts.selections.flatMap(({ evidence }) => evidence),
        ),
        clause('joint', joint ? JOINT : 0, joint ? facts.answer : []),
      ];
    }),
  });

export const arena = arenaBy('arena', 'ARENA', (facts) => facts.formatValid && choseOnce(facts));

/** As released: what is after the answer breaks no format. */
export const arenaReleased = arenaBy('arena-released', 'ARENA, as released', (facts) => {
  const end = Math.max(-1, ...facts.answer.map(({ segment }) => segment));
  const before = facts.faults.filter((fault) => fault.every(({ segment }) => segment < end));
  return facts.form !== null && before.length === 0 && choseOnce(facts);
});
