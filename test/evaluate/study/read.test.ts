import { describe, expect, test } from 'vitest';
import { readStudy, StudyError } from '../../../src/evaluate/study/file/read.ts';
import { studyJson } from './study-file.ts';

const nothing = (): boolean => false;

const problemsOf = (
  json: unknown,
  exists: (path: string) => boolean = nothing,
): readonly string[] => {
  try {
    readStudy(typeof json === 'string' ? json : JSON.stringify(json), exists);
  } catch (error) {
    if (error instanceof StudyError) return error.problems;
    throw error;
  }
  return [];
};

const trained = { name: 'plain', recipe: 'search/grpo' };
const withArm = (arm: Record<string, unknown>): Record<string, unknown> =>
  studyJson({ arms: [trained, { name: 'other', ...arm }] });
const evaluate = { worlds: [{ seed: 9001 }], questions: 20 };
const train = { worlds: [{ seed: 11 }], seeds: [1], steps: 3 };

test('a world whose web holds the local corpus has a name and a source of its own', () => {
  const both = { ...evaluate, worlds: [{ seed: 9001 }, { seed: 9001, web: 'superset' }] };
  const { worlds } = readStudy(JSON.stringify(studyJson({ evaluate: both })), nothing);
  expect(worlds).toEqual([
    { name: 'seed9001', source: { kind: 'generated', seed: 9001 } },
    { name: 'seed9001-superset', source: { kind: 'generated', seed: 9001, web: 'superset' } },
  ]);
});

test('a file without mistakes gives arms with all of their settings', () => {
  const { arms, worlds, trainWorlds, file } = readStudy(JSON.stringify(studyJson()), nothing);
  expect(worlds.map(({ name }) => name)).toEqual(['seed9001', 'seed9002']);
  expect(trainWorlds.map(({ name }) => name)).toEqual(['seed11']);
  expect(arms.map(({ name, settings }) => [name, settings?.steps])).toEqual([
    ['plain', 3],
    ['more passages', 3],
    ['as it is', undefined],
  ]);
  expect(arms[1]?.settings?.overrides).toMatchObject({ retrieval: { k: 4 } });
  // Questions of the evaluation are sampled and routed alike, whatever an arm was trained with.
  for (const { evaluation } of arms)
    expect(evaluation).toMatchObject({
      sampling: { temperature: 0.3 },
      nlr: { routing: 'argmax' },
    });
  expect(file.interval).toEqual({ resamples: 2000, level: 0.95, seed: 0 });
});

test('settings lie over one another: recipe, train.settings, training of the arm', () => {
  const json = studyJson({
    train: { ...train, settings: { groupSize: 4, optimizer: { learningRate: 0.5 } } },
    arms: [trained, { name: 'other', recipe: 'search/grpo', training: { groupSize: 2, steps: 9 } }],
  });
  const { arms } = readStudy(JSON.stringify(json), nothing);
  expect(arms.map(({ settings }) => [settings?.groupSize, settings?.steps])).toEqual([
    [4, 3],
    [2, 9],
  ]);
  for (const { settings } of arms) {
    expect(settings?.optimizer.learningRate).toBe(0.5);
    expect(settings?.optimizer.warmUpSteps).toBe(5);
  }
});

test('shuffled switches the control on in that arm alone', () => {
  const { arms } = readStudy(
    JSON.stringify(withArm({ recipe: 'search/grpo', shuffled: true })),
    nothing,
  );
  expect(arms.map(({ settings }) => settings?.shuffleRewards)).toEqual([false, true]);
});

