import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP, type Setup } from '../../../../src/records/setup.ts';
import { forgetCollection, takeUp } from '../../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import {
  forgetEncoder,
  forgetPolicy,
  takeUpEncoder,
  takeUpPolicy,
} from '../../../../src/ui/setup/setup-uses.ts';

const model = { kind: 'checkpoint', id: 'mine' } as const;
const other = { kind: 'endpoint', id: 'theirs' } as const;
const CHOSEN: Setup = {
  ...BUILT_IN_SETUP,
  policy: model,
  local: { kind: 'collections', ids: ['a'], method: 'hybrid', encoder: 'e5', reranker: 'cross' },
  questions: { kind: 'collections', ids: ['a', 'b'] },
  judge: { kind: 'model', policy: model },
  summarizer: { kind: 'model', policy: other },
};
const setup = (): Setup => useSetup.getState().setup;

beforeEach(() => useSetup.setState({ setup: CHOSEN }));

describe('what is deleted is used no more, and comes back as it was used', () => {
  it('a model, where it was policy and judge; others stay', () => {
    const uses = forgetPolicy(model);
    expect(setup()).toEqual({ ...CHOSEN, policy: { kind: 'built-in' }, judge: { kind: 'off' } });
    takeUpPolicy(model, uses);
    expect(setup()).toEqual(CHOSEN);
  });

  it('but not over what was chosen meanwhile', () => {
    const uses = forgetPolicy(model);
    useSetup.getState().change({ policy: other });
    takeUpPolicy(model, uses);
    expect(setup()).toEqual({ ...CHOSEN, policy: other });
  });

  it('an encoder and a reranker', () => {
    const encoder = forgetEncoder('e5');
    const reranker = forgetEncoder('cross');
    expect(setup().local).toMatchObject({ encoder: 'built-in', reranker: null, method: 'hybrid' });
    takeUpEncoder('cross', reranker);
    takeUpEncoder('e5', encoder);
    expect(setup()).toEqual(CHOSEN);
  });

  it('the only collection, with how it was searched', () => {
    const uses = forgetCollection('a');
    expect(setup().local).toEqual({ kind: 'built-in' });
    expect(setup().questions).toEqual({ kind: 'collections', ids: ['b'] });
    takeUp('a', uses);
    expect(setup().local).toEqual(CHOSEN.local);
    expect(setup().questions).toEqual({ kind: 'collections', ids: ['b', 'a'] });
  });

  it('nothing changes for what was not used', () => {
    expect([forgetPolicy({ kind: 'webllm', id: 'x' }), forgetEncoder('x')]).toEqual([[], []]);
    expect(setup()).toBe(CHOSEN);
  });
});
