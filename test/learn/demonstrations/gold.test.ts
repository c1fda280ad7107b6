import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { demonstrateGold } from '../../../src/learn/demonstrations/from-gold.ts';
import {
  unwritable,
  type DemonstrationOptions,
} from '../../../src/learn/demonstrations/write-rollout.ts';
import { readDemonstrations } from '../../../src/learn/rl/demonstrations.ts';
import { segmentsOf } from '../../../src/learn/trajectories/make.ts';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';
import { getRecipe, RECIPES } from '../../../src/systems/index.ts';
import { dialectIds } from '../../../src/recipes/parts/dialect.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import type { ChainStep, Passage, Question } from '../../../src/records/records.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type { PolicyChat, PolicyTokenizer } from '../../../src/policy/policy.ts';
import { byteTokenizer, wordTokenizer } from '../../agent/text/tokenizers.ts';
import { LOCAL, QUESTION, retrieverOver, WEB } from '../../agent/helpers.ts';
import { chatOf, FAMILIES, tokenizerOf } from '../../agent/text/tool-families.ts';
import { modelWith } from './model.ts';
import { tokenizer as tagTokenizer } from '../../agent/tokenizer.ts';

const step = (subject: string, relation: string, object: string, title: string): ChainStep => ({
  subject,
  relation,
  object,
  title,
  passageId: '',
  query: `${subject} ${relation}`.trim(),
});

const CHAIN: Question = {
  ...QUESTION,
  chain: [
    step('Old Wolf', 'author', 'Victor Kerlund', 'Old Wolf'),
    step('', 'in which city was Victor Kerlund born?', 'Borfield', 'Victor Kerlund'),
  ],
};

const BARE: Question = { ...QUESTION, supporting: [] };

const everything = retrieverOver([...LOCAL, ...WEB], []);

interface Changes extends Partial<Omit<DemonstrationOptions, 'recipe'>> {
  recipe?: string;
  tokenizer?: PolicyTokenizer;
  retriever?: Retriever;
  chat?: PolicyChat;
}

const demonstrate = (question: Question, changes: Changes = {}) => {
  const { recipe = 'search', tokenizer = wordTokenizer, overrides, ...rest } = changes;
  const { retriever = everything, chat, ...others } = rest;
  return demonstrateGold(
    { retriever, router: createRouter(), now: () => 0 },
    { ...modelWith(tokenizer), chat },
    question,
    {
      recipe: getRecipe(recipe),
      overrides: { ...overrides, retrieval: { source: 'local', k: 2, ...overrides?.retrieval } },
      seed: 1,
      maxTokens: 4096,
      ...others,
    },
  );
};

const made = async (question: Question, changes?: Changes): Promise<Rollout> => {
  const outcome = await demonstrate(question, changes);
  if ('leftOut' in outcome) throw new Error(outcome.leftOut);
  return outcome.rollout;
};

const queries = ({ events }: Rollout): string[] =>
  events.flatMap((event) => (event.kind === 'search' ? [event.query] : []));
const thoughts = ({ events }: Rollout): string[] =>
  events.flatMap((event) => (event.kind === 'think' ? [event.text] : []));

