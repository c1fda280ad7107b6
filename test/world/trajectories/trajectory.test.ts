import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HINTS, SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';
import { isHeldOut } from '../../../src/world/questions/compositions.ts';
import { DEFAULT_MIX } from '../../../src/world/trajectories/demonstrate.ts';
import { RELATIONS } from '../../../src/world/facts/relations.ts';
import { copySpans, ordinaryTokens, spansRng } from '../../../src/world/trajectories/spans.ts';
import { trajectoryStream } from '../../../src/world/trajectories/stream.ts';
import { tokenizeTrajectory, type Trajectory } from '../../../src/world/trajectories/trajectory.ts';

const read = (name: string) =>
  z
    .looseObject({})
    .parse(
      JSON.parse(
        readFileSync(new URL(`../../../public/first-form/policy/${name}`, import.meta.url), 'utf8'),
      ),
    );
const tokenizer = new HuggingFaceTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));

const stream = trajectoryStream(11);
const some: Trajectory[] = Array.from({ length: 1200 }, () => stream.next());
/** The context as text, tags written out. */
const trajectoryText = (trajectory: Pick<Trajectory, 'segments'>): string =>
  trajectory.segments.map((s) => `${s.open ?? ''}${s.text}${s.close ?? ''}`).join('');
const answerOf = (t: Trajectory) => /\\boxed\{ (.*?) \}/.exec(trajectoryText(t))?.[1] ?? '';
/** What the policy could read before segment `i`. */
const readBefore = (t: Trajectory, i: number) =>
  t.segments
    .slice(0, i)
    .filter((s) => s.source !== 'policy')
    .map((s) => s.text)
    .join('\n');

describe('trajectories', () => {
  it('follow the protocol', () => {
    const think = '<think>[^<]+</think>';
    const answer =
      '(<short_answer> \\\\boxed\\{ [^<{}]+ \\}</short_answer>|<long_answer>[^<]+ \\\\boxed\\{ [^<{}]+ \\}</long_answer>)';
    const agentic = new RegExp(
      `^(<background>[^<]+</background>)?<question>[^<]+</question>` +
        `(${think}<search>[^<]*</search>(<result>[^<]+</result>|<hint>[^<]+</hint>))*(${think})?` +
        `${answer}<\\|endoftext\\|>$`,
    );
    const naive = new RegExp(
      `^<question>[^<]+</question><result>[^<]+</result>${answer}<\\|endoftext\\|>$`,
    );
    for (const t of some)
      expect(trajectoryText(t)).toMatch(t.kind === 'naive-rag' ? naive : agentic);
  });

  it('can be solved by reading: the answer stood in what the environment showed', () => {
    for (const t of some) {
      const answer = answerOf(t);
      const said = t.segments.findIndex((s) => s.role === 'answer');
      if (answer === 'yes' || answer === 'no') continue;
      expect(readBefore(t, said)).toContain(` ${answer}`);
    }
  });

  it('copy every query and finding from what was read before', () => {
    const known = new Set(
      RELATIONS.flatMap((r) => r.label.split(' ')).concat(
        'of are is next not found try again done plan same common earlier later shorter longer'.split(
          ' ',
        ),
        'yes no films directed starring by winners alumni books'.split(' '),
      ),
    );
    for (const t of some)
      t.segments.forEach((s, i) => {
        if ((s.role !== 'think' && s.role !== 'search') || s.mistake) return;
        const before = readBefore(t, i);
        for (const word of s.text.match(/[\p{L}\p{N}]+/gu) ?? [])
          if (!known.has(word)) expect(before).toContain(word);
      });
  });

  it('show gold and noisy ones about 1:1, and every kind of trouble', () => {
    const share = (part: string) => some.filter((t) => t.kind.includes(part)).length / some.length;
    const whole = some.filter((t) => t.kind !== 'naive-rag');
    const gold = whole.filter((t) => t.kind.endsWith('gold')).length / whole.length;
    expect(gold).toBeGreaterThan(0.42);
    expect(gold).toBeLessThan(0.62);
    for (const trouble of Object.keys(DEFAULT_MIX.troubles))
      expect(share(trouble)).toBeGreaterThan(0);
    expect(share('background')).toBeGreaterThan(0.15);
    expect(share('naive-rag')).toBeGreaterThan(0.02);
    expect(share('background-2')).toBeGreaterThan(0);
  });

  it('never train a held-out composition', () => {
    for (const t of some) expect(isHeldOut(t.composition)).toBe(false);
  });

  it('follow the clean passage where a stale one contradicts it', () => {
    const stale = some.filter((t) => /outdated|unverified|disputed/.test(trajectoryText(t)));
    expect(stale.length).toBeGreaterThan(100);
    for (const t of stale) {
      const clean = t.segments
        .filter((s) => s.role === 'result' || s.role === 'background')
        .flatMap((s) => s.text.split('\n'))
        .filter((l) => !/outdated|since corrected|no longer|unverified|rumor|disputed/.test(l))
        .join('\n');
      const answer = answerOf(t);
      if (answer !== 'yes' && answer !== 'no')
        expect(clean + t.segments[0]?.text + t.segments[1]?.text).toContain(answer);
    }
  });

  it('use the hints of the protocol', () => {
    const hints = new Set(
      some.flatMap((t) => t.segments.filter((s) => s.role === 'hint').map((s) => s.text.trim())),
    );
    expect(hints).toEqual(new Set(Object.values(HINTS)));
  });
});

