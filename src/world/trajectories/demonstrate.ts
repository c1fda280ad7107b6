import type { Passage } from '../../records/records.ts';
import { Lookalikes } from './lookalikes.ts';
import { planOf, type Plan, type PlanStep } from './plan.ts';
import type { Draft } from '../questions/question-scope.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { MiniSearch } from './search.ts';
import { TrajectoryWriter, type Trajectory } from './trajectory.ts';
import type { Encyclopedia } from '../world.ts';
import { itemAt, lastOf } from '../../base/items.ts';

/** Shares of what demonstrations show. All between 0 and 1. */
export interface DemonstrationMix {
  /** Trajectories in which something goes wrong on the way (gold and noisy 1:1). */
  noisy: number;
  /** Trajectories that open with background passages. */
  background: number;
  /** One-hop trajectories in the layout of naive RAG. */
  naiveRag: number;
  /** Results in which passages beside the right one are replaced by lookalikes of it. */
  lookalikes: number;
  /** What goes wrong in a noisy trajectory. */
  troubles: Readonly<Record<Trouble, number>>;
}

/**
 * miss: the first result lacks the page; miss-twice: so does the second; stale: noise beside the
 * clean page; wrong-query: a copy error in the query; repeated: a refused repeat; empty-query: a
 * refused search for nothing; failed: the source did not answer; answer-now: the searches ran out, or
 * the context is probed, and the answer is forced.
 */
export type Trouble =
  | 'miss'
  | 'miss-twice'
  | 'stale'
  | 'wrong-query'
  | 'repeated'
  | 'empty-query'
  | 'failed'
  | 'answer-now';

export const DEFAULT_MIX: DemonstrationMix = {
  noisy: 0.5,
  background: 0.2,
  naiveRag: 0.15,
  lookalikes: 0.55,
  troubles: {
    miss: 0.25,
    'miss-twice': 0.05,
    stale: 0.33,
    'wrong-query': 0.15,
    repeated: 0.1,
    'empty-query': 0.01,
    failed: 0.03,
    'answer-now': 0.08,
  },
};

/** Share of the misses that bring no passage at all. */
const NOTHING = 0.06;
const NOT_FOUND = 'not found . try again .';

/** Writes trajectories for the questions of one mini world. */
export class Demonstrator {
  private readonly index: MiniSearch;
  private readonly lookalikes: Lookalikes;
  /** Passages that the trajectory at hand has shown. */
  private shown: Passage[] = [];
  constructor(
    private readonly world: Encyclopedia,
    private readonly rng: KeyedRandom,
    private readonly mix: DemonstrationMix = DEFAULT_MIX,
  ) {
    this.index = new MiniSearch(world);
    this.lookalikes = new Lookalikes(world, this.index);
  }

  demonstrate(question: Draft): Trajectory {
    const { rng, mix } = this;
    const w = new TrajectoryWriter();
    this.shown = [];
    const plan = planOf(question);
    const about = { hops: plan.steps.length, composition: question.composition ?? '' };
    const [first] = plan.steps;
    if (first && plan.steps.length === 1 && plan.form === 'short' && rng.chance(mix.naiveRag)) {
      w.question(question.text);
      w.result(this.hits(question.text, first, rng.between(2, 4)));
      w.forcedAnswer(plan.answer);
      return { segments: w.segments, kind: 'naive-rag', ...about };
    }
    const kinds: string[] = [];
    let known = 0;
    if (rng.chance(mix.background)) {
      this.shown = this.background(question, plan);
      known = knownSteps(plan, this.shown);
      w.background(this.shown);
      kinds.push(`background-${known}`);
    }
    w.question(question.text);
    const noisy = known < plan.steps.length && rng.chance(mix.noisy);
    const trouble = noisy ? rng.weighted(mix.troubles) : undefined;
    kinds.push(trouble ?? 'gold');
    this.work(w, plan, known, trouble);
    return { segments: w.segments, kind: kinds.join('+'), ...about };
  }

  private work(w: TrajectoryWriter, plan: Plan, known: number, trouble: Trouble | undefined): void {
    const { rng } = this;
    const last = plan.steps.length - 1;
    const troubled = rng.between(known, last);
    w.think([plan.plan, ...this.reading(plan, 0, known)].join(' . ') + ' .');
    const asked = new Set<string>();
    for (let i = known; i <= last; i++) {
      const step = itemAt(plan.steps, i, 'plan');
      const repeat = trouble === 'repeated' && i === troubled ? rng.maybe([...asked]) : undefined;
      if (repeat !== undefined) {
        // The refused query stands where the right one belongs; the next thought finds the way back.
        w.search(repeat, true);
        w.hint('repeatedQuery');
        w.think(`next ${step.name} .`);
      }
      const query = this.lookUp(w, step, i === troubled ? trouble : undefined);
      asked.add(query);
      if (trouble === 'repeated' && i === troubled && repeat === undefined) {
        w.think(NOT_FOUND, true);
        w.search(query, true);
        w.hint('repeatedQuery');
      }
      if (i === last && trouble === 'answer-now') {
        if (rng.chance(0.6)) {
          w.think(NOT_FOUND, true);
          w.search(rng.pick(step.otherQueries), true);
          w.hint('answerNow');
        }
        w.forcedAnswer(plan.answer);
        return;
      }
      w.think(`${this.reading(plan, i, i + 1).join(' . ')} .`);
    }
    if (plan.form === 'short') w.shortAnswer(plan.answer);
    else w.longAnswer(this.summary(plan), plan.answer);
  }