describe('a demonstration from a gold chain', () => {
  it('is a whole rollout of the recipe, with the passages that its retriever returns', async () => {
    const rollout = await made(CHAIN);
    expect(faultOf(rollout)).toBeNull();
    expect(rollout.recipe).toMatchObject({ id: 'search', settings: { retrieval: { k: 2 } } });
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true, recall: 1, searches: 2 });
    expect(queries(rollout)).toEqual(['Old Wolf author', 'in which city was Victor Kerlund born']);
    for (const event of rollout.events) {
      if (event.kind !== 'retrieve') continue;
      const real = await everything.search('local', event.query, 2);
      expect(event.hits).toEqual(real.hits);
    }
    expect(rollout.events.at(-1)).toMatchObject({ kind: 'stop', reason: 'answer' });
  });

  it('trains what was written, and nothing that the environment says', async () => {
    const rollout = await made(CHAIN);
    for (const { source, mask, text, role } of rollout.segments) {
      expect(mask).toBe(source === 'policy' ? 1 : 0);
      if (role === 'result') expect(source).toBe('environment');
      else if (source === 'policy') expect(text).not.toContain('was written by');
    }
    const [read] = readDemonstrations(JSON.stringify(rollout), wordTokenizer.vocabSize);
    expect(read && segmentsOf(read).filter(({ by }) => by === 'policy')).not.toEqual([]);
  });

  it('holds exactly the tokens that the text is encoded to, turn by turn', async () => {
    for (const tokenizer of [wordTokenizer, byteTokenizer]) {
      const { segments } = await made(CHAIN, { tokenizer });
      for (const { ids, text } of segments) expect(tokenizer.decode(ids)).toBe(text);
      const first = segments.findIndex(({ source }) => source === 'policy');
      const end = segments.findIndex(({ role }) => role === 'result');
      const turn = segments.slice(first, end);
      expect(turn.flatMap(({ ids }) => ids)).toEqual(
        tokenizer.encodeText(turn.map(({ text }) => text).join('')),
      );
    }
  });

  it('says what it looks for, what it read, and what follows, in the same words each time', async () => {
    const written = [
      'First, find out: Old Wolf, author.',
      'Victor Kerlund. Next, find out: in which city was Victor Kerlund born?',
      'Victor Kerlund; Borfield. So the answer is Borfield.',
    ];
    for (const seed of [0, 7]) expect(thoughts(await made(CHAIN, { seed }))).toEqual(written);
  });

  it('names a value only after a passage has shown it', async () => {
    const { segments } = await made(CHAIN);
    for (const name of ['Victor Kerlund', 'Borfield']) {
      const said = segments.findIndex((s) => s.source === 'policy' && s.text.includes(name));
      const shown = segments.findIndex((s) => s.role === 'result' && s.text.includes(name));
      expect(shown).toBeGreaterThan(-1);
      expect(said).toBeGreaterThan(shown);
    }
  });

  it('is written in tags that are tokens of their own, too', async () => {
    const rollout = await made(CHAIN, { tokenizer: tagTokenizer });
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true });
    expect(queries(rollout)).toHaveLength(2);
  });

  // What reads passages given with the question, or asks for a block after each result, has no such turns.
  const OTHERS = new Set(['arena', 'hrpo', 'thoughts', 'self-ask', 'tools']);
  it.each(dialectIds().filter((id) => !OTHERS.has(id)))(
    'is read back in the format of %s',
    async (dialect) => {
      const outcome = await demonstrate(CHAIN, { overrides: { dialect } });
      if ('leftOut' in outcome) {
        // Their released reward functions ask for blocks that no gold chain holds.
        expect(['auto-refine', 're-seek', 'r-search', 's3']).toContain(dialect);
        expect(outcome.leftOut).toBe('format');
        return;
      }
      expect(queries(outcome.rollout)).toEqual([
        'Old Wolf author',
        'in which city was Victor Kerlund born',
      ]);
      expect(outcome.rollout.answer).toBe('Borfield');
    },
  );

  it.each(FAMILIES)('is written in the tool calls of $name', async (family) => {
    const tokenizer = tokenizerOf(family);
    const rollout = await made(CHAIN, {
      tokenizer,
      chat: chatOf(family),
      overrides: { dialect: 'tools' },
    });
    expect(queries(rollout)).toEqual(['Old Wolf author', 'in which city was Victor Kerlund born']);
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true });
    const own = rollout.segments.filter(({ source }) => source === 'policy');
    const text = own.map((one) => one.text).join('');
    expect(text).toContain(
      family.write([{ name: 'search', query: 'Old Wolf author' }]).slice(0, 12),
    );
    // A turn ends as the family's models end it.
    for (const end of family.ends) expect(text).toContain(end);
    for (const { ids, text: spelt } of own) expect(tokenizer.decode(ids)).toBe(spelt);
  });
});

