import { beforeAll, describe, expect, it } from 'vitest';
import { runGroup } from '../../../src/agent/run.ts';
import { stieText, stieCounts, sumStieCounts } from '../../../src/agent/stie-counts.ts';
import { describeEvent } from '../../../src/cli/commands/ask.ts';
import { openParts } from '../../../src/cli/shared/parts.ts';
import { hopMap } from '../../../src/evaluate/rollouts/hops.ts';
import { inspectFile } from './inspect-file.ts';
import { readRounds } from '../../../src/evaluate/rollouts/reading/rounds.ts';
import { endOfRow, factsOfRow, rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { besideRounds } from '../../../src/evaluate/rollouts/siblings/rounds.ts';
import { statisticsOf } from '../../../src/evaluate/rollouts/statistics.ts';
import { timesOf } from '../../../src/evaluate/rollouts/times.ts';
import { verdictWords } from '../../../src/evaluate/rollouts/verdict-words.ts';
import { flowOf } from '../../../src/evaluate/rollouts/why.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { countSearches, searchNumbers } from '../../../src/records/searches.ts';
import { ANSWER, FIRST, LOOP, SECOND, THINK } from '../../agent/loop-script.ts';
import { retrieverOver, run } from '../../agent/helpers.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import { measuresOf } from '../../../src/ui/ask/columns/measures.ts';
import { roundName } from '../../../src/ui/kit/beside/beside-layout.ts';
import { cardOf } from '../../../src/ui/kit/events/cards.ts';
import { firstSeen } from '../../../src/ui/kit/events/parts/support.ts';
import { searchWords } from '../../../src/ui/kit/waterfall/Waterfall.tsx';

/** Every place that counts searches, STIE's verdicts or branches of the flow, on rollouts of the built-in policy. */

const RECIPES: Readonly<Record<string, SettingsOverride>> = {
  'kunlun-baize': {},
  search: { retrieval: { maxSearches: 1 } },
  'naive-rag': {},
  'naive-generation': {},
  'r1-searcher': { sampling: { temperature: 1.5 } },
  'step-search': {},
  ircot: {},
  'self-ask': {},
  'search-o1': {},
  'tool-star': {},
};
const QUESTIONS = 3;
const SEEDS = 2;

const rollouts: Rollout[] = [];

beforeAll(async () => {
  const parts = await openParts({ device: 'wasm' });
  try {
    const tests = parts.world.questions.filter(({ split }) => split === 'test');
    const every = Math.floor(tests.length / QUESTIONS);
    const questions = Array.from({ length: QUESTIONS }, (_, i) => tests[i * every]!);
    for (const [id, overrides] of Object.entries(RECIPES))
      for (const question of questions)
        rollouts.push(
          ...(await runGroup(parts.deps, {
            question,
            recipe: getRecipe(id),
            overrides,
            seed: 7,
            size: SEEDS,
            runId: id,
            groupId: `${id} ${question.id}`,
            step: 0,
          })),
        );
  } finally {
    parts.dispose();
  }
  rollouts.push(...(await scripted()));
}, 120_000);

/** What the built-in policy seldom does: it repeats queries until they are refused, and searches that fail. */
async function scripted(): Promise<Rollout[]> {
  const again = `<think> again</think>${FIRST}`;
  const overrides = {
    background: { mode: 'off' as const },
    retrieval: { source: 'both' as const },
    stie: { overAnswers: false },
  };
  const working = retrieverOver();
  let calls = 0;
  const failing = {
    search: (...args: Parameters<typeof working.search>) =>
      ++calls === 1 ? Promise.reject(new Error('offline')) : working.search(...args),
  };
  const made = [
    await run({ main: [THINK + FIRST, again, SECOND, ANSWER] }, { recipe, overrides }),
    await run(
      { main: [THINK + FIRST, again, again, again, ' Borfield }</short_answer>'] },
      { recipe, overrides },
    ),
    await run(
      { main: [THINK + FIRST, again, SECOND, ANSWER] },
      { recipe, overrides, retriever: failing },
    ),
    // One query more than searches are allowed.
    await run({ main: LOOP }, { overrides: { retrieval: { maxSearches: 1 } } }),
  ];
  return made.map(({ rollout }, at) => ({ ...rollout, id: `scripted ${at}`, runId: 'scripted' }));
}
const recipe = 'kunlun-baize';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** Numbers after a word in some texts, ranges written out, each once, in order. */
const numbersAfter = (word: RegExp, texts: readonly string[]): number[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(word)].flatMap(([, from, to = from]) =>
        range(Number(to)).slice(Number(from) - 1),
      ),
    ),
  ),
];
const SEARCH = /\bsearch(?:es)? +(\d+)(?: to (\d+))?/giu;

