import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getTraining, TRAININGS } from '../../../src/systems/index.ts';
import { differingSettings } from '../../../src/ui/runs/differing.ts';
import {
  checkDraft,
  draftOf,
  parseDraft,
  rawSettings,
  withChange,
  withoutFaults,
  withTraining,
  type Draft,
} from '../../../src/ui/train/store/train-draft.ts';

const draft = (training = 'kunlun-baize/dapo'): Draft => ({
  training,
  changes: {},
  name: '',
  device: 'auto',
});

describe('the form of a new run', () => {
  it.each(TRAININGS.map(({ id }) => id))(
    'begins as the recipe has it, %s, which is allowed',
    (name) => {
      const { settings, errors } = checkDraft(draft(name));
      expect(errors).toEqual({});
      expect(settings).toEqual(getTraining(name));
    },
  );

  it('keeps what differs, and forgets what is the recipe’s own again', () => {
    const rate = withChange(draft(), 'optimizer.learningRate', 5e-4);
    expect(checkDraft(rate).settings?.optimizer.learningRate).toBe(5e-4);
    const back = withChange(
      rate,
      'optimizer.learningRate',
      getTraining('kunlun-baize/dapo').optimizer.learningRate,
    );
    expect(back.changes).toEqual({});
  });

  it('says beside the field what is not allowed', () => {
    let bad = withChange(draft(), 'adapter.rank', 0);
    bad = withChange(bad, 'steps', '');
    bad = withChange(bad, 'adapter.targets', []);
    bad = withChange(bad, 'questions', 1000);
    const { settings, errors } = checkDraft(bad);
    expect(settings).toBeNull();
    expect(errors).toEqual({
      'adapter.rank': 'At least 1.',
      steps: 'A value is needed.',
      'adapter.targets': 'Choose at least one.',
      questions: 'At most 256.',
    });
  });

  it('says what no trainer can do: truncated sampling', () => {
    const few = checkDraft(withChange(draft(), 'overrides.sampling.topK', 5));
    expect(few.settings).toBeNull();
    expect(few.errors['overrides']).toMatch(/top-k 5 is refused/);
  });

  it('switches a part off and on, and changes its fields', () => {
    const off = withChange(withChange(draft(), 'objective.clip.high', 0.4), 'objective.clip', null);
    expect(checkDraft(off).settings?.objective.clip).toBeNull();
    const on = withChange(off, 'objective.clip', { low: 0.1, high: 0.1 });
    expect(checkDraft(withChange(on, 'objective.clip.low', 0.3)).settings?.objective.clip).toEqual({
      low: 0.3,
      high: 0.1,
    });
  });

  it('overrides the recipe, and takes an override away', () => {
    const over = withChange(draft(), 'overrides.nlr.reward', 'measured');
    expect(checkDraft(over).settings?.overrides).toEqual({ nlr: { reward: 'measured' } });
    expect(withChange(over, 'overrides.nlr.reward', undefined).changes).toEqual({});
    const { errors } = checkDraft(withChange(draft(), 'overrides.nlr.reward', 'nonsense'));
    expect(errors.overrides).toContain('nlr.reward');
  });

  it('lets the weights of a reward be chosen, as long as they sum to 1', () => {
    const [stage] = getTraining('kunlun-baize/dapo').stages;
    const weighted = (weights: Record<string, number>) =>
      checkDraft(withChange(draft(), 'stages', [{ ...stage, weights }]));
    expect(weighted({ format: 0.2, accuracy: 0.7 }).settings?.stages[0]?.weights).toEqual({
      format: 0.2,
      accuracy: 0.7,
    });
    expect(weighted({ accuracy: 0.5 }).errors['stages.0.weights']).toContain('they sum to 0.7');
  });

  it('says which field of a stage is not allowed: of what it learns by, and of what it changes in the loop', () => {
    const [stage] = getTraining('tool-star/dpo').stages;
    const errors = (change: object) =>
      checkDraft(withChange(draft('tool-star/dpo'), 'stages', [{ ...stage, ...change }])).errors;
    const loss = { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0 };
    expect(errors({ loss: { ...loss, beta: 0.3, high: 1 } })).toEqual({});
    expect(errors({ loss: { ...loss, beta: 0, nll: '' } })).toEqual({
      'stages.0.loss.beta': 'Must be above 0.',
      'stages.0.loss.nll': 'A value is needed.',
    });
    expect(errors({ loss: { ...loss, low: 0.75 } })['stages.0.loss.low']).toContain(
      'Set low below high',
    );
    expect(
      errors({ loss, overrides: { retrieval: { maxSearches: -1 } } })['stages.0.overrides'],
    ).toContain('maxSearches');
  });

  it('warns of stages that never begin and of a router that nobody asks', () => {
    const short = checkDraft(withChange(draft('ur2/paper'), 'steps', 10));
    expect(short.warnings.join()).toContain('Stage 2 never starts');
    const shortest = checkDraft(withChange(draft('ur2/paper'), 'steps', 1));
    expect(shortest.warnings.join()).toContain('the run ends after 1 step.');
    const idle = withChange(draft(), 'router.train', 'beside');
    expect(checkDraft(idle).warnings.join()).toContain('does not use it');
    const used = withChange(idle, 'overrides.retrieval.source', 'router');
    expect(checkDraft(used).warnings).toEqual([]);
  });

  it('keeps size and seed with another training, not the way of learning', () => {
    let mine = withChange(draft(), 'seed', 7);
    mine = withChange(mine, 'objective.estimator', 'rloo');
    expect(withTraining(mine, 'ur2/paper').changes).toEqual({ seed: 7 });
  });

  it('takes over the settings of an earlier run exactly', () => {
    const settings = getTraining('ur2/paper');
    settings.adapter.rank = 4;
    settings.objective.clip = { low: 0.1, high: 0.3 };
    settings.overrides = { stie: { mode: 'paper' } };
    const taken = draftOf(settings, '');
    expect(taken && checkDraft(taken).settings).toEqual(settings);
    expect(draftOf({ ...settings, preset: 'unknown' }, '')).toBeNull();
  });

  it('reads what was stored, and starts anew where that cannot be read', () => {
    const mine = withChange(draft('ur2/paper'), 'seed', 3);
    expect(parseDraft(JSON.stringify(mine))).toEqual(mine);
    for (const text of [
      null,
      'x',
      '{}',
      '{"training":"gone","changes":{"seed":3},"name":"","device":"auto"}',
    ])
      expect(parseDraft(text)).toEqual(draft('kunlun-baize/whole'));
  });

  it('brings back neither a value that is not allowed nor the name of an earlier run', () => {
    let mine = withChange(draft(), 'seed', 3);
    mine = withChange(mine, 'steps', 0);
    mine = withChange(mine, 'objective.clip.high', 'much');
    mine = withChange(mine, 'overrides.nlr.reward', 'nonsense');
    expect(parseDraft(JSON.stringify({ ...mine, name: 'of last week' }))).toEqual({
      ...draft(),
      changes: { seed: 3 },
    });
    const [stage] = getTraining('kunlun-baize/dapo').stages;
    const stages = withChange(draft(), 'stages', [{ ...stage, steps: 0 }]);
    expect(withoutFaults(stages).changes).toEqual({});
    // Nothing is wrong with this one.
    const fine = withChange(draft(), 'steps', 7);
    expect(withoutFaults(fine)).toBe(fine);
  });

  it('does not alter the recipes', () => {
    rawSettings(withChange(withChange(draft(), 'adapter.rank', 99), 'stages.0.steps', 50));
    expect(getTraining('kunlun-baize/dapo').adapter.rank).not.toBe(99);
    expect(getTraining('kunlun-baize/dapo').stages[0]?.steps).toBe(100);
  });
});