describe('a demonstration from supporting titles', () => {
  it('looks up what the question names first, then what a passage names', async () => {
    const rollout = await made({ ...QUESTION, supporting: ['Victor Kerlund', 'Old Wolf'] });
    expect(queries(rollout)).toEqual(['Old Wolf', 'Victor Kerlund']);
    expect(rollout.answer).toBe('Borfield');
  });

  it('makes no search for a page that an earlier search brought', async () => {
    const rollout = await made({
      ...QUESTION,
      text: 'Where was Victor Kerlund, of the Career of Victor Kerlund, born?',
      supporting: ['Victor Kerlund', 'Career of Victor Kerlund'],
    });
    expect(queries(rollout)).toEqual(['Victor Kerlund']);
  });
});

describe('a comparison', () => {
  const page = (title: string, text: string): Passage => ({
    id: title,
    title,
    text,
    sentences: [text],
  });
  const own = retrieverOver(
    [
      page('Old Wolf', 'Old Wolf is a 1931 French film by Victor Kerlund.'),
      page('New Fox (film)', 'New Fox is an American film of 1942. Maria Cordine made it.'),
      page(
        'Victor Kerlund',
        'Victor Kerlund (3 May 1904 – 1 June 1970) was a French maker of films.',
      ),
      page(
        'Maria Cordine',
        'Maria Cordine (2 April 1904 – 9 June 1961) was an American maker of films.',
      ),
    ],
    [],
  );
  const films = ['Old Wolf', 'New Fox (film)'];
  const makers = [...films, 'Victor Kerlund', 'Maria Cordine'];

  it.each([
    [
      'Which came out first, Old Wolf or New Fox?',
      films,
      'Old Wolf',
      ['Old Wolf: 1931', 'New Fox: 1942'],
    ],
    [
      'Whose maker was born earlier, Old Wolf or New Fox?',
      makers,
      'New Fox',
      ['Old Wolf: Victor Kerlund, 3 May 1904', 'New Fox: Maria Cordine, 2 April 1904'],
    ],
    [
      'Whose maker died later, Old Wolf or New Fox?',
      makers,
      'Old Wolf',
      ['Old Wolf: Victor Kerlund, 1 June 1970', 'New Fox: Maria Cordine, 9 June 1961'],
    ],
    [
      'Are Old Wolf and New Fox from the same country?',
      films,
      'no',
      ['Old Wolf: French', 'New Fox: American'],
    ],
  ])('%s is thought out from what is shown', async (text, supporting, answer, lines) => {
    const question = { id: 'c', text, supporting, answers: [answer] };
    const thought = thoughts(await made(question, { retriever: own })).at(-1);
    expect(thought).toContain(`${lines.join('; ')}. `);
  });

  it.each([
    ['Which came out first, Old Wolf or New Fox?', films, 'New Fox'],
    ['Are Old Wolf and New Fox from the same country?', films, 'yes'],
    ['Which is longer, Old Wolf or New Fox?', films, 'Old Wolf'],
  ])('%s has no reason that does not give its answer', async (text, supporting, answer) => {
    const question = { id: 'c', text, supporting, answers: [answer] };
    const thought = thoughts(await made(question, { retriever: own })).at(-1);
    expect(thought).not.toMatch(/19\d\d|French|American/);
  });
});

it('a search that brought nothing is made with other words, and no search twice', async () => {
  const asked: string[] = [];
  const counting: Retriever = {
    search: (source, query, k, signal) => {
      asked.push(query);
      return everything.search(source, query, k, signal);
    },
  };
  const [first, second] = CHAIN.chain ?? [];
  const lost = { ...second!, query: 'estdor group', relation: 'birth', subject: 'Victor Kerlund' };
  const rollout = await made({ ...CHAIN, chain: [first!, lost] }, { retriever: counting });
  expect(queries(rollout)).toEqual(['Old Wolf author', 'Victor Kerlund']);
  expect(asked).toEqual(['Old Wolf author', 'estdor group', 'Victor Kerlund']);
});

