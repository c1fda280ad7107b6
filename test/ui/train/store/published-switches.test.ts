import { describe, expect, it } from 'vitest';
import { getTraining } from '../../../../src/systems/index.ts';
import { getSwitch, SWITCHES } from '../../../../src/recipes/switches/list.ts';
import { withSwitches } from '../../../../src/recipes/switches/put.ts';
import {
  switchesOn,
  switchStates,
  withSwitchOn,
  withSwitchOut,
} from '../../../../src/ui/train/store/published-switches.ts';
import {
  checkDraft,
  draftOf,
  parseDraft,
  rawSettings,
  withChange,
  type Draft,
} from '../../../../src/ui/train/store/train-draft.ts';

const draft = (training = 'search/grpo'): Draft => ({
  training,
  changes: {},
  name: '',
  device: 'auto',
});
const on = (from: Draft, ...ids: string[]): Draft => ids.map(getSwitch).reduce(withSwitchOn, from);
const idsOn = (of: Draft): string[] => switchesOn(rawSettings(of)).map(({ id }) => id);
const stateOf = (of: Draft, id: string) => switchStates(of).find(({ one }) => one.id === id);

describe('switches of papers in the form of a run', () => {
  it.each(SWITCHES)('$id comes on as lab train has it, and goes out without a trace', (one) => {
    for (const training of ['search/grpo', 'r1-searcher/reinforce++', 'verl-tool/dapo']) {
      const switched = withSwitchOn(draft(training), one);
      expect(checkDraft(switched).settings).toEqual(withSwitches(getTraining(training), [one]));
      expect(idsOn(switched)).toEqual([one.id]);
      expect(withSwitchOut(switched, one)).toEqual(draft(training));
    }
  });

  it('are on where the settings say so: typed, stored, or of an earlier run', () => {
    const typed = withChange(draft(), 'objective.rules.diversity.weight', 0.02);
    expect(idsOn(typed)).toEqual(['diversity']);
    const both = on(typed, 'speed-rl');
    expect(idsOn(parseDraft(JSON.stringify(both)))).toEqual(['speed-rl', 'diversity']);
    const { settings } = checkDraft(both);
    const again = settings && draftOf(settings, '');
    expect(again && idsOn(again)).toEqual(['speed-rl', 'diversity']);
    // Its settings come as whole objects; a switch goes out of these too.
    const out = again && withSwitchOut(again, getSwitch('diversity'));
    expect(out && checkDraft(out).settings).toEqual(checkDraft(on(draft(), 'speed-rl')).settings);
  });

  it('take the place of those that change the same setting, and say so before', () => {
    const fspo = on(draft(), 'fspo', 'one-shot-rlvr');
    expect(stateOf(fspo, 'posterior-grpo')).toMatchObject({
      on: false,
      inPlaceOf: [getSwitch('fspo')],
      refused: null,
    });
    const instead = on(fspo, 'posterior-grpo', 'sws');
    expect(idsOn(instead)).toEqual(['sws', 'posterior-grpo']);
    expect(checkDraft(instead).settings).toEqual(
      withSwitches(getTraining('search/grpo'), ['posterior-grpo', 'sws'].map(getSwitch)),
    );
  });

  it('leave what another one needs where it is', () => {
    // Two that share dynamic sampling, set by hand.
    const both = withChange(on(draft(), 'speed-rl'), 'dynamicSampling.by', {
      above: 0,
      below: 0.8,
    });
    expect(idsOn(both)).toEqual(['speed-rl', 'online-filtering']);
    const { settings } = checkDraft(withSwitchOut(both, getSwitch('speed-rl')));
    expect(settings?.dynamicSampling).toMatchObject({ by: { above: 0, below: 0.8 } });
    expect(settings?.dynamicSampling?.system).toBeUndefined();
  });

  it('take with them what means nothing without them', () => {
    const ahead = withChange(on(draft(), 'speed-rl'), 'dynamicSampling.system.withinStep', false);
    expect(checkDraft(ahead).settings).not.toBeNull();
    expect(withSwitchOut(ahead, getSwitch('speed-rl'))).toEqual(draft());
  });

  it('are not on where another fault of a verifier is set', () => {
    const verifier = { id: 'verifier-pitfalls', falseNegative: 0.3, falsePositive: 0 };
    expect(idsOn(withChange(draft(), 'verifier', verifier))).toEqual([]);
  });

  it('are refused with the reason where they do not fit the recipe', () => {
    const refused = (training: string, id: string): string | null | undefined =>
      stateOf(draft(training), id)?.refused;
    expect(refused('zero-search/grpo', 'sws')).toMatch(/the recipe needs that of zero-search/);
    expect(refused('hrpo/hrpo', 'gppo')).toMatch(/there is no clip/);
    expect(refused('dto/dpo', 'diversity')).toMatch(/make no rollouts/);
    expect(refused('search/grpo', 'gppo')).toBeNull();
  });
});

it('a field of an earlier run’s objective can be emptied again', () => {
  const { settings } = checkDraft(on(draft(), 'gppo'));
  const again = settings && draftOf(settings, '');
  const emptied = again && withChange(again, 'objective.rules.gppo', undefined);
  expect(emptied && checkDraft(emptied).settings?.objective).toEqual(
    getTraining('search/grpo').objective,
  );
});
