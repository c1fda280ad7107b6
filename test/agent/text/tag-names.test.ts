import { describe, expect, it } from 'vitest';
import { tagNames } from '../../../src/agent/transcript/tag-names.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { emptyRollout, readSegment } from '../../fixtures/rollouts.ts';

/** Pairs of tags as the systems' released code writes them, by the protocol's own block. */
const RELEASED: Record<string, Record<string, [open: string, close: string]>> = {
  // PeterGriffinJin/Search-R1, search_r1/llm_agent/generation.py
  'search-r1': {
    result: ['<information>', '</information>'],
    short_answer: ['<answer>', '</answer>'],
  },
  // RUCAIBox/R1-Searcher, train/
  'r1-searcher': {
    search: ['<|begin_of_query|>', '<|end_of_query|>'],
    result: ['<|begin_of_documents|>', '<|end_of_documents|>'],
    short_answer: ['<answer>', '</answer>'],
  },
  // Agent-RL/ReSearch, reward_score/re_search.py: its result is called as the protocol calls it.
  research: { result: ['<result>', '</result>'], short_answer: ['<answer>', '</answer>'] },
  // Tsinghua-dhy/UR2: the answer is in a box, between no tags.
  ur2: {
    search: ['<|begin_of_query|>', '<|end_of_query|>'],
    result: ['<|begin_of_documents|>', '<|end_of_documents|>'],
  },
  // pat-jj/s3, s3/llm_agent/generation_s3.py
  s3: {
    search: ['<query>', '</query>'],
    result: ['<information>', '</information>'],
    important: ['<important_info>', '</important_info>'],
    short_answer: ['<answer>', '</answer>'],
  },
  // sunnynexus/Search-o1
  'search-o1': {
    search: ['<|begin_search_query|>', '<|end_search_query|>'],
    result: ['<|begin_search_result|>', '<|end_search_result|>'],
  },
  // QingFei1/R-Search, src/train/generation.py
  'r-search': {
    result: ['<observation>', '</observation>'],
    evidence: ['<original_evidence>', '</original_evidence>'],
    short_answer: ['<answer>', '</answer>'],
  },
  // ren258/ARENA, src/data_generator.py
  arena: {
    think: ['<analysis>', '</analysis>'],
    result: ['<references>', '</references>'],
    short_answer: ['<answer>', '</answer>'],
  },
  // The protocol is KunLunBaizeRAG's own.
  'kunlun-baize': {},
  // Lines in place of tags: "Follow up:" is not a name of a token.
  'self-ask': {},
};

/** Blocks that the published systems have between the tags of another: what was found first, what a tool said. */
const SAME_AS: Record<string, string> = {
  background: 'result',
  reply: 'result',
  long_answer: 'short_answer',
};

const rolloutOf = (id: string, prompt = '<form> search </form>') => ({
  ...emptyRollout('r'),
  recipe: { id, version: '1', settings: { ...getRecipe(id).settings } },
  segments: [{ ...readSegment([1], 'instruction'), text: prompt }],
});

describe('the names that a tag token is shown by', () => {
  it.each(Object.entries(RELEASED))('are those of the released code: %s', (id, pairs) => {
    const same = Object.entries(SAME_AS).flatMap(([block, as]) =>
      pairs[as] ? [[block, pairs[as]] as const] : [],
    );
    const expected = [...Object.entries(pairs), ...same]
      .flatMap(([block, [open, close]]) => [
        [`<${block}>`, open],
        [`</${block}>`, close],
      ])
      .filter(([token, name]) => token !== name);
    expect(Object.fromEntries(tagNames(rolloutOf(id)))).toEqual(Object.fromEntries(expected));
  });

  it('are not put on a policy that was told to write its tags as text, nor on other systems’ files', () => {
    expect(tagNames(rolloutOf('arena', 'A question comes between <question>')).size).toBe(0);
    expect(tagNames({ ...rolloutOf('arena'), origin: { layout: 'verl' } }).size).toBe(0);
    expect(tagNames({ segments: [] }).size).toBe(0);
  });
});