describe('a loop that shows a background first', () => {
  const background = { source: 'local' as const, k: 1 };

  it('is written from what the background shows, without STIE, whose answers no record keeps', async () => {
    const rollout = await made(CHAIN, { recipe: 'kunlun-baize', overrides: { background } });
    expect(rollout.segments.map(({ role }) => role)).toContain('background');
    expect(queries(rollout)).toEqual(['in which city was Victor Kerlund born']);
    expect(thoughts(rollout)).toEqual([
      'Victor Kerlund. Next, find out: in which city was Victor Kerlund born?',
      'Victor Kerlund; Borfield. So the answer is Borfield.',
    ]);
    expect(rollout.recipe.settings).toMatchObject({ stie: { mode: 'off' } });
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true, recall: 1 });
    for (const { role, mask } of rollout.segments) if (role === 'background') expect(mask).toBe(0);
  });

  it('reads nothing that the background was cut before', async () => {
    const retrieval = { passageTokens: 4 };
    const rollout = await demonstrate(CHAIN, {
      recipe: 'kunlun-baize',
      overrides: { background, retrieval },
    });
    expect(rollout).toEqual({ leftOut: 'not-shown' });
  });
});

describe('a question of which only the answer is known', () => {
  it('is searched for, then a name that was found, until a passage names the answer', async () => {
    const rollout = await made(BARE, { overrides: { retrieval: { k: 1 } } });
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: true, recall: null, searches: 2 });
    expect(queries(rollout)).toEqual([
      'In which city was the author of Old Wolf born',
      'Victor Kerlund city author born',
    ]);
    expect(thoughts(rollout)).toEqual([
      'First, find out: In which city was the author of Old Wolf born?',
      'Next, look up Victor Kerlund.',
      'So the answer is Borfield.',
    ]);
  });

  it('is answered at once where the first passages name the answer', async () => {
    const text = 'Where was Victor Kerlund born?';
    const rollout = await made({ ...BARE, text });
    expect(queries(rollout)).toEqual(['Where was Victor Kerlund born']);
  });

  it('is left out where two searches do not bring the answer, or the loop allows one', async () => {
    const away = await demonstrate({ ...BARE, answers: ['Paris'] });
    expect(away).toEqual({ leftOut: 'answer-not-shown' });
    const once = await demonstrate(BARE, { overrides: { retrieval: { k: 1, maxSearches: 1 } } });
    expect(once).toEqual({ leftOut: 'answer-not-shown' });
  });
});

describe('a question is left out', () => {
  const leftOut = async (question: Question, overrides: SettingsOverride = {}) => {
    const outcome = await demonstrate(question, { overrides });
    return 'leftOut' in outcome ? outcome.leftOut : null;
  };

  it.each<[string, Question, SettingsOverride]>([
    ['no-evidence', { ...BARE, answers: ['yes'] }, {}],
    ['no-evidence', { ...BARE, text: 'Is it Borfield or Mondria?' }, {}],
    ['not-knowable', { ...QUESTION, supporting: ['Old Wolf', 'Maria Cordine'] }, {}],
    ['not-retrieved', { ...QUESTION, text: 'Who is Ada, of Old Wolf?', supporting: ['Ada'] }, {}],
    ['too-many-searches', CHAIN, { retrieval: { maxSearches: 1 } }],
    ['not-shown', CHAIN, { retrieval: { passageTokens: 4 } }],
    ['answer-not-shown', { ...QUESTION, answers: ['Paris'] }, {}],
  ])('%s', async (reason, question, overrides) => {
    expect(await leftOut(question, overrides)).toBe(reason);
  });

  it('too-long', async () => {
    expect(await demonstrate(CHAIN, { maxTokens: 100 })).toEqual({ leftOut: 'too-long' });
  });
});

describe('recipes', () => {
  it('in whose loop nothing can be written are refused with the reason', () => {
    const of = (id: string, foreign = false): string | null => {
      const { settings, title } = getRecipe(id);
      return unwritable(settings, title, foreign);
    };
    expect(of('search')).toBeNull();
    expect(of('search-r1')).toBeNull();
    expect(of('kunlun-baize')).toBeNull();
    expect(of('kunlun-baize', true)).toMatch(/background.*--background off.*Choose another recipe/);
    expect(of('naive-rag')).toContain('not the search loop');
    expect(RECIPES.filter(({ id }) => of(id) === null).length).toBeGreaterThan(5);
  });
});
