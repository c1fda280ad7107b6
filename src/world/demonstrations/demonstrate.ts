import type { ChainStep, Passage, Question } from '../../records/records.ts';
import { FORM_BLOCKS, PLAIN_SEARCH, type Form } from '../../records/form-line.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { itemAt } from '../../base/items.ts';
import { TrajectoryWriter, type Trajectory } from './trajectory.ts';
import type { Encyclopedia } from '../pages/encyclopedia.ts';
import { relation } from '../schema/schema.ts';
import { isList, planOf, unclarified, type Conclusion, type Plan, type PlanStep } from './plan.ts';
import { clueIn, Results, sentenceOf, shows, summaryOf, type Source } from './results.ts';

type Draft = Omit<Question, 'id'>;

/** How often a demonstration has each form. */
const PLAIN = 0.3;
const READ = 0.06;
const GIVEN = 0.1;
/** Where none of these: shares of each part of a form. */
const PARTS = { background: 0.6, sources: 0.35, summaries: 0.12, block: 0.6 } as const;
const ASKED = 0.5;

/** The form of a demonstration: one that its question can be answered in. */
const drawDemonstratedForm = (rng: KeyedRandom, question: Draft): Form => {
  const { needs, type, chain = [] } = question;
  const drawn = rng.uniform();
  if (needs === 'nothing')
    return drawn < 0.5 ? { ...PLAIN_SEARCH, way: 'think' } : mixed(rng, question);
  const bridges = type === 'bridge' && chain.length <= 2;
  if (bridges && drawn < 3 * READ) return { ...PLAIN_SEARCH, way: 'read' };
  const given = chain.length <= 4 && needs !== 'refusal' && needs !== 'clarification';
  if (given && drawn < 3 * READ + GIVEN) return { ...PLAIN_SEARCH, way: 'think', background: true };
  if (drawn > 1 - PLAIN) {
    const asks = needs === 'clarification' && rng.chance(ASKED);
    return asks ? { ...PLAIN_SEARCH, blocks: ['ask'] } : PLAIN_SEARCH;
  }
  return mixed(rng, question);
};

const mixed = (rng: KeyedRandom, { needs }: Draft): Form => {
  const blocks = rng.chance(PARTS.block)
    ? rng.sample(FORM_BLOCKS, Number(rng.weighted({ '1': 0.6, '2': 0.25, '3': 0.15 })))
    : [];
  const asks = needs === 'clarification' && rng.chance(ASKED);
  return {
    way: 'search',
    background: rng.chance(PARTS.background),
    sources: rng.chance(PARTS.sources),
    summaries: rng.chance(PARTS.summaries),
    blocks: [...new Set([...blocks, ...(asks ? (['ask'] as const) : [])])],
  };
};

/** What goes wrong on the way. */
const TROUBLES = {
  'wrong-query': 0.2,
  repeated: 0.18,
  'empty-query': 0.02,
  failed: 0.07,
  'answer-now': 0.25,
  probed: 0.28,
} as const;
type Trouble = keyof typeof TROUBLES;

/** Passages of a result. */
const SHOWN = { '2': 0.25, '3': 0.5, '4': 0.1, '5': 0.15 } as const;
interface Habits {
  /** How often something goes wrong on the way. */
  troubled: number;
  /**
   * How often each search reaches one source alone, as where a router chooses, which the reader is not told;
   * how often the first choice is right. The next search for the same goes to the other source.
   */
  routed: number;
  rightly: number;
}
const WHOLE: Habits = { troubled: 0.32, routed: 0.4, rightly: 0.65 };
/** About half of the first results lack what was looked for. */
const READING: Habits = { troubled: 0, routed: 1, rightly: 0.5 };
/** Searches for one value; the last one brings it. */
const TRIES = 4;
const NOT_FOUND = 'not found . try again .';
const REFUSAL = 'not known . cannot be answered .';

