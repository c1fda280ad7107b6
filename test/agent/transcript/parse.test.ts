import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolParser, type Parsed } from '../../../src/agent/transcript/parse.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { contextText, eventsOf, faultsOf, QUESTION, run, stopReason } from '../helpers.ts';
import { idsOf } from '../scripted-policy.ts';
import { tokenizer } from '../tokenizer.ts';

const tags = readTags(tokenizer);
const parse = (text: string): Parsed[] => {
  const parser = new ProtocolParser(tags, (ids) => tokenizer.decode(ids));
  return idsOf(text).flatMap((id) => parser.feed(id).parsed);
};
const faults = (text: string): string[] =>
  parse(text).flatMap((step) => (step.type === 'fault' ? [step.message] : []));
const closed = (text: string): [string, string, boolean][] =>
  parse(text).flatMap((step) =>
    step.type === 'closed' ? [[step.kind, step.inner, step.usable]] : [],
  );

/** Which segments begin after an answer block that the environment opened. */
const starts = (text: string): (string | null)[] => {
  const parser = new ProtocolParser(tags, (ids) => tokenizer.decode(ids));
  parser.force('short_answer', []);
  return idsOf(text).map((id) => parser.feed(id).starts);
};

describe('the protocol parser', () => {
  it('reads blocks without a fault', () => {
    const text = '<think> a b</think><search> q</search>';
    expect(faults(text)).toEqual([]);
    expect(closed(text)).toEqual([
      ['think', ' a b', true],
      ['search', ' q', true],
    ]);
  });

  it.each([
    ['<think> a <search> q</search>', '<search> inside <think>'],
    ['<think> a</search>', '<think> closed by </search>'],
    ['</think>', '</think> without its opening tag'],
    ['<think> a</think> words', 'text between blocks'],
    ['<think> a<|endoftext|>', '<think> is not closed'],
    ['<result>', 'the policy wrote <result>, which only the environment may write'],
    ['<think> a<hint>', 'the policy wrote <hint> inside <think>'],
    ['<search> q</search>', '<search> without a thought before it'],
  ])('%s is a fault in words', (text, message) => {
    expect(faults(text)).toContain(message);
  });

  it('lets white space stand between blocks', () => {
    expect(faults('<think> a</think>\n <search> q</search>')).toEqual([]);
  });

  it('uses a search that another search tag closed, and no other block', () => {
    const think = '<think> a</think>';
    expect(closed(`${think}<search> q</web_search>`)[1]).toEqual(
      ['search', ' q', true].with(2, true),
    );
    expect(closed(`${think}<search> q</think>`)[1]).toEqual(['search', ' q', false]);
  });

  it('asks for a new thought once the environment has spoken', () => {
    const parser = new ProtocolParser(tags, (ids) => tokenizer.decode(ids));
    const feed = (text: string): Parsed[] => idsOf(text).flatMap((id) => parser.feed(id).parsed);
    expect(feed('<think> a</think>').some((p) => p.type === 'fault')).toBe(false);
    parser.environmentSpoke();
    expect(feed('<search> q</search>').some((p) => p.type === 'fault')).toBe(true);
  });

  it('begins one segment behind what the environment opened, whatever comes first', () => {
    expect(starts(' X }</short_answer>').filter(Boolean)).toEqual(['short_answer']);
    expect(starts('<think> a b').filter(Boolean)).toEqual(['think']);
    expect(starts('<hint>')).toEqual(['short_answer']);
  });

  it('does not take a tag spelt in ordinary pieces for a tag', () => {
    const parser = new ProtocolParser(tags, (ids) => tokenizer.decode(ids));
    const parsed = [
      ...idsOf('<think>'),
      ...tokenizer.encodeText(' </think><search> x </search>'),
    ].flatMap((id) => parser.feed(id).parsed);
    expect(parsed).toEqual([{ type: 'opened', kind: 'think' }]);
  });

  it('never throws, whatever the ids, and puts every token in one segment', () => {
    const id = fc.oneof(fc.integer({ min: 0, max: 21 }), fc.integer({ min: 22, max: 2047 }));
    fc.assert(
      fc.property(fc.array(id, { maxLength: 80 }), (ids) => {
        const parser = new ProtocolParser(tags, (some) => tokenizer.decode(some));
        let open = false;
        for (const token of ids) {
          const step = parser.feed(token);
          if (step.starts) open = true;
          expect(open).toBe(true);
          if (step.ends) open = false;
        }
      }),
    );
  });
});