describe('tokens', () => {
  it('decode to the text, with a mask of 1 exactly on what the policy rightly wrote', () => {
    for (const t of some.slice(0, 300)) {
      const { ids, mask } = tokenizeTrajectory(tokenizer, t);
      expect(mask.length).toBe(ids.length);
      expect(tokenizer.decode(ids)).toBe(trajectoryText(t));
      const written = t.segments
        .filter((s) => s.source === 'policy' && !s.mistake)
        .map((s) => `${s.open ?? ''}${s.text}${s.close ?? ''}`)
        .join('');
      expect(tokenizer.decode(ids.filter((_, i) => mask[i] === 1))).toBe(written);
      expect(ids.at(-1)).toBe(tokenizer.endOfText);
      expect(mask.at(-1)).toBe(1);
    }
  });

  it('fit the context of the built-in policy', () => {
    const lengths = some.map((t) => tokenizeTrajectory(tokenizer, t).ids.length);
    expect(Math.max(...lengths)).toBeLessThan(800);
    expect(lengths.reduce((a, b) => a + b, 0) / lengths.length).toBeLessThan(330);
  });

  it('name the tag that a tokenizer lacks', () => {
    const none = { encodeText: () => [], specialId: () => undefined };
    expect(() => tokenizeTrajectory(none, some[0]!)).toThrow('<');
  });
});

describe('a stream', () => {
  it('is the same from its seed, and goes on from its state', () => {
    const a = trajectoryStream(5);
    const first = Array.from({ length: 20 }, () => a.nextExample(tokenizer));
    const state = z
      .object({ seed: z.number(), index: z.number() })
      .parse(JSON.parse(JSON.stringify(a.state)));
    const after = a.nextExample(tokenizer);
    const b = trajectoryStream(5);
    expect(Array.from({ length: 20 }, () => b.nextExample(tokenizer))).toEqual(first);
    expect(trajectoryStream(state.seed, {}, state.index).nextExample(tokenizer)).toEqual(after);
    expect(trajectoryStream(6).nextExample(tokenizer)).not.toEqual(first[0]);
  });

  it('obeys its options', () => {
    const plain = trajectoryStream(1, {
      hops: { '1': 0, '2': 1, '3': 0, '4': 0 },
      mix: { ...DEFAULT_MIX, noisy: 0, background: 0, naiveRag: 0 },
    });
    for (let i = 0; i < 60; i++) {
      const t = plain.next();
      expect([t.kind, t.hops]).toEqual(['gold', 2]);
    }
  });

  it('draws fresh worlds: names hardly repeat between far examples', () => {
    const questions = Array.from({ length: 40 }, (_, i) => trajectoryStream(2).at(i * 60));
    expect(new Set(questions.map(trajectoryText)).size).toBe(40);
  });
});

describe('copy spans', () => {
  it('train only tokens that repeat an earlier span', () => {
    const tokens = ordinaryTokens(tokenizer.vocabSize, SPECIAL_TOKENS.length);
    expect(tokens.length).toBe(2048 - 22);
    for (let n = 0; n < 20; n++) {
      const { ids, mask } = copySpans(spansRng(1, n), tokens, 256);
      expect(ids.length).toBe(256);
      expect(Math.min(...ids)).toBeGreaterThanOrEqual(SPECIAL_TOKENS.length);
      ids.forEach((id, i) => {
        if (mask[i] !== 1) return;
        const before = ids.slice(0, i - 1).some((x, j) => x === ids[i - 1] && ids[j + 1] === id);
        expect(before).toBe(true);
      });
      expect(mask.filter((m) => m === 1).length).toBeGreaterThan(60);
    }
    expect(copySpans(spansRng(1, 0), tokens, 64)).toEqual(copySpans(spansRng(1, 0), tokens, 64));
  });
});
