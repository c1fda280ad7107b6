import { useMemo } from 'react';
import { messageOf } from '../../../base/errors.ts';
import { trainingPlan } from '../../../learn/replicas/training-memory.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../../policy/checkpoint/config.ts';
import { cacheLimits } from '../../../policy/checkpoint/limits.ts';
import { keyTypeFor } from '../../../policy/open/device.ts';
import { heldHere } from '../../../policy/open/fit-here.ts';
import { planFit, type FitPlan } from '../../../policy/open/fit.ts';
import { MATRIX_TYPES, type MatrixType, type StoreType } from '../../../policy/ops/values.ts';
import { formatBytes, formatCount, formatParameters, plural } from '../../kit/words/format.ts';
import { Table } from '../../kit/Table.tsx';
import { useDeviceLimits } from './device-limits.ts';
import type { GgufTypes } from '../../../lab/contract/records/checkpoints.ts';
import type { DeviceView } from '../../../lab/models/serving/device-limits.ts';

/** The adapter that training here would use. */
const ADAPTER = { rank: 16, alpha: 32, targets: ['q_proj' as const, 'v_proj' as const] };

/** The shape in the engine's terms, or why it is not supported. */
const supported = (
  json: Readonly<Record<string, unknown>>,
): { config: PolicyConfig; problem: null } | { config: null; problem: string } => {
  try {
    return { config: parsePolicyConfig(json), problem: null };
  } catch (error) {
    return { config: null, problem: messageOf(error) };
  }
};

/** Default type of the KV cache. */
const automaticKeys = (config: PolicyConfig, { device }: DeviceView): StoreType => {
  const { maxContext: maxPositions, maxSlots } = cacheLimits(config);
  return keyTypeFor({ ...config, maxPositions }, maxSlots, device);
};

/** A weight type with its needs for sampling and for training an adapter. */
interface Row {
  type: MatrixType;
  samples: FitPlan;
  trains: FitPlan;
}

/** Needs per weight type, with the contexts of one engine. */
const rowsOf = (config: PolicyConfig, keys: StoreType, limits: DeviceView): Row[] => {
  const { maxContext: context, maxSlots: slots } = cacheLimits(config);
  const limited = { ...config, maxPositions: context };
  return MATRIX_TYPES.map((type) => {
    const { engines } = limits;
    const contexts = { maxContext: context, maxSlots: slots };
    const question = { config: limited, type, keys, limits };
    return {
      type,
      samples: planFit({ ...question, slots, context, train: null }),
      trains: trainingPlan({ ...question, contexts, adapter: ADAPTER, engines }),
    };
  });
};

/** Total bytes, and whether they fit: fully, with fewer contexts, or not. */
const Need = ({ plan: { totalBytes, verdict } }: { plan: FitPlan }) => (
  <td className="figure">
    <b>{formatBytes(totalBytes)}</b>
    <span className={verdict.kind === 'no' ? 'fine tone-bad' : 'fine'}>
      {verdict.kind === 'fits' ? 'fits' : null}
      {verdict.kind === 'fewer-slots' ? `fits, ${formatCount(verdict.slots)} in parallel` : null}
      {verdict.kind === 'no' ? '⚠ does not fit' : null}
    </span>
  </td>
);

/** Why the chosen type does not fit, if it does not. */
const Why = ({ row: { samples, trains } }: { row: Row }) => {
  const [why] = [samples, trains].flatMap(({ verdict }) =>
    verdict.kind === 'no' ? [verdict.why] : [],
  );
  if (why === undefined) return null;
  const what = samples.verdict.kind === 'no' ? 'It does not fit' : 'Training does not fit';
  return (
    <p className="fine tone-bad">
      ⚠ {what}: {why}.
    </p>
  );
};

/**
 * Needs of a checkpoint per weight type, and whether it fits here, before any download; unsupported
 * shapes are reported with the field at fault.
 */
export const FitSummary = (props: {
  config: Readonly<Record<string, unknown>>;
  /** The user's choice of weight type. */
  weights?: MatrixType | undefined;
  /** The user's choice of KV cache type. */
  keys?: StoreType | undefined;
  /** Types of a GGUF file. */
  gguf?: GgufTypes | undefined;
}) => {
  const { config: json, weights, keys: chosenKeys } = props;
  const limits = useDeviceLimits();
  const { config, problem } = useMemo(() => supported(json), [json]);
  const keys = config && limits && (chosenKeys ?? automaticKeys(config, limits));
  const rows = useMemo(
    () => (config && keys && limits ? rowsOf(config, keys, limits) : []),
    [config, keys, limits],
  );
  if (!config)
    return (
      <p className="fine tone-bad" data-testid="fit">
        ⚠ This model cannot run here. {problem}
      </p>
    );
  if (!limits) return <p className="fine">Checking this device …</p>;
  const chosen = weights ?? heldHere(props, limits.device);
  const row = rows.find(({ type }) => type === chosen);
  const { maxContext, maxSlots } = cacheLimits(config);
  return (
    <div className="fit" data-testid="fit">
      <p className="fine">
        <b>{row ? formatParameters(row.samples.parameters) : null}</b> parameters · on{' '}
        {limits.device} with {formatBytes(limits.memory)}, {limits.basis} ·{' '}
        {plural(maxSlots, 'rollout')} of {formatCount(maxContext)} tokens in parallel, KV cache in{' '}
        {keys}
        {chosenKeys ? null : ' (automatic)'}
        {row ? `: ${formatBytes(row.samples.contextBytes)}` : null}
        {limits.engines > 1
          ? ` · in each of ${limits.engines} workers, which share the work (Train counts the same)`
          : null}
      </p>
      <Table
        className="plain-table"
        heads={[['weights'], ['sampling', 'figure'], ['training an adapter', 'figure']]}
      >
        {rows.map(({ type, samples, trains }) => (
          <tr key={type} className={type === chosen ? 'chosen' : undefined}>
            <th scope="row">
              {type}
              {type === chosen ? (
                <span className="fine">{weights ? 'chosen' : 'automatic'}</span>
              ) : null}
            </th>
            <Need plan={samples} />
            <Need plan={trains} />
          </tr>
        ))}
      </Table>
      {row ? <Why row={row} /> : null}
    </div>
  );
};