describe('malformed output in the loop', () => {
  it.each([
    ['an empty search', '<think> a</think><search></search>', 'the search is empty'],
    [
      'an answer without a box',
      '<think> a</think><short_answer> X</short_answer>',
      'the answer holds no box',
    ],
    [
      'an empty box',
      '<think> a</think><short_answer> \\boxed{ }</short_answer>',
      'the box in the answer is empty',
    ],
    [
      'a box that is not closed',
      '<think> a</think><short_answer> \\boxed{ X</short_answer>',
      'the box in the answer is not closed',
    ],
  ])('%s is an event', async (_, text, message) => {
    const { rollout } = await run({ main: [text] });
    expect(faultsOf(rollout)).toContain(message);
    expect(rollout.metrics?.formatValid).toBe(false);
  });

  it('goes on after a fault and still takes the answer', async () => {
    const main = [
      'stray <think> a <think> b</think><search> author of Old Wolf</search>',
      '<think> c</think><result>',
      '<think> d</think><short_answer> \\boxed{ Borfield }</short_answer>',
    ];
    const { rollout } = await run({ main });
    expect(faultsOf(rollout)).toEqual([
      'text between blocks',
      '<think> inside <think>',
      'the policy wrote <result>, which only the environment may write',
    ]);
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics).toMatchObject({ em: 1, formatValid: false });
  });

  it('treats a result that the policy invents as its own text, in the loss too', async () => {
    const main = ['<think> a</think><result>', ' Fake : text<result>', '</result>', '</result>'];
    const { rollout } = await run({ main });
    const invented = rollout.segments.filter((s) => s.text.includes('result'));
    expect(invented.length).toBeGreaterThan(0);
    expect(invented.every((s) => s.source === 'policy' && s.mask === 1)).toBe(true);
    expect(stopReason(rollout)).toBe('malformed');
  });

  it('stops after too many faults', async () => {
    const { rollout } = await run({ main: Array.from({ length: 9 }, () => '</think></search>') });
    expect(stopReason(rollout)).toBe('malformed');
    expect(rollout.answer).toBeNull();
  });

  it('keeps the answer of a block that the end of text cut off, as a fault', async () => {
    const main = ['<think> a</think><short_answer> \\boxed{ Borfield }<|endoftext|>'];
    const { rollout } = await run({ main });
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics?.formatValid).toBe(false);
  });

  it('counts what the end of text cut off as no answer where it has no whole box', async () => {
    for (const cut of ['Borfield', '\\boxed{ Borfield']) {
      const { rollout } = await run({
        main: [`<think> a</think><short_answer> ${cut}<|endoftext|>`],
      });
      expect(rollout.answer).toBeNull();
      expect(stopReason(rollout)).toBe('end-of-text');
    }
  });

  it('takes the whole answer behind one that another tag cut off', async () => {
    const block = '<short_answer> \\boxed{ Borfield }</short_answer>';
    const { rollout } = await run({ main: [`<think> a</think><short_answer> x ${block}`] });
    expect(rollout.answer).toBe('Borfield');
  });

  it('an end without an answer stops the rollout', async () => {
    const { rollout } = await run({ main: ['<think> a</think><|endoftext|>'] });
    expect(stopReason(rollout)).toBe('end-of-text');
    expect(eventsOf(rollout, 'answer')).toEqual([]);
  });

  it('any sampled text ends in a record that holds, in every recipe', async () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 21 }) },
      { weight: 2, arbitrary: fc.integer({ min: 22, max: 2047 }) },
    );
    const text = fc.array(piece, { maxLength: 30 }).map((ids) => tokenizer.decode(ids));
    const recipe = fc.constantFrom('kunlun-baize', 'search', 'naive-rag', 'naive-generation');
    const mode = fc.constantFrom<'off' | 'shown'>('off', 'shown');
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 5 }),
        recipe,
        mode,
        fc.integer({ min: 100, max: 500 }),
        async (main, id, background, maxContext) => {
          const probes = main.map((probe) => [{ text: probe, logprob: -1 }]);
          const script = {
            main,
            probes,
            maxContext,
            ...(background === 'shown' ? { thought: main[0] ?? '' } : {}),
          };
          const { rollout } = await run(script, {
            recipe: id,
            overrides: { background: { mode: background } },
            question: QUESTION,
          });
          expect(contextText(rollout)).toContain('<question>');
        },
      ),
      { numRuns: 60 },
    );
  });
});
