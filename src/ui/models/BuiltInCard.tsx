import type { PolicyRef } from '../../records/setup.ts';
import { parsePolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterCount } from '../../policy/checkpoint/weights.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { useAnswer } from '../kit/use-answer.ts';
import { formatBytes, formatCount, formatParameters } from '../kit/words/format.ts';
import { FitLine } from './fit/FitLine.tsx';
import { CardLinks, UseAsPolicy } from './parts/UseAsPolicy.tsx';

/** Facts of a checkpoint before it is loaded. */
interface Served {
  config: Record<string, unknown>;
  parameters: number;
  /** Longest context, tokens. */
  context: number;
  /** Stored type in its config; empty if missing. */
  dtype: string;
  /** Size of its weights; null if the server does not report it. */
  bytes: number | null;
}

/** The checkpoint on the page's own server. */
const readServed = async (): Promise<Served> => {
  const [config, weights] = await Promise.all([
    fetch(fileUrl('policy/config.json')),
    // Only its length; the weights are read when the policy is opened.
    fetch(fileUrl('policy/model.safetensors'), { method: 'HEAD' }),
  ]);
  if (!config.ok) throw new Error(`policy/config.json: HTTP ${config.status}`);
  const contentLength = Number(weights.headers.get('content-length') ?? 0);
  const json = (await config.json()) as Record<string, unknown>;
  const shape = parsePolicyConfig(json);
  const dtype = json['torch_dtype'];
  return {
    config: json,
    parameters: parameterCount(shape),
    context: shape.maxPositions,
    dtype: typeof dtype === 'string' ? dtype : '',
    // A server that compresses reports the compressed length, or none.
    bytes:
      weights.ok && contentLength > 0 && !weights.headers.has('content-encoding')
        ? contentLength
        : null,
  };
};

/** The built-in policy. */
export const BuiltInCard = ({ use }: { use: (policy: PolicyRef) => void }) => {
  const served = useAnswer('built-in', readServed);
  return (
    <li className="panel checkpoint-card" data-built-in>
      <div className="checkpoint-title">
        <h3>Built-in model</h3>
        <span className="badge">included</span>
      </div>
      {served.state === 'loading' ? <p className="fine">Reading its configuration …</p> : null}
      {served.state === 'failed' ? (
        <p className="fine tone-bad">⚠ Its configuration could not be read: {served.message}</p>
      ) : null}
      {served.state === 'ready' ? (
        <>
          <p className="fine">
            {formatParameters(served.value.parameters)} parameters ·{' '}
            {served.value.bytes === null
              ? 'size on disk unknown'
              : `${formatBytes(served.value.bytes)} on disk`}
            {served.value.dtype === '' ? '' : ` as ${served.value.dtype}`} · context{' '}
            {formatCount(served.value.context)} tokens
          </p>
          <FitLine question={{ config: served.value.config }} types />
        </>
      ) : null}
      <div className="checkpoint-actions">
        <UseAsPolicy policy={{ kind: 'built-in' }} name="the built-in model" use={use} />
        <CardLinks policy={{ kind: 'built-in' }} name="the built-in model" use={use} />
      </div>
    </li>
  );
};
