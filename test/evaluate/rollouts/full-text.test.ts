import { describe, expect, it } from 'vitest';
import { findInRollout } from '../../../src/evaluate/rollouts/reading/full-text.ts';
import { textPattern } from '../../../src/evaluate/rollouts/reading/spans.ts';
import type { RolloutTexts } from '../../../src/formats/rollouts/own-schema.ts';

const rollout = (change: Partial<RolloutTexts> = {}): RolloutTexts => ({
  id: 'a',
  step: 3,
  question: { text: 'Where was the author of Old Wolf born?' },
  answer: ' Borfield ',
  segments: [
    { source: 'prompt', role: 'question', text: 'Where was the author of Old Wolf born?' },
    { source: 'environment', role: 'result', text: 'Old Wolf is a novel by Ada.' },
    { source: 'policy', role: 'think', text: 'old wolf is by Ada, and Ada is of Borfield' },
  ],
  ...change,
});
const found = (words: string, one = rollout()) => findInRollout(one, textPattern(words));

describe('a search of all texts of a rollout', () => {
  it('shows what the policy wrote before what it read, and counts every place', () => {
    expect(found('OLD WOLF')).toMatchObject({
      id: 'a',
      step: 3,
      count: 3,
      segment: { role: 'think', source: 'policy', at: 2 },
    });
    expect(found('OLD WOLF')?.segment?.text).toEqual({
      before: '',
      match: 'old wolf',
      after: ' is by Ada, and Ada is of Borfield',
    });
    expect(found('novel')?.segment).toMatchObject({ role: 'result', at: 1 });
  });

  it('finds text that is only in the question or the answer', () => {
    expect(found('borfield', rollout({ segments: [] }))).toMatchObject({ segment: null, count: 1 });
    expect(found('author', rollout({ segments: [] }))?.question.match).toBe('author');
    expect(found('nowhere')).toBeNull();
  });

  it('takes words as they stand: what means something in a pattern means itself', () => {
    const code = rollout({
      segments: [{ source: 'policy', role: 'other', text: 'f(x) = [1.5]* \\d' }],
    });
    expect(found('[1.5]*', code)?.segment?.text.match).toBe('[1.5]*');
    expect(found('1x5', code)).toBeNull();
    expect(found(String.raw`\d`, code)?.count).toBe(1);
  });

  it('cuts long texts around the place, on one line, and never within a character', () => {
    const text = `${'🦊'.repeat(80)}\n\nhere ${'🦊'.repeat(200)}`;
    const excerpt = found(
      'here',
      rollout({ segments: [{ source: 'policy', role: 'think', text }] }),
    )?.segment?.text;
    expect(excerpt?.before.startsWith('…🦊')).toBe(true);
    expect(excerpt?.after.endsWith('…')).toBe(true);
    expect(JSON.stringify(excerpt)).not.toMatch(/\\ud[89a-f]/iu);
    expect(excerpt?.before).not.toContain('\n');
  });

  it('cuts between words, and leaves out the tags that say what the role says', () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const text = `<think>${words} here ${words}</think>`;
    const one = (written: string) =>
      found('here', rollout({ segments: [{ source: 'policy', role: 'think', text: written }] }))
        ?.segment?.text;
    expect(one(text)?.before).toMatch(/^…word\d\d (word\d\d )+$/);
    expect(one(text)?.after).toMatch(/^ word0 (word\d+ )+word\d+…$/);
    expect(words.startsWith(one(text)!.after.slice(1, -1))).toBe(true);
    // The word that the last cut is at is whole.
    expect(`${words} `).toContain(`${one(text)!.after.slice(1, -1)} `);
    expect(one('<think>we are here now</think>\n')).toEqual({
      before: 'we are ',
      match: 'here',
      after: ' now',
    });
    // A tag that is searched for is found.
    expect(findInRollout(rollout(), textPattern('<think>'))).toBeNull();
    expect(
      found(
        '</think>',
        rollout({ segments: [{ source: 'policy', role: 'think', text: 'a</think>' }] }),
      )?.segment?.text,
    ).toEqual({ before: 'a', match: '</think>', after: '' });
  });
});
