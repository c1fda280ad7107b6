import type { KeyedRandom } from '../../base/random.ts';
import { FORM_BLOCKS, PLAIN_SEARCH, type Form } from '../../records/form-line.ts';
import type { Question } from '../../records/records.ts';

type Draft = Omit<Question, 'id'>;

/** How often a demonstration has each form. */
const PLAIN = 0.3;
const READ = 0.06;
const GIVEN = 0.1;
/** Where none of these: shares of each part of a form. */
const PARTS = { background: 0.6, sources: 0.35, summaries: 0.12, block: 0.6 } as const;
const ASKED = 0.5;

/** The form of a demonstration: one that its question can be answered in. */
export const drawDemonstratedForm = (rng: KeyedRandom, question: Draft): Form => {
  const { needs, type, chain = [] } = question;
  const drawn = rng.uniform();
  if (needs === 'nothing')
    return drawn < 0.5 ? { ...PLAIN_SEARCH, way: 'think' } : mixed(rng, question);
  const bridges = type === 'bridge' && chain.length <= 2;
  if (bridges && drawn < 3 * READ) return { ...PLAIN_SEARCH, way: 'read' };
  const given = chain.length <= 4 && needs !== 'refusal' && needs !== 'clarification';
  if (given && drawn < 3 * READ + GIVEN) return { ...PLAIN_SEARCH, way: 'think', background: true };
  if (drawn > 1 - PLAIN) {
    const asks = needs === 'clarification' && rng.chance(ASKED);
    return asks ? { ...PLAIN_SEARCH, blocks: ['ask'] } : PLAIN_SEARCH;
  }
  return mixed(rng, question);
};

const mixed = (rng: KeyedRandom, { needs }: Draft): Form => {
  const blocks = rng.chance(PARTS.block)
    ? rng.sample(FORM_BLOCKS, Number(rng.weighted({ '1': 0.6, '2': 0.25, '3': 0.15 })))
    : [];
  const asks = needs === 'clarification' && rng.chance(ASKED);
  return {
    way: 'search',
    background: rng.chance(PARTS.background),
    sources: rng.chance(PARTS.sources),
    summaries: rng.chance(PARTS.summaries),
    blocks: [...new Set([...blocks, ...(asks ? (['ask'] as const) : [])])],
  };
};
