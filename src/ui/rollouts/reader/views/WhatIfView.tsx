import { Checkbox, NumberInput } from '@mantine/core';
import { useCallback, useState, useEffect } from 'react';
import {
  tokenTable,
  withOutcome,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import type {
  RolloutOutcome,
  WhatIf,
  WhatIfSettings,
} from '../../../../evaluate/rollouts/what-if/what-if.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { aggregationParts, ESTIMATORS } from '../../../../recipes/parts/training.ts';
import { PickField } from '../../../kit/PickField.tsx';
import { useAnswer } from '../../../kit/use-answer.ts';
import { labelled } from '../../../kit/labelled.tsx';
import { Outcomes } from './Outcomes.tsx';
import { Problem } from '../parts/Problem.tsx';
import { rollouts } from '../store/api.ts';
import {
  MASKS,
  NORMALISATIONS,
  alternativeTo,
  settingsFor,
  settingsWords,
} from '../store/settings.ts';
import { TokenCanvas } from '../tokens/TokenCanvas.tsx';
import { TokenLegend } from '../tokens/TokenLegend.tsx';
import { scaleOf } from '../tokens/token-paint.ts';
import { tokenWords } from '../tokens/token-words.ts';
import { useTokenTexts } from '../tokens/use-token-texts.ts';

/**
 * Computes a value in its own task, so that several expensive ones do not block. Until then the last
 * one of the same subject; null without one.
 * @param make is used as it is when its identity changes
 */
const useLater = <T,>(subject: unknown, make: () => T): T | null => {
  const [made, setMade] = useState<{ subject: unknown; value: T } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setMade({ subject, value: make() }));
    return () => clearTimeout(timer);
  }, [subject, make]);
  return made && made.subject === subject ? made.value : null;
};

/**
 * Compares two sets of training settings on the stored rewards of one group. Both sets live in this
 * view and are gone when it is left.
 */

type Objective = WhatIfSettings['objective'];

const AGGREGATIONS = {
  'token-mean': 'token-mean',
  'micro-batch-mean': { microBatch: 8 },
  'sequence-mean': 'sequence-mean',
  'sum-over-constant': { constant: 1024 },
} as const;

/** The keys with their type: `Object.keys` gives plain strings. */
const keysOf = <K extends string>(record: Record<K, unknown>): K[] => Object.keys(record) as K[];

/**
 * A number of the objective. What is half typed (empty, a minus sign) stays in the field and
 * changes nothing.
 */
const Amount = (props: {
  label: string;
  value: number;
  step: number;
  min?: number;
  onChange: (value: number) => void;
}) => (
  <NumberInput
    size="xs"
    {...labelled(props.label)}
    value={props.value}
    step={props.step}
    min={props.min ?? 0}
    decimalScale={6}
    onChange={(value) => {
      if (typeof value === 'number' && Number.isFinite(value) && value >= (props.min ?? 0))
        props.onChange(value);
    }}
  />
);

/**
 * The settings of one side. "Before" can be edited like "after", because a file that names no settings
 * gives nothing to hold fixed.
 */
const Fields = (props: {
  name: string;
  settings: WhatIfSettings;
  onChange: (settings: WhatIfSettings) => void;
}) => {
  const { name, settings, onChange } = props;
  const { objective, normalisation, mask } = settings;
  const { clip, kl } = objective;
  const aggregation = aggregationParts(objective.aggregation);
  const set = (change: Partial<Objective>) =>
    onChange({ ...settings, objective: { ...objective, ...change } });
  return (
    <fieldset className="what-if-fields">
      <legend>{name}</legend>
      <PickField
        label="estimator"
        value={objective.estimator}
        values={ESTIMATORS}
        onPick={(estimator) => set({ estimator })}
      />
      <PickField
        label="normalisation"
        value={normalisation}
        values={keysOf(NORMALISATIONS)}
        names={NORMALISATIONS}
        onPick={(value) => onChange({ ...settings, normalisation: value })}
      />
      <PickField
        label="aggregation"
        value={aggregation.kind}
        values={keysOf(AGGREGATIONS)}
        onPick={(kind) => set({ aggregation: AGGREGATIONS[kind] })}
      />
      {aggregation.kind === 'sum-over-constant' ? (
        <Amount
          label="constant, tokens"
          value={aggregation.of}
          step={64}
          min={1}
          onChange={(constant) => set({ aggregation: { constant: Math.round(constant) } })}
        />
      ) : null}
      <PickField
        label="loss mask"
        value={mask}
        values={keysOf(MASKS)}
        names={MASKS}
        onPick={(value) => onChange({ ...settings, mask: value })}
      />
      <PickField
        label="KL"
        value={kl.place}
        values={['off', 'loss', 'reward'] as const}
        names={{ off: 'off', loss: 'in the loss', reward: 'in the reward' }}
        onPick={(place) => set({ kl: { ...kl, place } })}
      />
      {kl.place === 'off' ? null : (
        <>
          <PickField
            label="KL estimate"
            value={kl.form}
            values={['k1', 'k2', 'k3'] as const}
            onPick={(form) => set({ kl: { ...kl, form } })}
          />
          <Amount
            label="KL coefficient"
            value={kl.coefficient}
            step={0.001}
            onChange={(coefficient) => set({ kl: { ...kl, coefficient } })}
          />
        </>
      )}
      <Checkbox
        size="xs"
        label="clip the ratio"
        checked={clip !== null}
        onChange={(event) =>
          // PPO’s usual ε on either side; DAPO’s wider upper bound is typed in below.
          set({ clip: event.currentTarget.checked ? { low: 0.2, high: 0.2 } : null })
        }
      />
      {clip ? (
        <>
          <Amount
            label="clip below 1 −"
            value={clip.low}
            step={0.02}
            onChange={(low) => set({ clip: { ...clip, low: Math.min(1, low) } })}
          />
          <Amount
            label="clip above 1 +"
            value={clip.high}
            step={0.02}
            onChange={(high) => set({ clip: { ...clip, high } })}
          />
        </>
      ) : null}
      <Checkbox
        size="xs"
        label="dual clip"
        checked={objective.dualClip !== null}
        // 3 is the constant c of dual-clip PPO (Ye et al., 2020), which verl has as its default
        // too.
        onChange={(event) => set({ dualClip: event.currentTarget.checked ? 3 : null })}
      />
    </fieldset>
  );
};

