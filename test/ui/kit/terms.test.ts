import { describe, expect, it } from 'vitest';
import { GLOSSARY } from '../../../src/ui/kit/words/explain/glossary.ts';
import { TERM_IDS, termsIn } from '../../../src/ui/kit/words/explain/terms.ts';

const found = (text: string): string[] =>
  termsIn(text).flatMap(({ text: piece, id }) => (id === null ? [] : [`${piece}: ${id}`]));

describe('words with an explanation in a text', () => {
  it('are whole-word acronyms, the longest match first', () => {
    expect(found('EM and cover-EM (SQuAD), AggDiff by STIE')).toEqual([
      'EM: em',
      'cover-EM: cover-em',
      'AggDiff: agg-diff',
      'STIE: stie',
    ]);
    expect(
      found('sub-EM (SQuAD), R = 0.1 · R_fmt + 0.1 · R_len + 0.6 · R_acc + 0.2 · R_struct'),
    ).toEqual([
      'sub-EM: sub-em',
      'R_fmt: r-fmt',
      'R_len: r-len',
      'R_acc: r-acc',
      'R_struct: r-struct',
    ]);
    expect(found('Router: π(local); π(web). |Δ log-probability|, nats; needs WebGPU')).toEqual([
      'π(local): router-odds',
      'π(web): router-odds',
      '|Δ log-probability|: gap',
      'WebGPU: webgpu',
    ]);
    expect(found('Dr. GRPO, GRPO and REINFORCE++.')).toEqual([
      'Dr. GRPO: dr-grpo',
      'GRPO: grpo',
      'REINFORCE++: reinforce',
    ]);
  });

  it('are no parts of other words', () => {
    expect(found('MEMORY, SYSTEM, F10, LEM, EMs, pre-EM and R_format')).toEqual([]);
    expect(found('')).toEqual([]);
  });

  it('leave the text as it was', () => {
    const text = 'Held-out EM, F1: 0.5 (KL 0.1) – D0.';
    expect(
      termsIn(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it('have a sentence each, and say it once', () => {
    const texts = TERM_IDS.map((id) => GLOSSARY[id].text);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[\p{Lu}].*\.$/u);
  });
});
