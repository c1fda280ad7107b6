import { clause } from '../parts/clause.ts';
import { fixedReward } from '../parts/definition.ts';

/*
 * Med-R³ (arXiv 2507.23541; code: 8023looker/Med-R3), the reward of its second stage: the share of the gold
 * documents that all searches together brought; 0 without a search or where the format is broken. It was made
 * for medicine; nothing in this stage is.
 */
export const medR3Stage2 = fixedReward({
  id: 'med-r3-stage-2',
  name: 'Med-R³ stage 2, retrieval',
  source: 'Med-R³, arXiv 2507.23541',
  range: [0, 1],
  needs: { retrieval: 'supporting' },
  clauses: ({ searches, supporting, formatValid }) => {
    const wanted = new Set(supporting);
    const bringing = searches.filter(({ passages }) =>
      passages.some(({ title, sound }) => sound && wanted.has(title)),
    );
    const found = new Set(
      bringing.flatMap(({ passages }) =>
        passages.filter(({ title, sound }) => sound && wanted.has(title)).map(({ title }) => title),
      ),
    );
    const share = formatValid && wanted.size > 0 ? found.size / wanted.size : 0;
    return [clause('retrieval', share, share > 0 ? bringing.flatMap((s) => s.evidence) : [])];
  },
});