/**
 * The tokens of this rollout, coloured by the push that one side gives them. The table is made after
 * the form is drawn (`useLater`), so that typing stays smooth on a long trace.
 */
const Strip = (props: {
  name: string;
  reading: Reading;
  plain: TokenTable;
  outcome: RolloutOutcome | undefined;
  cursor: number | null;
  onCursor: (at: number | null) => void;
}) => {
  const { name, reading, plain, outcome, cursor, onCursor } = props;
  const { rollout } = reading;
  const make = useCallback(() => (outcome ? withOutcome(plain, outcome) : plain), [plain, outcome]);
  const table = useLater(plain, make);
  if (!table) return null;
  const words = cursor === null ? '' : tokenWords(table, rollout.segments, cursor);
  const has = table.columns.push !== undefined;
  return (
    <section aria-label={name}>
      <h2>
        {name} <span className="fine">update per token of this rollout</span>{' '}
      </h2>
      {has ? <TokenLegend by="push" scale={scaleOf(table, 'push')} /> : null}
      {has ? (
        <>
          <TokenCanvas
            table={table}
            segments={rollout.segments}
            by="push"
            cursor={cursor}
            range={null}
            label={`Tokens, ${name}`}
            words={words}
            onCursor={onCursor}
            tallest={180}
          />
          <p className="fine token-line">{words || 'Point at a token for its numbers.'}</p>
        </>
      ) : (
        <p className="fine">No token weights: {table.lacks.push}.</p>
      )}
    </section>
  );
};

/**
 * "What if": advantages, token weights and pushes of the group under two sets of settings, before and
 * after. It uses stored numbers alone; what would need new log-probabilities is listed as not computable.
 */
export const WhatIfView = ({ reading: given }: { reading: Reading }) => {
  const { reading } = useTokenTexts(given);
  const { file, row, rollout, loss } = reading;
  const known = settingsFor(loss);
  const [before, setBefore] = useState(known);
  const [after, setAfter] = useState(() => alternativeTo(known));
  const [cursor, setCursor] = useState<number | null>(null);
  const makePlain = useCallback(() => tokenTable(rollout), [rollout]);
  const plain = useLater(rollout, makePlain);
  // With the settings in the key, an answer to settings that have changed since is dropped.
  const key = JSON.stringify([file.id, row.row.group, before, after]);
  const made = useAnswer(key, () => rollouts().whatIf(file.id, row.row.group, before, after));
  const [last, setLast] = useState<WhatIf | null>(null);
  // The last result stays on screen while the next is computed, so that the page does not jump.
  if (made.state === 'ready' && made.value !== last) setLast(made.value);
  const shown = made.state === 'ready' ? made.value : last;
  // The result has the group's rollouts only: a position in the file is no index into it.
  const at = shown?.before.rollouts.findIndex(({ id }) => id === rollout.id) ?? -1;
  const cannot = shown ? [...new Set([...shown.before.cannot, ...shown.after.cannot])] : [];
  return (
    <div className="what-if">
      <div className="what-if-forms">
        <Fields name="Before" settings={before} onChange={setBefore} />
        <Fields name="After" settings={after} onChange={setAfter} />
      </div>
      <p className="fine">
        {loss
          ? 'Before starts with the settings of the run'
          : 'The file does not state its training settings; choose both sides here'}
        {loss ? ` (${loss.preset}). ` : '. '}
        Before: {settingsWords(before)}. After: {settingsWords(after)}. The batch is this group.
      </p>
      {made.state === 'failed' ? <Problem what="The group" message={made.message} /> : null}
      {shown ? (
        <>
          {shown.before.zeroVariance.length > 0 ? (
            <p className="note">
              <b>⚠ No variance:</b> all rewards of the group are equal; no estimator gives an
              advantage.
            </p>
          ) : null}
          <Outcomes made={shown} reading={reading} />
          {cannot.length > 0 ? (
            <div className="note">
              <b>What cannot be computed, and why</b>
              <ul>
                {cannot.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            </div>
          ) : null}
          {plain
            ? (['before', 'after'] as const).map((side) => (
                <Strip
                  key={side}
                  name={side === 'before' ? 'Before' : 'After'}
                  reading={reading}
                  plain={plain}
                  outcome={shown[side].rollouts[at]}
                  cursor={cursor}
                  onCursor={setCursor}
                />
              ))
            : null}
        </>
      ) : (
        <p className="fine">Computing …</p>
      )}
    </div>
  );
};