  /** Searches until the page is found; returns the query that found it. */
  private lookUp(w: TrajectoryWriter, step: PlanStep, trouble: Trouble | undefined): string {
    const { rng } = this;
    const k = () => rng.weighted({ '2': 0.6, '3': 0.35, '4': 0.05 });
    if (trouble === 'wrong-query') {
      const wrong = this.wrongQuery(step);
      w.search(wrong, true);
      w.result(this.miss(wrong, step, Number(k())));
      w.think(NOT_FOUND);
    }
    if (trouble === 'failed' || trouble === 'empty-query') {
      const failed = trouble === 'failed';
      w.search(failed ? step.query : '', !failed);
      w.hint(failed ? 'searchFailed' : 'emptyQuery');
      w.think(`next ${step.name} .`);
    }
    const queries = [step.query, ...step.otherQueries];
    const misses = trouble === 'miss' ? 1 : trouble === 'miss-twice' ? 2 : 0;
    for (const query of queries.slice(0, misses)) {
      w.search(query);
      w.result(this.miss(query, step, Number(k())));
      w.think(NOT_FOUND);
    }
    const query = queries[misses] ?? step.query;
    w.search(query);
    w.result(this.hits(query, step, Number(k()), trouble === 'stale'));
    return query;
  }

  /** Hits for a query that hold a clean page of the step; half of the lists in random order. */
  private hits(query: string, step: PlanStep, k: number, stale = false): Passage[] {
    const { rng, index } = this;
    const found = index.search(query, k);
    const gold = index.clean(step.chain.title);
    if (!found.some((p) => gold.includes(p)))
      found[found.length < k ? found.length : k - 1] = rng.pick(gold);
    if (stale) this.addNoise(found, step, gold);
    this.addLookalikes(found, step, gold);
    this.shown.push(...found);
    return rng.chance(0.5) ? rng.shuffle(found) : found;
  }

  private addNoise(found: Passage[], step: PlanStep, gold: readonly Passage[]): void {
    const noise = this.index.noiseAbout(step.chain.subject).filter((p) => !found.includes(p));
    const place = found.findLastIndex((p) => !gold.includes(p) && !p.noise);
    const one = this.rng.maybe(noise);
    if (one && place >= 0) found[place] = one;
  }

  /** Puts lookalikes of the step's page in the place of passages beside it. */
  private addLookalikes(found: Passage[], { chain }: PlanStep, gold: readonly Passage[]): void {
    if (!this.rng.chance(this.mix.lookalikes)) return;
    for (const [place, passage] of found.entries()) {
      if (gold.includes(passage) || passage.noise || this.rng.chance(0.3)) continue;
      const one = this.lookalikes.passage(this.rng, chain.title, chain.subject);
      if (one) found[place] = one;
    }
  }

  private miss(query: string, step: PlanStep, k: number): Passage[] {
    if (this.rng.chance(NOTHING)) return [];
    const found = this.index.search(query, k, (p) => states(p, step));
    this.addLookalikes(found, step, []);
    return this.rng.chance(0.5) ? this.rng.shuffle(found) : found;
  }

  /** The query with a name that is nearly the right one. */
  private wrongQuery(step: PlanStep): string {
    const { subject } = step.chain;
    const word = subject.split(' ')[this.rng.below(2)] ?? subject;
    const entity = this.world.entities.find((e) => e.name === subject);
    const same = entity ? this.world.knowledge.kind(entity.kind) : [];
    const near = same.filter((e) => e.name !== subject && e.name.includes(word));
    const other = this.rng.maybe(near.length > 0 ? near : same.filter((e) => e.name !== subject));
    return step.query.replace(subject, other?.name ?? subject.slice(0, -1));
  }

  private background(question: Draft, plan: Plan): Passage[] {
    const k = this.rng.between(2, 3);
    if (this.rng.chance(0.35))
      return this.index.search(question.text, k, (p) => plan.steps.some((s) => states(p, s)));
    return this.index.search(question.text, k);
  }

  /** What a thought says once steps `from` to `to` are known: the findings, then what is next. */
  private reading(plan: Plan, from: number, to: number): string[] {
    const found = plan.steps
      .slice(from, to)
      .flatMap((s) => [s.found(this.listed(s)), ...(s.conclusion ? [s.conclusion.text] : [])]);
    if (found.length === 0) return [];
    const next = plan.steps[to];
    return [...found, next ? `next ${next.name}` : 'done'];
  }

  /** The items of a list page in the order in which the reader saw them. */
  private listed({ chain }: PlanStep): string[] {
    const items = chain.object.split(', ');
    const text = this.page(chain.title)?.text ?? '';
    return items.sort((a, b) => text.indexOf(a) - text.indexOf(b));
  }

  private page(title: string): Passage | undefined {
    return this.shown.find((p) => p.title === title && !p.noise);
  }

  private summary(plan: Plan): string {
    const step = lastOf(plan.steps, 'plan');
    return this.page(step.chain.title)?.sentences.slice(0, 2).join(' ') ?? '';
  }
}

/** Whether a passage gives the step away: its page, or clean text with both names. */
const states = (p: Passage, { chain }: PlanStep): boolean =>
  !p.noise &&
  (p.title === chain.title || (p.text.includes(chain.subject) && p.text.includes(chain.object)));

/** How many steps, from the first on, these passages answer. */
const knownSteps = (plan: Plan, shown: readonly Passage[]): number => {
  const missing = plan.steps.findIndex(
    (s) => !shown.some((p) => p.title === s.chain.title && !p.noise),
  );
  return missing < 0 ? plan.steps.length : missing;
};
