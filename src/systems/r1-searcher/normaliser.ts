import { boolMapped, PUNCTUATION_AND_QUOTES, spacing } from '../../agent/answers/normalisers.ts';

/** That of its metric_calc_rule.py (RUCAIBox/R1-Searcher); tables show scores by it beside those by SQuAD's. */
export const R1_SEARCHER = spacing(PUNCTUATION_AND_QUOTES, boolMapped);
