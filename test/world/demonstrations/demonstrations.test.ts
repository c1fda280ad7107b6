import { describe, expect, it } from 'vitest';
import { policyTokenizer as tokenizer } from '../../agent/tokenizer.ts';
import { FORM_BLOCKS } from '../../../src/records/form-line.ts';
import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import { isHeldOut } from '../../../src/world/questions/compositions.ts';
import { DemonstrationStream } from '../../../src/world/demonstrations/stream.ts';
import {
  tokenizeTrajectory,
  type Trajectory,
} from '../../../src/world/demonstrations/trajectory.ts';

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

describe('demonstrations', () => {
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

  it('show every block that a form may name, both sources and answers, and what the environment adds', () => {
    const shown = new Set(
      some.flatMap((t) => t.segments.map((s) => `${s.source} ${s.open ?? ''}`)),
    );
    const written = [
      'think',
      'search',
      'local_search',
      'web_search',
      'short_answer',
      'long_answer',
    ];
    for (const block of [...written, ...FORM_BLOCKS]) expect(shown).toContain(`policy <${block}>`);
    for (const added of ['result', 'background', 'hint', 'reply'])
      expect(shown).toContain(`environment <${added}>`);
    const lines = new Set(some.flatMap(formOf));
    for (const part of ['search', 'read', 'think', 'background', 'sources', 'summaries'])
      expect(lines).toContain(part);
    expect(some.map(answerOf)).toContain('cannot be answered');
  });

  it('end in the answer, behind which nothing stands', () => {
    for (const t of some) expect(textOf(t)).toMatch(/<\/(short|long)_answer><\|endoftext\|>$/);
  });

  it('state nothing that was not read: every name and year of a thought stood in front of it', () => {
    // Sums, counts and what the reader says of himself are in no passage.
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

  it('answer STIE after a result: early by something that was shown, and each time another', () => {
    const early: string[] = [];
    let late = 0;
    for (const t of Array.from({ length: 1200 }, (_, i) => stream.at(i))) {
      const at = t.segments.findIndex(
        (s) => s.source === 'environment' && s.open === '<short_answer>',
      );
      if (t.segments[at - 1]?.open !== '<result>' || formOf(t).join() !== 'search') continue;
      if (!t.kind.startsWith('bridge')) continue;
      const given = (t.segments[at + 1]?.text ?? '').replace(' }', '').trim();
      expect(readBefore(t, at)).toContain(given);
      const thoughts = t.segments.filter((s) => s.open === '<think>').map((s) => s.text);
      const steps = (thoughts[0] ?? '').split(' , ').length;
      const read = thoughts.slice(1).filter((text) => / is .* next /.test(text)).length;
      if (read + 1 < steps) early.push(given);
      else late++;
    }
    expect(late).toBeGreaterThan(4);
    expect(early.length).toBeGreaterThan(4);
    expect(new Set(early).size).toBeGreaterThan(early.length / 2);
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

describe('exercises in reading', () => {
  const readings = Array.from({ length: 1500 }, (_, i) => stream.reading(i));
  const lastOf = (t: Trajectory): string => t.segments.at(-1)?.text.trim() ?? '';
  const linesOf = (t: Trajectory): string[] => (t.segments.at(-2)?.text ?? '').trim().split('\n');
  /** What is asked, and of what name. */
  const askedOf = (t: Trajectory): readonly [string, string] => {
    const query = t.segments.find((s) => s.open === '<search>')?.text.trim() ?? '';
    const [, what = '', name = ''] = /^(.*?) of (.*?)(?: \(.*\))?$/.exec(query) ?? [];
    return [what, name];
  };
  const lacking = readings.filter((t) => lastOf(t).startsWith('not found'));

  it('end with what is thought of the first result, and teach that alone', () => {
    for (const t of readings) {
      expect(t.segments.at(-2)?.open).toBe('<result>');
      expect(t.segments.filter((s) => s.open === '<result>')).toHaveLength(1);
      const taught = t.segments.filter((s) => s.source === 'policy' && !s.mistake);
      expect(taught).toEqual([t.segments.at(-1)]);
      expect(taught[0]?.open).toBe('<think>');
    }
  });

  it('find only what a passage says of the name that was asked for', () => {
    let found = 0;
    for (const t of readings) {
      const [what, name] = askedOf(t);
      const [first = ''] = lastOf(t).split(' . ');
      if (what === '' || !first.startsWith(`${what} is `)) continue;
      const value = first.slice(`${what} is `.length).replace(/ \(born \d+\)$/, '');
      const lines = linesOf(t);
      // A page under the other name that a line gives is one on the same.
      const says = lines.some((line) => {
        const title = line.split(' : ')[0]?.trim().split(' of ').at(-1) ?? '';
        const same = lines.some((other) => other.includes(name) && other.includes(title));
        return line.includes(value) && (line.includes(name) || same);
      });
      expect(says, textOf(t)).toBe(true);
      found++;
    }
    expect(found).toBeGreaterThan(300);
  });

  it('often lack it, while a page on someone else states the same', () => {
    expect(lacking.length / readings.length).toBeGreaterThan(0.2);
    expect(lacking.length / readings.length).toBeLessThan(0.5);
    const pages: Readonly<Record<string, string>> = {
      length: 'Course of',
      employer: 'Career of',
      headquarters: 'Business of',
      staff: 'Business of',
      chief: 'Business of',
      population: 'Council of',
      mayor: 'Council of',
    };
    const told = lacking.flatMap((t) => {
      const [what, name] = askedOf(t);
      const page = pages[what];
      if (page === undefined) return [];
      return [linesOf(t).some((line) => line.trim().startsWith(page) && !line.includes(name))];
    });
    expect(told.length).toBeGreaterThan(40);
    expect(told.filter(Boolean).length / told.length).toBeGreaterThan(0.6);
  });
});
