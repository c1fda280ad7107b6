import { describe, expect, it } from 'vitest';
import type { Steps } from '../../../src/agent/steps.ts';
import { hooks } from '../../../src/systems/collab-rag/loop.ts';
import { hit, passage } from '../../fixtures/rollouts.ts';

/** A plan of one part, whose search brings this sentence; what the loop searched, judged and did at last. */
async function verified(draft: string, sentence: string) {
  const [queries, judged, done]: [string[], string[], string[]] = [[], [], []];
  const steps: Partial<Steps> = {
    question: 'When was Nimland founded?',
    spelling: 'ids',
    open: () => Promise.resolve(),
    planned: () => Promise.resolve({ plan: 'founding of Nimland', over: false }),
    canSearch: () => true,
    search: (query) => {
      queries.push(query);
      return Promise.resolve([hit(passage('n', 'Nimland', sentence))]);
    },
    wouldAnswer: () => Promise.resolve({ text: draft, meanLogprob: -0.1 }),
    judged: (_, outcome) => void judged.push(outcome),
    write: () =>
      Promise.resolve({
        thought: 'so',
        query: null,
        ended: 'thought',
        act: () => Promise.resolve(false),
      }),
    answer: () => Promise.resolve(void done.push('answer')),
  };
  const { program } = hooks({ most: 4, substitute: true, zigzag: false, verify: 2 });
  await program?.(steps as Steps);
  return { queries, judged, done };
}

describe('ComposeRAG', () => {
  const evidence = 'It was founded in 1907.';

  it('takes an answer that its evidence holds', async () => {
    const { queries, judged, done } = await verified('1907', evidence);
    expect(queries).toEqual(['founding of Nimland']);
    expect(judged).toEqual(['its passages hold it']);
    expect(done).toEqual(['answer']);
  });

  it('searches again for one that it lacks, and after two rounds answers with the record that nothing holds it', async () => {
    const { queries, judged, done } = await verified('Veldor', evidence);
    const again = 'When was Nimland founded? Veldor';
    expect(queries).toEqual(['founding of Nimland', again, again]);
    expect(judged).toEqual(Array(2).fill('no passage holds it; another search'));
    expect(done).toEqual(['answer']);
  });
});
