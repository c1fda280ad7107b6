import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { DEFAULT_SETTINGS, type PolicyChoice } from '../../../../src/lab/contract/settings.ts';
import { AskedWith, WillAskWith } from '../../../../src/ui/ask/notes/AskedWith.tsx';
import { showExample } from '../../../../src/ui/ask/setup/SettingsForm.tsx';
import { ModelNote } from '../../../../src/ui/ask/notes/ModelNote.tsx';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { buttonsIn, htmlOf, wordsIn } from '../../kit/render.tsx';

const STEP_3: PolicyChoice = { kind: 'run', run: 'r', step: 3 };

const before = (): string => htmlOf(<WillAskWith />, useAsk);
const after = (): string => htmlOf(<AskedWith />, useAsk);

beforeEach(() => {
  useAsk.setState(useAsk.getInitialState(), true);
  useAsk.setState({
    adapters: [{ id: 'r', name: 'mine', recipe: 'search', overrides: {}, steps: [3] }],
  });
});

describe('an address with an adapter', () => {
  it('says before the first click what answers, and offers to ask without it', () => {
    expect(before()).toBe('');
    useAsk.getState().setAddress({ sides: { policy: STEP_3, beside: null } });
    expect(wordsIn(before())).toBe(
      'Answered by the adapter of mine, step 3. Ask without its adapter',
    );
    expect(buttonsIn(before()).map(({ name }) => name)).toEqual(['Ask without its adapter']);
    useAsk.getState().setAddress({ sides: { policy: STEP_3, beside: 'alone' } });
    expect(wordsIn(before())).toContain(
      'Answered by the adapter of mine, step 3, compared with the built-in model.',
    );
  });

  it('says that a run which this browser does not have cannot be asked', () => {
    useAsk.setState({ adapters: [] });
    useAsk.getState().setAddress({ sides: { policy: STEP_3, beside: null } });
    expect(wordsIn(before())).toContain('⚠ The training run in this link is not in this browser');
    // Not known before it was looked for.
    useAsk.setState({ adapters: null });
    expect(before()).toBe('');
  });

  it('says of the rollouts on the screen what they were asked with', () => {
    expect(after()).toBe('');
    const request = {
      runId: 'a',
      asked: { kind: 'world' as const, id: 'q' },
      settings: DEFAULT_SETTINGS,
      setup: BUILT_IN_SETUP,
      policies: [STEP_3],
    };
    useAsk.setState({ request });
    expect(wordsIn(after())).toBe('Answered by the adapter of mine, step 3.');
  });
});

describe('a model of the user', () => {
  const note = (): string => wordsIn(htmlOf(<ModelNote />, useSession, useSetup, useAsk));
  const loaded = (parameters: number): void => {
    useSetup.setState({ setup: { ...BUILT_IN_SETUP, policy: { kind: 'checkpoint', id: 'm' } } });
    useSession.setState({
      policy: { id: 'm', revision: '', parameters, maxContext: 8192, device: 'wasm', dtype: 'f32' },
    });
  };

  it('that is small is said to search rarely as it is, and no other', () => {
    loaded(134_500_000);
    expect(note()).toBe(
      'Small models rarely search as they are. Show the model a worked example, at temperature 0. A cold start teaches it. Make one',
    );
    showExample();
    expect(useAsk.getState().address.settings).toMatchObject({
      temperature: 0,
      mechanisms: { protocol: 'worked-example' },
    });
    expect(note()).toBe(
      'The prompt shows one question worked out in two searches. A cold start teaches it. Make one',
    );
    useAsk.getState().setAddress({ sides: { policy: STEP_3, beside: null } });
    expect(note()).toBe('');
    useAsk.setState(useAsk.getInitialState(), true);
    loaded(8e9);
    expect(note()).toBe('');
    useSetup.setState({ setup: BUILT_IN_SETUP });
    expect(note()).toBe('');
  });
});
