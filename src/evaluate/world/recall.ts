import type { SearchTarget, SourceName } from '../../records/hits.ts';
import type { ChainStep, Passage } from '../../records/records.ts';
import { terms } from '../../retrieval/lexical/text.ts';
import { Gold, share, testQuestions, type GoldStep, type MeasuredWorld } from './measured.ts';

/** How deep a passage may lie to count as found. */
const DEPTH = 5;
const DEPTHS = [1, 2, 3, 5];
/** As many passages as a background shows. */
const BACKGROUND = 3;

/** A share, and of how many. */
export interface Share {
  value: number;
  n: number;
}

export interface RecallReport {
  /**
   * Gold queries of test questions whose passage is among the first five, each asked of every source
   * that holds it. lexical: local and web by words. dense: local, by vectors. fused: as the product
   * searches, local by both and the web by words. both: one call to both sources.
   */
  recallAt5: { lexical: number; dense: number | null; fused: number; both: number };
  /** Gold queries to both sources at once, by how many passages are taken. */
  bothAt: Readonly<Record<string, number>>;
  bySource: Readonly<Record<string, Share>>;
  /** The fused search of each source again, with a second query where the first missed. */
  secondQuery: {
    /** Found by the first or by the better second query. */
    recallAt5: number;
    /** Of the misses, what the second query finds. */
    mended: Share;
    /** Of what it finds, where every word that it adds is in what both sources gave the first. */
    told: Share;
  };
  /** What is above the right passage, in a call to both sources. */
  misleading: {
    /** Gold queries whose first hit is a right passage. */
    rightFirst: Share;
    /** Gold queries with a passage that states a wrong value among the first five. */
    wrongAmongFive: Share;
    /** Gold queries for which such a passage is above the first right one. */
    wrongAbove: Share;
    /** Gold queries to which the local corpus alone gives a wrong value and no right one. */
    onlyWrongLocally: Share;
  };
  /** Questions of which the question's own words retrieve every gold passage, by what they need. */
  backgroundSuffices: Readonly<Record<string, Share>>;
}

/** Different gold steps, in order. */
const distinctSteps = (steps: readonly ChainStep[]): ChainStep[] => [
  ...new Map(steps.map((step) => [`${step.query}\n${step.passageId}`, step])).values(),
];

const found = (hits: readonly Passage[], gold: ReadonlySet<string>): boolean =>
  hits.slice(0, DEPTH).some((passage) => gold.has(passage.id));

const shareOf = (outcomes: readonly boolean[]): Share => ({
  value: share(outcomes.filter(Boolean).length, outcomes.length),
  n: outcomes.length,
});

const SOURCES: readonly SourceName[] = ['local', 'web'];

/** @param onProgress told after each step */
export async function measureRecall(
  measured: MeasuredWorld,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<RecallReport> {
  const { local, retriever } = measured;
  const gold = new Gold(measured);
  const questions = testQuestions(measured);
  const steps = distinctSteps(questions.flatMap(({ chain = [] }) => chain)).map((s) => gold.of(s));
  const ask = async (source: SearchTarget, query: string, k = DEPTH): Promise<Passage[]> =>
    (await retriever.search(source, query, k)).hits.map((hit) => hit.passage);

  const outcomes: Record<string, boolean[]> = {};
  const note = (name: string, outcome: boolean): void => {
    (outcomes[name] ??= []).push(outcome);
  };
  for (const [done, step] of steps.entries()) {
    onProgress(done, steps.length);
    if (step.gold.local.size > 0) {
      const words = await local.lexical(step.query, DEPTH);
      note('local, lexical', found(words, step.gold.local));
      if (local.dense)
        note('local, dense', found(await local.dense(step.query, DEPTH), step.gold.local));
    }
    const both = await ask('both', step.query);
    for (const source of SOURCES) {
      if (step.gold[source].size === 0) continue;
      const first = await ask(source, step.query);
      const hit = found(first, step.gold[source]);
      note(source === 'local' ? 'local, fused' : 'web, lexical', hit);
      const { betterQuery } = step;
      const second = !hit && betterQuery !== undefined ? await ask(source, betterQuery) : [];
      const mended = found(second, step.gold[source]);
      note('within two', hit || mended);
      if (!hit) note('mended', mended);
      if (mended && betterQuery !== undefined) note('told', tells(both, step.query, betterQuery));
    }
    noteBoth(step, both, note);
    const here = await ask('local', step.query);
    const wrong = new Set((step.rivals ?? []).map((rival) => rival.passageId));
    note('only wrong locally', found(here, wrong) && !found(here, step.gold.local));
  }
  const of = (...names: string[]): boolean[] => names.flatMap((name) => outcomes[name] ?? []);
  const suffices: Record<string, boolean[]> = {};
  for (const question of questions) {
    if (!question.chain || question.chain.length === 0) continue;
    const shown = new Set((await ask('both', question.text, BACKGROUND)).map(({ id }) => id));
    const all = question.chain.every((step) => {
      const { local: here, web } = gold.of(step).gold;
      return [...here, ...web].some((id) => shown.has(id));
    });
    const needs = question.needs ?? 'search';
    (suffices[needs] ??= []).push(all);
  }
  return {
    recallAt5: {
      lexical: shareOf(of('local, lexical', 'web, lexical')).value,
      dense: local.dense ? shareOf(of('local, dense')).value : null,
      fused: shareOf(of('local, fused', 'web, lexical')).value,
      both: shareOf(of('both, fused')).value,
    },
    bothAt: Object.fromEntries(
      DEPTHS.map((depth) => [String(depth), shareOf(of(`both at ${depth}`)).value]),
    ),
    bySource: Object.fromEntries(
      ['local, lexical', 'local, dense', 'local, fused', 'web, lexical', 'both, fused'].flatMap(
        (name) => (outcomes[name] ? [[name, shareOf(of(name))]] : []),
      ),
    ),
    secondQuery: {
      recallAt5: shareOf(of('within two')).value,
      mended: shareOf(of('mended')),
      told: shareOf(of('told')),
    },
    misleading: {
      rightFirst: shareOf(of('right first')),
      wrongAmongFive: shareOf(of('wrong among five')),
      wrongAbove: shareOf(of('wrong above')),
      onlyWrongLocally: shareOf(of('only wrong locally')),
    },
    backgroundSuffices: Object.fromEntries(
      Object.entries(suffices).map(([needs, all]) => [needs, shareOf(all)]),
    ),
  };
}

function noteBoth(
  { gold, rivals = [] }: GoldStep,
  hits: readonly Passage[],
  note: (name: string, outcome: boolean) => void,
): void {
  const right = new Set([...gold.local, ...gold.web]);
  const wrong = new Set(rivals.map((rival) => rival.passageId));
  const place = (ids: ReadonlySet<string>): number => {
    const at = hits.findIndex(({ id }) => ids.has(id));
    return at < 0 ? Infinity : at;
  };
  note('both, fused', place(right) < DEPTH);
  for (const depth of DEPTHS) note(`both at ${depth}`, place(right) < depth);
  note('right first', place(right) === 0);
  note('wrong among five', place(wrong) < DEPTH);
  note('wrong above', place(wrong) < place(right));
}

/** Whether the results of the first query hold every word that the second one adds. */
function tells(results: readonly Passage[], first: string, second: string): boolean {
  const asked = new Set(terms(first));
  const shown = new Set(results.flatMap(({ title, text }) => terms(`${title} ${text}`)));
  return terms(second).every((word) => asked.has(word) || shown.has(word));
}