describe('claims of signatures', () => {
  const claim = {
    recipe: 'ircot',
    claim: 'It helps',
    number: 'em',
    arm: 'plain',
    expect: 'higher',
  };
  const saidOf = (change: Record<string, unknown>): readonly string[] =>
    problemsOf(studyJson({ signatures: [{ ...claim, ...change }] }));

  test('name arms and recipes that are there, and what they are compared with', () => {
    expect(saidOf({ against: 'more passages' })).toEqual([]);
    expect(saidOf({ fromStart: true, number: 'seen' })).toEqual([]);
    expect(saidOf({ against: 'more passages', recipe: 'speed-rl' })).toEqual([]);
    expect(saidOf({ than: 0.5, slice: { hops: [1] }, unlike: { hops: [2] } })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string | RegExp]>([
    [
      'unknown recipe',
      { than: 0, recipe: 'gpo' },
      /^signatures\.0: there is no recipe or switch "gpo"; did you mean gppo[^?]*\? There are \d+: “lab recipes” lists them$/,
    ],
    ['no signature', { than: 0, recipe: 'search' }, /states no signature/],
    ['unknown arm', { against: 'x' }, 'signatures.0: there is no arm "x"'],
    [
      'unknown arm of a slice',
      { than: 0, slice: { where: { arm: 'y', number: 'em', from: 1 } } },
      'signatures.0: there is no arm "y"',
    ],
    ['nothing to compare with', {}, /needs against, fromStart, than or unlike/],
    ['two things', { against: 'as it is', than: 0 }, /more than one of/],
    ['itself', { against: 'plain' }, /is compared with itself/],
    ['step 0 of what is not trained', { arm: 'as it is', fromStart: true }, /arm that is trained/],
    ['no margin', { than: 0, expect: 'equal' }, 'signatures.0: equal needs a margin'],
    ['a world', { than: 0, slice: { worlds: ['x'] } }, /there is no world "x" in evaluate/],
    ['no clock', { than: 0, number: 'latencyMs' }, /needs evaluate\.timed/],
    ['no reward', { than: 0, number: 'reward' }, /needs evaluate\.reward/],
    ['unknown number', { than: 0, number: 'speed' }, /signatures\.0\.number/],
  ])('%s', (_, change, said) => {
    expect(saidOf(change)).toEqual([
      typeof said === 'string' ? said : (expect.stringMatching(said) as string),
    ]);
  });

  test('a claim of a recipe stands once', () => {
    const own = { ...claim, than: 0 };
    expect(problemsOf(studyJson({ signatures: [own, own] }))).toEqual([
      'signatures.1: "It helps" of ircot is there twice',
    ]);
  });
});

describe('each problem is named', () => {
  test.each<[string, unknown, string | RegExp]>([
    ['no JSON', '{"format"', /^is not JSON: /],
    ['another format', studyJson({ format: 'forage.study/2' }), /^format: /],
    ['no question', studyJson({ question: ' ' }), /^question: /],
    ['a name that is no folder', studyJson({ name: '../x' }), /^name: must be letters/],
    ['an unknown key', studyJson({ seeds: [1] }), 'unknown setting "seeds"'],
    [
      'an unknown key below',
      studyJson({ evaluate: { ...evaluate, limit: 3 } }),
      'unknown setting "evaluate.limit"',
    ],
    [
      'an unknown recipe',
      withArm({ recipe: 'ppo' }),
      /^arm "other": unknown recipe "ppo"; did you mean search-r1\/ppo, .*\? There are \d+: “lab recipes” lists them$/,
    ],
    [
      'an unknown variant',
      withArm({ recipe: 'search-r1/sarsa' }),
      'arm "other": unknown variant "search-r1/sarsa"; of search-r1 there are grpo, ppo, as-released, ppo-as-released',
    ],
    [
      'a baseline that is to be trained',
      withArm({ recipe: 'naive-rag' }),
      'arm "other": recipe "naive-rag" has no training of its own; mark the arm as untrained, or name one that is trained',
    ],
    [
      'an unknown recipe, not trained',
      withArm({ recipe: 'serch', untrained: true }),
      /^arm "other": unknown recipe "serch" of an untrained arm; did you mean search\? There are \d+: “lab recipes” lists them$/,
    ],
    [
      'an unknown training setting',
      withArm({ recipe: 'search/grpo', training: { optimizer: { lr: 1 } } }),
      'arm "other": training: unknown setting "optimizer.lr"',
    ],
    [
      'a training setting out of range',
      withArm({ recipe: 'search/grpo', training: { groupSize: 0 } }),
      /^arm "other": training: groupSize: /,
    ],
    [
      'an unknown reward',
      withArm({ recipe: 'search/grpo', training: { stages: [{ steps: 1, reward: 'bleu' }] } }),
      /^arm "other": training: stages\.0\.reward: /,
    ],
    [
      'an unknown loop setting',
      withArm({ recipe: 'search/grpo', loop: { retrieval: { kk: 3 } } }),
      'arm "other": loop: unknown setting "retrieval.kk"',
    ],
    [
      'a loop setting out of range',
      withArm({ recipe: 'search', untrained: true, loop: { retrieval: { k: 0 } } }),
      /^arm "other": loop: retrieval\.k: /,
    ],
    [
      'a loop setting of the evaluation',
      studyJson({ evaluate: { ...evaluate, loop: { stie: { on: true } } }, arms: [trained] }),
      'arm "plain": loop: unknown setting "stie.on"',
    ],
    [
      'what no run may be trained with',
      withArm({ recipe: 'search/grpo', training: { overrides: { sampling: { topK: 5 } } } }),
      /^arm "other": training: Training with top-k 5 is refused/,
    ],
    [
      'a router that is never asked',
      withArm({ recipe: 'search/grpo', training: { router: { train: 'beside' } } }),
      /^arm "other": training: router\.train: recipe 'search' does not ask the router/,
    ],
    [
      'a training of an arm that has none',
      withArm({ recipe: 'search', untrained: true, training: { steps: 4 } }),
      'arm "other": it is untrained, and has training; leave one out',
    ],
    [
      'shuffled rewards without training',
      withArm({ recipe: 'search', untrained: true, shuffled: true }),
      'arm "other": it is untrained, and has shuffled; leave one out',
    ],
    [
      'a trained arm without train',
      studyJson({ train: undefined, arms: [trained] }),
      'arm "plain": it is trained; the file needs train, or untrained here',
    ],
    [
      'train without a trained arm',
      studyJson({ arms: [{ name: 'plain', recipe: 'search', untrained: true }] }),
      'train: no arm is trained; leave it out',
    ],
    [
      'an arm twice by name',
      studyJson({ arms: [trained, { ...trained, loop: { retrieval: { k: 3 } } }] }),
      'arm "plain": is there twice',
    ],
    [
      'an arm twice by settings',
      withArm({ recipe: 'search', training: { groupSize: 8 } }),
      'arm "other": has the very settings of "plain"',
    ],
    [
      'a reference that is no arm',
      studyJson({ reference: 'whole' }),
      'reference: there is no arm "whole"',
    ],
    [
      'a seed twice',
      studyJson({ train: { ...train, seeds: [1, 2, 1] } }),
      'train.seeds: 1 is there twice',
    ],
    [
      'a world twice',
      studyJson({
        evaluate: {
          ...evaluate,
          worlds: [{ seed: 1 }, { name: 'b', seed: 1 }],
        },
      }),
      'evaluate.worlds.1: is there twice',
    ],
    [
      'a name for two worlds',
      studyJson({
        evaluate: { ...evaluate, worlds: [{ name: 'seed11', seed: 12 }] },
      }),
      'the name "seed11" stands for one world in train and another in evaluate',
    ],
    [
      'a world that is nothing',
      studyJson({ evaluate: { ...evaluate, worlds: [{ name: 'a' }] } }),
      'evaluate.worlds.0: must name one of seed, folder, or corpus and questions',
    ],
    [
      'a summarizer that nothing asks',
      withArm({ recipe: 'search/grpo', summarizer: 'oracle' }),
      'arm "other": summarizer has no effect, since retrieval.summarize is off; leave it out',
    ],
    [
      'a kind of web of a folder',
      studyJson({ evaluate: { ...evaluate, worlds: [{ folder: 'w', web: 'superset' }] } }),
      'evaluate.worlds.0: web needs seed',
    ],
    [
      'a missing folder',
      studyJson({ evaluate: { ...evaluate, worlds: [{ folder: 'w' }] } }),
      'evaluate.worlds.0: w is not a world folder: manifest.json is missing',
    ],
    [
      'a missing corpus',
      studyJson({
        evaluate: { ...evaluate, worlds: [{ corpus: ['c.jsonl'], questions: 'q.jsonl' }] },
      }),
      'evaluate.worlds.0: c.jsonl is missing',
    ],
    [
      'a corpus without questions',
      studyJson({ evaluate: { ...evaluate, worlds: [{ corpus: ['c.jsonl'] }] } }),
      'evaluate.worlds.0: corpus and questions belong together',
    ],
    [
      'an unknown method',
      studyJson({
        evaluate: { ...evaluate, worlds: [{ corpus: ['c'], questions: 'q', method: 'psychic' }] },
      }),
      /^evaluate\.worlds\.0: there is no method "psychic"; there are /,
    ],
    [
      'a missing policy',
      studyJson({ policy: 'p' }),
      'policy: p is not a GGUF file or a checkpoint folder: config.json is missing',
    ],
    ['a missing GGUF file', studyJson({ policy: 'm.gguf' }), 'policy: m.gguf is missing'],
    [
      'a missing adapter',
      withArm({ recipe: 'search', untrained: true, adapter: 'a' }),
      `arm "other": a is not an adapter's folder: adapter_config.json is missing`,
    ],
    [
      'an adapter of an arm that is trained',
      withArm({ recipe: 'search/grpo', adapter: 'a' }),
      'arm "other": it is trained, and has adapter; only an untrained arm can have one',
    ],
    [
      'missing demonstrations',
      withArm({
        recipe: 'search/grpo',
        demonstrations: 'd.jsonl',
        training: {
          warmUp: { length: { updates: 1 }, batch: 1, learningRate: 1, onlyCorrect: true },
        },
      }),
      'arm "other": d.jsonl is missing',
    ],
    [
      'a number that needs clocks',
      studyJson({ numbers: ['em', 'latencyMs'] }),
      'numbers: latencyMs needs evaluate.timed, questions asked one at a time',
    ],
    [
      'a number that needs a reward',
      studyJson({ numbers: ['reward'] }),
      'numbers: reward needs evaluate.reward, which all arms are scored by',
    ],
    [
      'a reward that is none',
      studyJson({ evaluate: { ...evaluate, reward: { id: 'bleu' } } }),
      'evaluate.reward: unknown reward "bleu"',
    ],
    [
      'more timed than asked',
      studyJson({ evaluate: { ...evaluate, timed: 21 } }),
      'evaluate.timed: 21 of 20 questions cannot be timed',
    ],
    ['an unknown number', studyJson({ numbers: ['bleu'] }), /^numbers\.0: /],
  ])('%s', (_, json, problem) => {
    const problems = problemsOf(json);
    const match = (line: string): boolean =>
      typeof problem === 'string' ? line === problem : problem.test(line);
    expect(problems.filter(match), problems.join('\n')).toHaveLength(1);
  });

  test('and all of them at once, numbered in one line', () => {
    const json = studyJson({
      reference: 'whole',
      policy: 'p',
      arms: [
        trained,
        { name: 'a', recipe: 'ppo' },
        { name: 'b', recipe: 'search/grpo', training: { x: 1, y: 2 } },
      ],
    });
    expect(problemsOf(json)).toHaveLength(5);
    expect(() => readStudy(JSON.stringify(json), nothing)).toThrow(
      /^5 problems: \(1\) policy: .*; \(2\) arm "a": .*; \(3\) .*"x"; \(4\) .*"y"; \(5\) reference: /,
    );
  });
});

test('files that are there are no problem', () => {
  const worlds = [{ folder: 'w' }, { corpus: ['c'], questions: 'q', method: 'lexical' }];
  const json = studyJson({ policy: 'p', evaluate: { ...evaluate, worlds } });
  const there = ['p/config.json', 'w/manifest.json', 'c', 'q'];
  expect(problemsOf(json, (path) => there.includes(path))).toEqual([]);
});

test('the model may be a GGUF file, and an untrained arm may have an adapter', () => {
  const arm = { name: 'stored', recipe: 'search', untrained: true, adapter: 'a' };
  const there = (path: string): boolean => ['m.gguf', 'a/adapter_config.json'].includes(path);
  const { arms } = readStudy(
    JSON.stringify(studyJson({ policy: 'm.gguf', arms: [trained, arm], reference: 'plain' })),
    there,
  );
  expect(arms.map(({ adapter }) => adapter)).toEqual([null, 'a']);
});
