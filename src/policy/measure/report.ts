import type { PolicyInfo } from '../policy.ts';
import type { DeviceMeasure, Figure } from './device.ts';

/** A measured device, as it is exported. */
export interface DeviceReport extends DeviceMeasure {
  readonly format: 'forage.device/1';
  /** ISO 8601. */
  readonly measuredAt: string;
  readonly versions: {
    readonly forage: string;
    /** Browser or runtime. */
    readonly platform: string;
  };
  /** As the platform names it. */
  readonly adapter: string;
  /** What was decoded and trained. */
  readonly policy: Pick<PolicyInfo, 'id' | 'revision' | 'parameters' | 'onDevice' | 'keys'>;
}

export const deviceReport = (
  measure: DeviceMeasure,
  of: Pick<DeviceReport, 'adapter' | 'versions'> & { policy: PolicyInfo; now: Date },
): DeviceReport => {
  const { id, revision, parameters, onDevice, keys } = of.policy;
  return {
    format: 'forage.device/1',
    measuredAt: of.now.toISOString(),
    versions: of.versions,
    adapter: of.adapter,
    policy: { id, revision, parameters, ...(onDevice && { onDevice }), ...(keys && { keys }) },
    ...measure,
  };
};

/** A figure as text. */
export interface FigureWords {
  readonly name: string;
  readonly value: string;
  /** Of the device's own rate; empty for that rate itself. */
  readonly share: string;
}

const giga = (value: number, unit: string): string => {
  const scaled = value / 1e9;
  return `${scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} G${unit}/s`;
};
const tokens = (rate: number): string =>
  `${rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toFixed(1)} tokens/s`;
const percent = (share: number): string => `${(100 * share).toFixed(share >= 0.1 ? 0 : 1)} %`;

export function figureWords(figure: Figure): FigureWords {
  switch (figure.kind) {
    case 'copy':
      return { name: 'copy', value: giga(figure.bytesPerSecond, 'B'), share: '' };
    case 'product':
      return { name: 'matrix product, f32', value: giga(figure.flopsPerSecond, 'FLOP'), share: '' };
    case 'decode':
      return {
        name: `decoding, ${figure.slots} × ${figure.context} tokens`,
        value: tokens(figure.tokensPerSecond),
        share: `${percent(figure.ofCopy)} of copy`,
      };
    case 'step':
      return {
        name: `training step, ${figure.tokens} tokens`,
        value: tokens(figure.tokensPerSecond),
        share: `${percent(figure.ofProduct)} of product`,
      };
    case 'kernel':
      return {
        name: `${figure.kernel}, ${figure.calls} ×`,
        value: `${(1000 * figure.seconds).toFixed(figure.seconds >= 0.1 ? 0 : 2)} ms`,
        share: `${percent(figure.share)} of ${figure.of}`,
      };
    case 'left out':
      return { name: figure.what, value: 'left out', share: figure.why };
  }
}