describe('searches of a rollout are counted alike', () => {
  it('of as many kinds as there are: none, one, several, refused and unmade ones', () => {
    const counts = rollouts.map(({ events }) => countSearches(events));
    expect(counts).toContain(0);
    expect(counts).toContain(1);
    expect(Math.max(...counts)).toBeGreaterThan(4);
    const refused = rollouts.filter(({ events }) =>
      events.some((event) => event.kind === 'verdict' && event.action === 'refused'),
    );
    expect(refused.length).toBeGreaterThan(0);
    const unmade = rollouts.filter(({ events }) =>
      events.some((event, at) => event.kind === 'search' && searchNumbers(events)[at] === null),
    );
    expect(unmade.length).toBeGreaterThan(refused.length);
    const failed = rollouts.filter(({ events }) => events.some(({ kind }) => kind === 'error'));
    expect(failed.length).toBeGreaterThan(0);
  });

  it('in figures, rows, statistics and words', () => {
    for (const rollout of rollouts) {
      const count = countSearches(rollout.events);
      expect(measuresOf(rollout).searches, rollout.id).toBe(count);
      expect(rowOf(rollout).numbers.searches, rollout.id).toBe(count);
      const said = /without a search|after (\d+) search/u.exec(verdictWords(rollout) ?? '');
      expect(Number(said?.[1] ?? 0), rollout.id).toBe(count);
    }
    const { searches } = statisticsOf(rollouts.map((rollout) => factsOfRow(rowOf(rollout))));
    const counts = rollouts.map(({ events }) => countSearches(events));
    expect(searches.max).toBe(Math.max(...counts));
    expect(searches.none).toBe(counts.filter((count) => count === 0).length);
  });

  it('in events, cards, lines of the command line, rounds of the reader, siblings side by side, and times', () => {
    for (const rollout of rollouts) {
      const { events } = rollout;
      const all = range(countSearches(events));
      const numbers = searchNumbers(events);
      const lines = events.map((event, at) => describeEvent(event, numbers[at] ?? null));
      const heads = lines
        .filter((line) => line.startsWith('search '))
        .map((line) => line.slice(0, 13));
      expect(numbersAfter(SEARCH, heads), rollout.id).toEqual(all);
      const names = readRounds(rollout).map(({ name }) => name);
      expect(numbersAfter(SEARCH, names), rollout.id).toEqual(all);
      expect(numbersAfter(SEARCH, besideRounds(rollout).map(roundName)), rollout.id).toEqual(all);
      const figures = events.map((event, index) =>
        cardOf(event).figure?.(event, { rollout, index }),
      );
      const spans = timesOf({ events });
      const places = [
        ...numbersAfter(
          SEARCH,
          figures.map((figure) => figure ?? ''),
        ),
        ...(spans.kind === 'times' ? numbersAfter(SEARCH, spans.spans.map(searchWords)) : []),
        ...[...firstSeen(events).values()].map(({ search }) => search),
        ...hopsOf(rollout),
      ];
      for (const place of places) expect([0, ...all], rollout.id).toContain(place);
    }
  });
});

const hopsOf = (rollout: Rollout): number[] => {
  const map = hopMap(rollout);
  return map.kind === 'none' ? [] : map.hops.flatMap(({ asked, look }) => [...asked, look ?? 0]);
};

describe('the counts of STIE add up', () => {
  it('in one rollout and in all: the parts of answers and of queries are all that were judged', () => {
    const each = rollouts.map(({ events }) => stieCounts(events));
    for (const counts of [...each, sumStieCounts(each)]) {
      if (!counts) continue;
      const words = stieText(counts);
      const answers = /(\d+) answers? \((.*?)\)(?: and|\.)/u.exec(words);
      expect(Number(answers?.[1] ?? 0), words).toBe(counts.answers);
      const parts = [...(answers?.[2] ?? '').matchAll(/\d+/gu)].map(([part]) => Number(part));
      const sum = parts.reduce((total, part) => total + part, 0);
      expect(answers?.[2] === 'all new' ? counts.answers : sum, words).toBe(counts.answers);
      const queries = /(\d+) quer(?:y|ies): (\d+) allowed(?: \(.*?\))?(?:, (\d+) refused)?/u.exec(
        words,
      );
      expect(Number(queries?.[1] ?? 0), words).toBe(counts.queries);
      expect(Number(queries?.[2] ?? 0) + Number(queries?.[3] ?? 0), words).toBe(counts.queries);
    }
    expect(sumStieCounts(each)?.queriesRefused).toBeGreaterThan(0);
  });

  it('with the searches: each judged query that was allowed was searched, unless the rollout ended', () => {
    for (const { events, id } of rollouts) {
      const counts = stieCounts(events);
      if (!counts || counts.queries === 0) continue;
      expect(countSearches(events), id).toBe(counts.queries - counts.queriesRefused);
    }
  });
});

describe('the branches of the flow, the outcomes and the figures add up', () => {
  it.each([...Object.keys(RECIPES), 'scripted', 'all'])(
    'over the rollouts of %s',
    async (recipe) => {
      const some = rollouts.filter(({ runId }) => recipe === 'all' || runId === recipe);
      const rows = some.map((rollout) => rowOf(rollout));
      const flow = flowOf(rows.map(endOfRow));
      const file = new Blob(some.map((rollout) => `${JSON.stringify(rollout)}\n`));
      const { outcomes, statistics } = await inspectFile(file, 'rollouts.jsonl');
      const of = (name: keyof typeof outcomes): number => outcomes[name] ?? 0;
      const unread = of('right-without-evidence');
      expect(flow.unread).toBe(unread);
      expect(statistics.evidence.rightWithoutEvidence.em).toBe(unread);
      expect(statisticsOf(rows.map(factsOfRow)).evidence.rightWithoutEvidence.em).toBe(unread);
      expect(flow.right).toBe(of('right-with-evidence') + of('right-closed'));
      expect(flow.right + flow.unread).toBe(statistics.em.count);
      const lost = Object.values(flow.lost).reduce((sum, count) => sum + count, 0);
      expect(flow.right + flow.unread + lost).toBe(flow.all);
      expect(flow.all + flow.undetermined).toBe(some.length);
    },
  );
});
