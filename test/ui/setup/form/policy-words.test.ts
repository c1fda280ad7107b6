import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_SETUP,
  NO_RESOURCES,
  type PolicyRef,
  type Resources,
} from '../../../../src/records/setup.ts';
import {
  grouped,
  keyOf,
  policiesOf,
  policyChoices,
} from '../../../../src/ui/setup/form/policy-words.ts';
import { checkpoint } from '../../models/views.ts';

const resources: Resources = {
  ...NO_RESOURCES,
  endpoints: [
    {
      id: 'e1',
      url: 'http://localhost:8080/v1',
      model: 'qwen',
      api: 'chat',
      maxContext: 4096,
    },
  ],
  webllm: [
    {
      id: 'Tiny-1B',
      weights: 'https://a.example/w',
      library: 'https://a.example/l.wasm',
      maxContext: 4096,
    },
  ],
};
const checkpoints = [
  checkpoint('c1', { name: 'Qwen 0.5' }),
  checkpoint('c2', { state: 'downloading' }),
];

const labels = (kept: PolicyRef[] = []) =>
  policyChoices(resources, checkpoints, kept).map(({ group, label }) => `${group}: ${label}`);

describe('the policies that can be chosen', () => {
  it('are the built-in one, those on this device, servers and WebLLM, by what they are called', () => {
    expect(labels()).toEqual([
      'Trains here: built-in',
      'Trains here: Qwen 0.5',
      'Servers (sample only): qwen at localhost:8080',
      'WebLLM (samples only): Tiny-1B',
    ]);
    expect(policyChoices(NO_RESOURCES, [], []).map(({ label }) => label)).toEqual(['built-in']);
  });

  it('have a chat template, except for the built-in one', () => {
    const told = policyChoices(resources, checkpoints, []).map(({ ref, chats }) => [
      ref.kind,
      chats,
    ]);
    expect(told).toEqual([
      ['built-in', false],
      ['checkpoint', true],
      ['endpoint', true],
      ['webllm', true],
    ]);
  });

  it('list what is in use once, also where it is gone', () => {
    const own: PolicyRef[] = [
      { kind: 'checkpoint', id: 'c1' },
      { kind: 'endpoint', id: 'e9' },
      { kind: 'endpoint', id: 'e9' },
      { kind: 'checkpoint', id: 'c2' },
      { kind: 'webllm', id: 'Llama-3B-of-the-list' },
      { kind: 'built-in' },
    ];
    expect(labels(own).slice(4)).toEqual([
      'Deleted: e9 (deleted)',
      'Deleted: c2 (deleted)',
      'WebLLM (samples only): Llama-3B-of-the-list',
    ]);
  });

  it('are grouped, each choice once, with a unique key', () => {
    const choices = policyChoices(resources, checkpoints, [{ kind: 'webllm', id: 'Other' }]);
    const list = grouped(choices);
    expect(list.map(({ group, items }) => [group, items.length])).toEqual([
      ['Trains here', 2],
      ['Servers (sample only)', 1],
      ['WebLLM (samples only)', 2],
    ]);
    const keys = list.flatMap(({ items }) => items.map(({ value }) => value));
    expect(new Set(keys)).toEqual(new Set(choices.map(({ ref }) => keyOf(ref))));
    expect(new Set(keys).size).toBe(choices.length);
  });

  it('distinguish a checkpoint from a server of the same id', () => {
    expect(keyOf({ kind: 'checkpoint', id: 'x' })).not.toBe(keyOf({ kind: 'endpoint', id: 'x' }));
  });
});

it('a setup names its policy, and those that summarize and judge', () => {
  const judge = { kind: 'endpoint' as const, id: 'e1' };
  expect(policiesOf(BUILT_IN_SETUP)).toEqual([{ kind: 'built-in' }]);
  expect(
    policiesOf({
      ...BUILT_IN_SETUP,
      summarizer: { kind: 'model', policy: { kind: 'checkpoint', id: 'c1' } },
      judge: { kind: 'model', policy: judge },
    }),
  ).toEqual([{ kind: 'built-in' }, { kind: 'checkpoint', id: 'c1' }, judge]);
});
