import { describe, expect, it, vi } from 'vitest';
import type { Rollout } from '../../../src/records/rollout.ts';
import { Extractive } from '../../../src/retrieval/summarize/extractive.ts';
import { reappended } from '../../../src/systems/web-thinker/loop.ts';
import { eventsOf, run as runScript } from '../../agent/helpers.ts';

const search = (query: string): string => `<think> t</think><search> ${query}</search>`;
const answer = (text: string): string =>
  `<think> t</think><short_answer> \\boxed{ ${text} }</short_answer>`;

describe('WebThinker as released', () => {
  const asking = async (query: string, badQueries?: 'end'): Promise<Rollout> => {
    const ran = await runScript(
      { main: [search('author of Old Wolf'), search(query), answer('Borfield')] },
      { recipe: 'search', overrides: { system: { id: 'web-thinker', badQueries } } },
    );
    return ran.rollout;
  };
  const ended = ({ events, answer: said }: Rollout): [string | undefined, string | null] => {
    const stop = events.find((event) => event.kind === 'stop');
    return [stop?.kind === 'stop' ? stop.reason : undefined, said];
  };

  it('ends without an answer at a repeated query, which is else searched again', async () => {
    expect(ended(await asking('author of Old Wolf', 'end'))).toEqual(['end-of-text', null]);
    const ours = await asking('author of Old Wolf');
    expect(ended(ours)).toEqual(['answer', 'Borfield']);
    expect(eventsOf(ours, 'retrieve')).toHaveLength(2);
  });

  it('makes 19 searches of 20, having counted each before it is made', async () => {
    const names = ['Old Wolf', 'Victor Kerlund', 'Estdor Group', 'Mondria'];
    const queries = Array.from({ length: 21 }, (_, i) =>
      `${names[i % 4]} ${'and '.repeat(i)}`.trim(),
    );
    const searching = async (counted?: 'before'): Promise<number> => {
      const { rollout } = await runScript(
        { main: [...queries.map(search), answer('Borfield')] },
        {
          recipe: 'search',
          overrides: {
            stie: { mode: 'off' },
            budgets: { tokens: 4096 },
            retrieval: { k: 1, passageTokens: 2, maxSearches: 20 },
            system: { id: 'web-thinker', counted },
          },
        },
      );
      expect(ended(rollout)[0]).toBe('max-searches');
      return eventsOf(rollout, 'retrieve').length;
    };
    expect([await searching(), await searching('before')]).toEqual([20, 19]);
  });

  it('puts all that was extracted behind the prompt again after every turn', async () => {
    expect(reappended(['a', 'b', 'c'])).toEqual(['a', 'a', 'b', 'a', 'b', 'c']);
    expect(reappended([])).toEqual([]);
    const main = [search('author of Old Wolf'), search('Victor Kerlund'), search('Old Wolf'), answer('Borfield')]; // prettier-ignore
    const chosenFor = async (reappends?: true) => {
      const draft = vi.spyOn(Extractive.prototype, 'draft');
      const { rollout } = await runScript(
        { main },
        {
          recipe: 'search',
          overrides: {
            system: { id: 'web-thinker', extraction: { maxTokens: 24 }, reappends },
          },
        },
      );
      const asked = draft.mock.calls.map(([{ query }]) => query);
      draft.mockRestore();
      return { asked, extracts: eventsOf(rollout, 'summarize').map(({ text }) => text) };
    };
    const { asked: plain } = await chosenFor();
    const { asked, extracts } = await chosenFor(true);
    const [one, two] = extracts;
    expect(one).not.toBe('');
    expect(asked).toEqual([plain[0], `${plain[1]} ${one}`, `${plain[2]} ${one} ${one} ${two}`]);
  });

  it('spends all searches on a query of five characters', async () => {
    const spent = await asking('Wolf?', 'end');
    expect(ended(spent)[0]).toBe('max-searches');
    expect(eventsOf(spent, 'retrieve')).toHaveLength(1);
    expect(ended(await asking('Wolf?'))).toEqual(['answer', 'Borfield']);
    expect(ended(await asking('Wolves', 'end'))).toEqual(['answer', 'Borfield']);
  });

  it('extracts from pages behind links, too, where these may be opened', async () => {
    const found = async (clicks?: number): Promise<string[]> => {
      const extraction = { maxTokens: 48, reasoning: false };
      const { rollout } = await runScript(
        { main: [search('author of Old Wolf'), answer('Borfield')] },
        {
          recipe: 'search',
          overrides: {
            retrieval: { k: 1, source: 'local' },
            system: { id: 'web-thinker', extraction, ...(clicks && { clicks }) },
          },
        },
      );
      return eventsOf(rollout, 'retrieve').flatMap((event) =>
        event.hits.map((one) => one.passage.title),
      );
    };
    expect(await found()).toEqual(['Old Wolf']);
    expect(await found(1)).toEqual(['Old Wolf', 'Victor Kerlund']);
  });
});