/** Writes trajectories for the questions of one mini world. */
export class Demonstrator {
  readonly #results: Results;
  constructor(
    world: Encyclopedia,
    private readonly rng: KeyedRandom,
  ) {
    this.#results = new Results(world, rng);
  }

  demonstrate(question: Draft): Trajectory {
    const form = drawDemonstratedForm(this.rng, question);
    const one = new Demonstration(this.rng, this.#results, question, form, WHOLE);
    const segments = one.write();
    return {
      segments,
      kind: one.kind,
      hops: question.hops ?? 0,
      composition: question.composition ?? '',
    };
  }

  /**
   * An exercise in reading: a demonstration by plain search that ends with what is thought of its first
   * result, and teaches that thought alone. Undefined where the question needs no search.
   */
  reading(question: Draft): Trajectory | undefined {
    const one = new Demonstration(this.rng, this.#results, question, PLAIN_SEARCH, READING);
    const all = one.write();
    const result = all.findIndex(({ open }) => open === '<result>');
    const end = all.findIndex(({ open }, i) => i > result && open === '<think>');
    if (result === -1 || end === -1) return undefined;
    const before = all.slice(0, end);
    const segments = [
      ...before.map((s) => (s.source === 'policy' ? { ...s, mistake: true as const } : s)),
      ...all.slice(end, end + 1),
    ];
    return { segments, kind: 'reading', hops: question.hops ?? 0, composition: '' };
  }
}

/** One trajectory on its way. */
class Demonstration {
  kind: string;
  readonly #w = new TrajectoryWriter();
  readonly #plan: Plan;
  readonly #trouble: Trouble | undefined;
  readonly #routed: boolean;
  /** Passages that the context shows. */
  readonly #shown: Passage[] = [];
  /** Findings so far, for the blocks that keep them. */
  readonly #findings: string[] = [];

  constructor(
    private readonly rng: KeyedRandom,
    private readonly results: Results,
    private readonly question: Draft,
    private readonly form: Form,
    private readonly habits: Habits,
  ) {
    const { clarification: asked } = question;
    const told = !asked || form.blocks.includes('ask');
    this.#plan = planOf(told ? question : unclarified(question, asked.reply));
    const troubled =
      form.way === 'search' && this.#plan.steps.length > 0 && rng.chance(habits.troubled);
    this.#trouble = troubled ? rng.weighted(TROUBLES) : undefined;
    this.#routed = form.way === 'search' && !form.sources && rng.chance(habits.routed);
    this.kind = `${question.type ?? ''}-${form.way}`;
  }

  write() {
    const w = this.#w;
    const { form, question, rng } = this;
    const { steps, answer } = this.#plan;
    w.form(form);
    if (form.way === 'read') {
      w.question(question.text);
      w.result(this.#given());
      w.forcedAnswer(answer);
      return w.segments;
    }
    if (form.background) {
      const whole = form.way === 'think';
      this.#shown.push(...(whole ? this.#given() : this.#background()));
      w.background(this.#shown);
    }
    w.question(question.text);
    const { clarification } = question;
    if (clarification && form.blocks.includes('ask')) {
      w.block('ask', clarification.ask);
      w.reply(clarification.reply);
    }
    const known = this.#knownFrom(0);
    this.#open(this.#reading(0, known));
    const troubled = rng.between(known, Math.max(known, steps.length - 1));
    for (let i = known; i < steps.length;) {
      const step = itemAt(steps, i, 'plan');
      if (!step.chain) return this.#refuse(step);
      if (this.#lookUp(step, i === troubled ? this.#trouble : undefined)) {
        const last = this.#knownFrom(i + 1) >= steps.length;
        const next = this.#knownFrom(i + 1);
        if (last && i === troubled && this.#trouble === 'answer-now') return this.#hurried(step);
        if (i === troubled && this.#trouble === 'probed')
          return this.#probed(last ? this.#plan.answer : this.#guess());
        this.#after(step, i, next);
        w.think(this.#reading(i, next).join(' . ') + ' .');
        i = next;
      }
    }
    return this.#answer();
  }

  /** The first thought: the plan, unless it has a block of its own, and what is known already. */
  #open(reading: readonly string[]): void {
    const { announced } = this.#plan;
    const apart = this.form.blocks.includes('plan');
    if (apart) this.#w.block('plan', announced);
    const said = [...(apart ? [] : [`plan : ${announced}`]), ...reading];
    if (said.length > 0) this.#w.think(`${said.join(' . ')} .`);
  }

  /** How far, from a step on, the context tells what is asked. */
  #knownFrom(from: number): number {
    const { steps } = this.#plan;
    let to = from;
    while (to < steps.length) {
      const { chain } = itemAt(steps, to, 'plan');
      if (!chain || !shows(this.#shown, chain)) break;
      to++;
    }
    return to;
  }

  /** Findings of the steps from `from` to `to`, each with its conclusion, then what is next. */
  #reading(from: number, to: number): string[] {
    const { steps, conclusion } = this.#plan;
    const out: string[] = [];
    for (const step of steps.slice(from, to)) {
      const found = step.found(this.#listed(step.chain));
      out.push(...this.#newest(step.chain), found);
      this.#findings.push(found);
      if (step.conclusion) out.push(...this.#concluded(step.conclusion, out));
    }
    if (steps.length === 0 && conclusion) out.push(...this.#concluded(conclusion, out));
    const next = steps[to];
    if (next) return from === to && from === 0 ? [] : [...out, `next ${next.name}`];
    return [...out, 'done'];
  }

  /** What is concluded; with a block for computing, the thought before it ends here. */
  #concluded({ stated, worked, verdict }: Conclusion, before: string[]): string[] {
    const said = stated === '' ? [] : [stated];
    if (!worked) return [...said, verdict];
    if (!this.form.blocks.includes('compute')) return [...said, worked.work, verdict];
    const thought = [...before.splice(0), ...said];
    if (thought.length > 0) this.#w.think(`${thought.join(' . ')} .`);
    this.#w.block('compute', worked.expression);
    this.#w.told(String(worked.result));
    return [verdict];
  }

  /** Where the context shows an older state as well, the newer one is named. */
  #newest(chain: ChainStep | undefined): string[] {
    const older = chain?.rivals?.filter((rival) => rival.why === 'stale') ?? [];
    const both = older.some((rival) => this.#shown.some((p) => p.id === rival.passageId));
    return both && chain?.date !== undefined ? [`newest is ${chain.date}`] : [];
  }

  /** The items of a list in the order in which the reader saw them. */
  #listed(chain: ChainStep | undefined): string[] {
    if (!chain) return [];
    if (!isList(chain)) return [chain.object];
    const text = this.#shown.find((p) => chain.passageIds?.includes(p.id))?.text ?? '';
    return chain.object.split(', ').sort((a, b) => text.indexOf(a) - text.indexOf(b));
  }

  /** Searches until the step's passage is shown; whether it was. */
  #lookUp(step: PlanStep, trouble: Trouble | undefined): boolean {
    const { rng, form } = this;
    const { chain, known, label } = step;
    const w = this.#w;
    if (!chain) return false;
    if (trouble === 'wrong-query') {
      w.search(this.#wrongQuery(step), true);
      this.#result(known.slice(0, -1), step, this.#route(chain), false);
      w.think(NOT_FOUND);
    }
    if (trouble === 'failed' || trouble === 'empty-query') {
      const failed = trouble === 'failed';
      w.search(failed ? step.query : '', !failed);
      w.hint(failed ? 'searchFailed' : 'emptyQuery');
      w.think(`next ${step.name} .`);
    }
    const changes = !isList(chain) && relation(chain.relation).changes;
    let source: Source | undefined = form.sources ? (changes ? 'web' : 'local') : undefined;
    let unseen = this.#route(chain);
    let query = step.query;
    const others = rng.shuffle([known, `${known} ${label}`]);
    if (known === chain.subject && !/ in brief \d+ /.test(chain.betterQuery ?? ''))
      others.unshift(chain.betterQuery ?? known);
    const asked = new Set<string>();
    let tried: Source | undefined;
    for (let tries = 1; ; tries++) {
      w.search(query, false, source);
      asked.add(query);
      const found = this.#result(query, step, source ?? unseen, tries === TRIES);
      if (found) return true;
      if (unseen !== undefined)
        unseen = tries + 1 === TRIES ? this.#homeOf(chain) : otherThan(unseen);
      this.#after(step, -1, -1);
      const clue = clueIn(this.#shown.slice(-5), chain, known, step.name);
      w.think(clue.thought);
      if (trouble === 'repeated' && tries === 1) {
        w.search(query, true, source);
        w.hint('repeatedQuery');
        w.think(`next ${step.name} .`);
      }
      const better = clue.query !== undefined && !asked.has(clue.query) ? clue.query : undefined;
      if (better !== undefined) query = better;
      else if (source === undefined || tried !== undefined)
        query = others.find((one) => !asked.has(one)) ?? step.query;
      if (source !== undefined) {
        // First the other source; then both.
        tried = tried === undefined ? source : undefined;
        source = tried && otherThan(tried);
        if (tries + 1 === TRIES) source = undefined;
      }
    }
  }

  /** A source that states a step; both where it is not known. */
  #homeOf(chain: ChainStep | undefined): Source | undefined {
    const id = chain && this.results.gold(chain)?.id;
    return id === undefined ? undefined : id.startsWith('web-') ? 'web' : 'local';
  }

  /** Where a router sends a search for a step; undefined where both are searched. */
  #route(chain: ChainStep | undefined): Source | undefined {
    if (!this.#routed) return undefined;
    const home = this.#homeOf(chain) ?? this.rng.pick(SOURCES);
    return this.rng.chance(this.habits.rightly) ? home : otherThan(home);
  }

  /** Writes what a query brings. @returns whether the step's passage is among it */
  #result(
    query: string,
    { chain, ...step }: PlanStep,
    source: Source | undefined,
    must: boolean,
  ): boolean {
    const k = Number(this.rng.weighted(SHOWN));
    const hits = this.results.hits(query, k, chain, source, must);
    this.#shown.push(...hits);
    if (this.form.summaries) {
      const stated = this.#plan.steps.flatMap((s) => (s.chain && sentenceOf(hits, s.chain)) ?? []);
      const clues = hits.flatMap((p) => p.sentences).filter((s) => s.includes(step.known));
      this.#w.told(summaryOf(query, hits, [...stated, ...clues]));
    } else this.#w.result(hits);
    this.#last = hits;
    return chain !== undefined && shows(hits, chain);
  }
  #last: readonly Passage[] = [];

  /** The blocks that follow a result. @param from -1 where the step is not found */
  #after(step: PlanStep, from: number, to: number): void {
    const { blocks } = this.form;
    const w = this.#w;
    const found = from >= 0;
    const now = found ? this.#plan.steps.slice(from, to) : [];
    const useful = this.#last.flatMap((p, i) =>
      now.some(({ chain }) => chain?.passageIds?.includes(p.id)) ? [String(i + 1)] : [],
    );
    const findings = [...this.#findings, ...now.map((s) => s.found(this.#listed(s.chain)))];
    const sentences = now.flatMap((s) => (s.chain && sentenceOf(this.#last, s.chain)) ?? []);
    const texts: Readonly<Partial<Record<(typeof blocks)[number], string>>> = {
      judge: found ? 'yes' : 'no',
      relevance: useful.join(' , '),
      important: useful.join(' , '),
      refine: [...new Set(sentences)].join(' '),
      memory: findings.join(' . '),
      summary: found ? step.found(this.#listed(step.chain)) : '',
    };
    for (const block of ['judge', 'relevance', 'important', 'refine', 'memory', 'summary'] as const)
      if (blocks.includes(block)) w.block(block, texts[block] || 'none');
  }

  /** The searches ran out: the answer is forced. */
  #hurried(step: PlanStep) {
    if (this.rng.chance(0.6)) {
      this.#w.think(NOT_FOUND, true);
      this.#w.search(step.known, true);
      this.#w.hint('answerNow');
    }
    return this.#probed(this.#plan.answer);
  }

  /** STIE asks after a result what the answer would be now. */
  #probed(answer: string) {
    this.#w.forcedAnswer(answer);
    return this.#w.segments;
  }

  /**
   * What a reader could answer before the evidence is in: one of what was shown, of the answer's sort. Each is as likely,
   * so that an early candidate is never one to be sure of, with which STIE would end the rollout.
   */
  #guess(): string {
    const { answer } = this.#plan;
    if (/^(?:yes|no)$/.test(answer)) return this.rng.pick(['yes', 'no']);
    const texts = this.#shown.flatMap(({ title, text }) => [title, text]).join('\n');
    const names = texts.match(/\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)+|(?<=^|\n)\p{Lu}\p{L}+/gu) ?? [];
    const numbers = /^\d+$/.test(answer) ? texts.match(/\b\d+\b/g) : null;
    return this.rng.pick([...new Set(this.question.options ?? numbers ?? names)]);
  }

  /** Looks for what no passage states, in two or three ways, and says so. */
  #refuse(step: PlanStep) {
    const { known, label, query } = step;
    const [other = known, another = known] = this.rng.shuffle([known, `${known} ${label}`]);
    const all = [query, other, another].slice(0, this.rng.between(2, 3));
    let unseen = this.#route(step.chain);
    for (const [i, one] of all.entries()) {
      this.#w.search(one);
      this.#result(one, step, unseen, false);
      unseen &&= otherThan(unseen);
      this.#after(step, -1, -1);
      this.#w.think(i === all.length - 1 ? REFUSAL : NOT_FOUND);
    }
    return this.#answer();
  }

  #answer() {
    const { answer, summary, steps } = this.#plan;
    if (this.form.blocks.includes('evidence')) {
      const sentences = steps.flatMap((s) => (s.chain && sentenceOf(this.#shown, s.chain)) ?? []);
      this.#w.block('evidence', [...new Set(sentences)].join(' ') || 'none');
    }
    if (summary !== undefined) this.#w.longAnswer(summary, answer);
    else this.#w.shortAnswer(answer);
    return this.#w.segments;
  }

  /** The query with a name that is nearly the right one. */
  #wrongQuery({ query, known }: PlanStep): string {
    const words = known.split(' ');
    const cut = words.length > 1 ? words.slice(0, -1).join(' ') : known.slice(0, -1);
    return query.replace(known, cut);
  }

  #background(): Passage[] {
    return this.results.hits(
      this.question.text,
      this.rng.between(2, 3),
      this.#plan.steps[0]?.chain,
      this.#route(this.#plan.steps[0]?.chain),
    );
  }

  /** A passage for every step, others among them. */
  #given(): Passage[] {
    const { steps } = this.#plan;
    const gold = steps.flatMap(({ chain }) => (chain && this.results.gold(chain)) ?? []);
    const unique = [...new Map(gold.map((p) => [p.id, p])).values()];
    const others = steps
      .flatMap(({ chain, query }) => this.results.hits(query, 2, chain))
      .filter((p) => !unique.some((g) => g.id === p.id));
    const room = this.rng.between(1, Math.max(1, 5 - unique.length));
    return this.rng.shuffle([...unique, ...this.rng.sample(others, room)]);
  }
}

const SOURCES: readonly Source[] = ['local', 'web'];
const otherThan = (source: Source): Source => (source === 'local' ? 'web' : 'local');