describe('settings that differ', () => {
  const a = {
    seed: 1,
    adapter: { rank: 16, targets: ['q', 'v'] },
    clip: { low: 0.2 },
    stages: [{ steps: 5 }],
  };

  it('is empty for the same settings, and for one run', () => {
    expect(differingSettings([a, structuredClone(a)])).toEqual([]);
    expect(differingSettings([a])).toEqual([]);
  });

  it('names the deepest place of every difference', () => {
    const b = {
      seed: 2,
      adapter: { rank: 16, targets: ['q'] },
      clip: null,
      stages: [{ steps: 5 }, { steps: 9 }],
    };
    expect(differingSettings([a, b])).toEqual([
      { path: 'seed', values: ['1', '2'] },
      { path: 'adapter.targets', values: ['q, v', 'q'] },
      { path: 'clip', values: ['low 0.2', 'off'] },
      { path: 'stages.2.steps', values: [undefined, '9'] },
    ]);
  });

  it('finds exactly the numbers that were changed', () => {
    const nested = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.integer()),
    );
    fc.assert(
      fc.property(nested, nested, (left, right) => {
        const found = differingSettings([left, right]);
        const flat = (value: typeof left) =>
          Object.entries(value).flatMap(([k, v]) =>
            Object.entries(v).map(([j, n]) => `${k}.${j}=${n}`),
          );
        const changed = new Set(
          [
            ...flat(left).filter((x) => !flat(right).includes(x)),
            ...flat(right).filter((x) => !flat(left).includes(x)),
          ].map((x) => x.split('=')[0]),
        );
        expect(new Set(found.map(({ path }) => path))).toEqual(changed);
      }),
    );
  });
});
