import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { DEFAULT_SETTINGS, type RunRequest } from '../../../../src/lab/contract/settings.ts';
import { NO_SIDES } from '../../../../src/ui/ask/store/asked-policy.ts';
import { askWith } from '../../../../src/ui/ask/siblings/ask-with.ts';
import { ASK } from '../../../../src/ui/ask/store/permalink.ts';
import { tableOf } from '../../../../src/ui/ask/store/training-step.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { connectFake, stubPage } from '../../lab/fake-lab.ts';

/** A question of a training run, asked again without and with what the run learned. */

const SIDES = { policy: { kind: 'run', run: 'run-a', step: 40 }, beside: 'alone' } as const;
const address = () => useAsk.getState().address;

let went: string[] = [];
const go = (path: string): void => void went.push(path);

beforeEach(() => {
  vi.unstubAllGlobals();
  stubPage();
  went = [];
  useAsk.setState(useAsk.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
  useAsk.setState({ adapters: null });
});

describe('asking with policies of a training run', () => {
  it('asks its question as the run asks its held-out ones, without and with the adapter', async () => {
    const setup = { ...BUILT_IN_SETUP, source: 'local' as const };
    const fake = connectFake();
    const run = runRecord('run-a', { setup });
    await askWith(run, SIDES, 'dev-7', go);
    expect(went).toEqual([ASK]);
    expect(useSetup.getState().setup).toEqual(setup);
    const [[request]] = fake.callsOf('ask.run') as [[RunRequest]];
    expect(request).toMatchObject({
      asked: { kind: 'world', id: 'dev-7' },
      setup,
      settings: {
        recipe: run.settings.recipe,
        temperature: run.settings.heldOut.temperature,
        rollouts: 1,
        mechanisms: {},
      },
      policies: [
        { kind: 'base', policy: BUILT_IN_SETUP.policy },
        { kind: 'run', run: 'run-a', step: 40 },
      ],
    });
    // Adapters are looked for, so that the setup can name the one that is asked.
    expect(fake.callsOf('evaluations.runs')).toHaveLength(1);
  });

  it('without a question opens the setup, where one is to be chosen, and runs nothing', async () => {
    const fake = connectFake();
    useAsk.setState({ setupOpen: false, pinned: true });
    await askWith(runRecord('run-a'), SIDES, null, go);
    expect(address()).toMatchObject({ asked: null, sides: SIDES, run: false });
    expect(useAsk.getState()).toMatchObject({ setupOpen: true, pinned: false, selection: null });
    expect(fake.callsOf('ask.run')).toEqual([]);
    expect(went).toEqual([ASK]);
  });

  it('shows the question on a telephone, not the setup over it', async () => {
    connectFake();
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    await askWith(runRecord('run-a'), SIDES, 'dev-7', go);
    expect(useAsk.getState().setupOpen).toBe(false);
    await askWith(runRecord('run-a'), SIDES, null, go);
    expect(useAsk.getState().setupOpen).toBe(true);
  });

  it('ends what was asked before and takes it off the screen', async () => {
    const fake = connectFake();
    useAsk.getState().begin({ runId: 'old' } as RunRequest, null);
    useAsk.setState({ table: tableOf([emptyRollout('r')]) });
    await askWith(runRecord('run-a'), SIDES, null, go);
    expect(fake.callsOf('ask.cancel')).toHaveLength(1);
    expect(useAsk.getState()).toMatchObject({ run: null, request: null });
    expect(useAsk.getState().table.order).toEqual([]);
  });

  it('stays within what Ask can be set to', async () => {
    connectFake();
    const { settings } = runRecord();
    const run = runRecord('run-a', {
      settings: {
        ...settings,
        recipe: 'a recipe of tomorrow',
        heldOut: { ...settings.heldOut, temperature: 5 },
      },
    });
    await askWith(run, NO_SIDES, null, go);
    expect(address().settings).toMatchObject({ recipe: DEFAULT_SETTINGS.recipe, temperature: 2 });
    expect(address().sides).toBeNull();
    expect(useSetup.getState().setup).toEqual(BUILT_IN_SETUP);
  });
});
