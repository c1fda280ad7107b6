import { describe, expect, it, test } from 'vitest';
import { fullMatcher } from '../../../src/policy/lora/python-pattern.ts';

const NAMES = [
  'model.layers.0.self_attn.q_proj',
  'model.layers.12.mlp.down_proj',
  'lm_head',
] as const;

/** What Python 3.11 says: `[bool(re.fullmatch(pattern, name)) for name in NAMES]`. */
test.each<[string, boolean[]]>([
  [String.raw`.*\.(q_proj|v_proj)`, [true, false, false]],
  [String.raw`^(model(?=\.).*\.(q_proj|down_proj))$`, [true, true, false]],
  [String.raw`\Amodel\.layers\.\d{2,}\..*\Z`, [false, true, false]],
  [String.raw`model\.layers\.\d{1}\..*`, [true, false, false]],
  [String.raw`.*layers\.[0-9]+\.(?!mlp).*`, [true, false, false]],
  [String.raw`(?P<head>lm_)head|.*(?<=_)proj`, [true, true, true]],
  [String.raw`.*(?<!q)_proj`, [false, true, false]],
  [String.raw`[^.]+`, [false, false, true]],
  [String.raw`(?:[\w]+\.?){1,}`, [true, true, true]],
  [String.raw`.*\bmlp\b.*`, [false, true, false]],
  [String.raw`.*\Bq_proj`, [false, false, false]],
  ['q_proj', [false, false, false]],
  ['lm_head{', [false, false, false]],
  ['l{,1}m_hea{1}d+?', [false, false, true]],
])('%s', (pattern, expected) => {
  expect(NAMES.map(fullMatcher(pattern))).toEqual(expected);
});

describe('what is not read', () => {
  it.each([
    ['(?i)Q_PROJ', /\(\?i\)/],
    [String.raw`(q)_proj\1`, /\\1/],
    ['(?>q)_proj', /\(\?>q/],
    ['q++', /possessive/],
    ['(q_proj', /"\(" without/],
    ['q_proj)', /"\)" without/],
    ['*q_proj', /nothing stands before "\*"/],
    ['[q', /ends too early/],
    ['q{101}', /more than 100 times/],
    ['('.repeat(60), /nested too deep/],
    ['a'.repeat(2001), /over 2000 characters/],
  ])('%s is refused', (pattern, message) => {
    expect(() => fullMatcher(pattern)).toThrow(message);
  });

  it('ends soon, whatever the pattern', () => {
    // Python and JavaScript try 2^30 ways for the first.
    expect(fullMatcher('(a*)*b')('a'.repeat(30))).toBe(false);
    expect(fullMatcher('((((.*)*)*)*)*b')('a'.repeat(60))).toBe(false);
    expect(() => fullMatcher('((((()){100}){100}){100}){100}')('a')).toThrow('too many steps');
  });
});
