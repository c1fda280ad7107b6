import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HuggingFaceTokenizer } from '../../../../src/policy/open/tokenizer.ts';
import { FORM_BLOCKS } from '../../../../src/records/form-line.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../../../src/records/protocol.ts';
import { isHeldOut } from '../../../../src/world/questions/compositions.ts';
import { DemonstrationStream } from '../../../../src/world/second/demonstrations/stream.ts';
import {
  tokenizeTrajectory,
  type Trajectory,
} from '../../../../src/world/trajectories/trajectory.ts';

const read = (name: string) =>
  z
    .looseObject({})
    .parse(
      JSON.parse(
        readFileSync(new URL(`../../../../public/policy/${name}`, import.meta.url), 'utf8'),
      ),
    );
const tokenizer = new HuggingFaceTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));

const stream = new DemonstrationStream(11);
const some: Trajectory[] = Array.from({ length: 600 }, (_, i) => stream.at(i));

const textOf = (t: Trajectory): string =>
  t.segments.map((s) => `${s.open ?? ''}${s.text}${s.close ?? ''}`).join('');
const formOf = (t: Trajectory): string[] => (t.segments[0]?.text.trim() ?? '').split(' , ');
const answerOf = (t: Trajectory): string => /\\boxed\{ (.*?) \}/.exec(textOf(t))?.[1] ?? '';
/** What the policy could read before segment `i`. */
const readBefore = (t: Trajectory, i: number): string =>
  t.segments
    .slice(0, i)
    .filter((s) => s.source !== 'policy')
    .map((s) => s.text)
    .join('\n');

describe('demonstrations of the second form', () => {
  it('open with their form and hold no block that it does not name', () => {
    for (const t of some) {
      expect(t.segments[0]?.open).toBe('<form>');
      const form = formOf(t);
      const opened = t.segments.map((s) => (s.open ?? '').replace(/[<>]/g, ''));
      for (const block of FORM_BLOCKS)
        if (!form.includes(block)) expect(opened).not.toContain(block);
      if (!form.includes('search'))
        expect(opened.filter((name) => name.endsWith('search'))).toEqual([]);
      if (!form.includes('sources')) expect(textOf(t)).not.toMatch(/<(local|web)_search>/);
      expect(opened.includes('background')).toBe(form.includes('background'));
    }
  });

  it('end in the answer, behind which nothing stands', () => {
    for (const t of some) expect(textOf(t)).toMatch(/<\/(short|long)_answer><\|endoftext\|>$/);
  });

  it('state nothing that was not read: every name and year of a thought stood in front of it', () => {
    // Sums, counts and what the reader says of himself stand in no passage.
    const own =
      /^(next|plan|done|not|only|newest|look|see|difference|sum|count|same|before|asked)\b/;
    let checked = 0;
    for (const t of some)
      for (const [i, s] of t.segments.entries()) {
        if (s.open !== '<think>' || s.mistake) continue;
        const known = `${readBefore(t, i)} ${s.text.split(' . ')[0]}`;
        for (const said of s.text.trim().split(' . ')) {
          const value = /^[a-z ]+? is ([A-Z][^,]*|\d{4})$/.exec(said)?.[1];
          if (own.test(said) || value === undefined) continue;
          expect(known).toContain(value);
          checked++;
        }
      }
    expect(checked).toBeGreaterThan(400);
  });

  it('reckon rightly', () => {
    let sums = 0;
    for (const t of some)
      for (const s of t.segments) {
        if (s.source !== 'policy') continue;
        for (const [, a, sign, b, c] of s.text.matchAll(/(\d+) ([-+]|to) (\d+) is (\d+)/g)) {
          const [x, y] = [Number(a), Number(b)];
          expect(Number(c)).toBe(sign === '+' ? x + y : sign === '-' ? x - y : y - x);
          sums++;
        }
      }
    expect(sums).toBeGreaterThan(30);
  });

  it('conclude what they answer where a number is worked out', () => {
    for (const t of some) {
      const verdict = [...textOf(t).matchAll(/(?:difference|sum|count|same) is (\S+)/g)].at(
        -1,
      )?.[1];
      if (/^(arithmetic|counting|yesno)/.test(t.kind) && verdict !== undefined)
        expect(answerOf(t)).toBe(verdict);
    }
  });

  it('refuse only what cannot be answered', () => {
    for (const t of some)
      expect(answerOf(t) === 'cannot be answered').toBe(t.kind.startsWith('unanswerable'));
  });

  it('ask only where a form lets them and two are meant, and name who was meant from there on', () => {
    const asked = some.filter((t) => t.segments.some((s) => s.open === '<ask>'));
    expect(asked.length).toBeGreaterThan(2);
    for (const t of asked) {
      expect(t.kind).toBe('underspecified-search');
      expect(t.segments.find((s) => s.open === '<reply>')?.text).toMatch(/\((born )?\d{4}\)$/);
    }
  });

  it('teach no composition that tests hold out', () => {
    for (const t of some) expect(isHeldOut(t.composition)).toBe(false);
  });

  it('train the policy on its own words alone', () => {
    for (const t of some.slice(0, 100)) {
      const { ids, mask } = tokenizeTrajectory(tokenizer, t);
      let at = 0;
      for (const s of t.segments) {
        const length =
          tokenizer.encodeText(s.text).length +
          Number(s.open !== undefined) +
          Number(s.close !== undefined);
        const part = mask.slice(at, at + length);
        const taught = s.source === 'policy' && !s.mistake;
        expect(part.every((m) => m === Number(taught))).toBe(true);
        at += length;
      }
      expect(at).toBe(ids.length);
    }
  });

  it('are the same from the same number, whatever was drawn before', () => {
    const again = new DemonstrationStream(11);
    expect(textOf(again.at(17))).toBe(
      textOf(some[17] ?? { segments: [], kind: '', hops: 0, composition: '' }),
    );
    expect(textOf(new DemonstrationStream(12).at(17))).not.toBe(textOf(again.at(17)));
  });
});

describe('the tokenizer of the policy in training', () => {
  it('has every tag as one token, those of the first checkpoint in front', () => {
    const tags = [...SPECIAL_TOKENS, ...FURTHER_TOKENS];
    expect(tags.map((tag) => tokenizer.specialId(tag))).toEqual(tags.map((_, i) => i));
  });
});
