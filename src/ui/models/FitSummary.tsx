import { messageOf } from '../../base/errors.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../policy/checkpoint/config.ts';
import { planFit, type FitPlan } from '../../policy/open/fit.ts';
import { weightTypeFor, type WeightType } from '../../policy/checkpoint/weight-type.ts';
import { formatBytes, formatCount, formatParameters } from '../kit/words/format.ts';
import { useDeviceLimits, type DeviceView } from './device-limits.ts';

/** What is asked of a checkpoint here: contexts at a time, their length, and a LoRA step over them. */
const SLOTS = 16;
const CONTEXT = 4096;
const TRAIN = {
  adapter: { rank: 16, alpha: 32, targets: ['q_proj', 'v_proj'] as const },
  tokens: 2048,
};

const supported = (
  json: Readonly<Record<string, unknown>>,
): { config: PolicyConfig; problem: null } | { config: null; problem: string } => {
  try {
    return { config: parsePolicyConfig(json), problem: null };
  } catch (error) {
    return { config: null, problem: messageOf(error) };
  }
};

/** What the weights would be held in, if they are stored as config.json says. */
const weightType = (json: Readonly<Record<string, unknown>>, limits: DeviceView): WeightType => {
  const told = json['torch_dtype'] ?? json['dtype'];
  const stored = told === 'float16' ? 'f16' : told === 'bfloat16' ? 'bf16' : 'f32';
  return weightTypeFor(stored, limits.shaderF16);
};

const plan = (
  config: PolicyConfig,
  limits: DeviceView,
  dtype: WeightType,
  train: boolean,
): FitPlan =>
  planFit({
    config,
    dtype,
    slots: SLOTS,
    context: Math.min(CONTEXT, config.maxPositions),
    train: train
      ? { ...TRAIN, adapter: { ...TRAIN.adapter, targets: [...TRAIN.adapter.targets] } }
      : null,
    limits,
  });

const verdict = ({ verdict: told }: FitPlan): string => {
  if (told.kind === 'fits') return 'fits';
  if (told.kind === 'no') return `does not fit: ${told.why}`;
  return `fits with ${formatCount(told.slots)} contexts at a time`;
};

const Tone = ({ of }: { of: FitPlan }) => (
  <span className={of.verdict.kind === 'no' ? 'tone-bad' : ''}>
    {of.verdict.kind === 'no' ? '⚠ ' : ''}
    {verdict(of)}
  </span>
);

/**
 * What a checkpoint of this shape needs, and whether it fits here, before anything is downloaded or
 * loaded; what the engine cannot compute is said with the field at fault.
 */
export const FitSummary = ({ config: json }: { config: Readonly<Record<string, unknown>> }) => {
  const limits = useDeviceLimits();
  const { config, problem } = supported(json);
  if (!config)
    return (
      <p className="fine tone-bad" data-testid="fit">
        ⚠ This checkpoint cannot be computed here. {problem}
      </p>
    );
  if (!limits) return <p className="fine">Asking what this device has …</p>;
  const type = weightType(json, limits);
  const samples = plan(config, limits, type, false);
  const trains = plan(config, limits, type, true);
  return (
    <p className="fine" data-testid="fit">
      <b>{formatParameters(samples.parameters)}</b> parameters by its shape · on {limits.device},
      {type} weights: sampling ≈ <b>{formatBytes(samples.totalBytes)}</b> (<Tone of={samples} />
      ), training a LoRA adapter ≈ <b>{formatBytes(trains.totalBytes)}</b> (<Tone of={trains} />
      ); {formatBytes(limits.memory)} {limits.basis}
    </p>
  );
};
