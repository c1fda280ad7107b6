import { clause } from '../../parts/clause.ts';
import { fixedReward } from '../../parts/definition.ts';
import type { RewardFacts } from '../../parts/facts.ts';

/*
 * ARENA (arXiv 2505.13258; code: ren258/ARENA, src/evaluate.py): 1 for the format, 1 for exact match, 1 where the
 * passages named are exactly the supporting ones and 0.5 where some are, and 10 more where all three are whole.
 * Departures: the format is Forage's and one choice of passages; passages are those of every result, by title.
 * Their expression for the format ends at a line's end, so that text on the next line passes: `arena-released`.
 */

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
    clauses: (facts) => {
      const format = Number(wellFormed(facts));
      const relevant = relevance(facts);
      const joint = format === 1 && facts.em === 1 && relevant === 1;
      return [
        clause('format', format, facts.faults.flat()),
        clause('answer', facts.em, facts.answer),
        clause(
          'relevance',
          relevant,
          facts.selections.flatMap(({ evidence }) => evidence),
        ),
        clause('joint', joint ? JOINT : 0, joint ? facts.answer : []),
      ];
    },
  });

export const arena = arenaBy('arena', 'ARENA', (facts) => facts.formatValid && choseOnce(facts));

/** As released: what stands behind the answer breaks no format. */
export const arenaReleased = arenaBy('arena-released', 'ARENA, as released', (facts) => {
  const end = Math.max(-1, ...facts.answer.map(({ segment }) => segment));
  const before = facts.faults.filter((fault) => fault.every(({ segment }) => segment < end));
  return facts.form !== null && before.length === 0 && choseOnce(facts);
});
