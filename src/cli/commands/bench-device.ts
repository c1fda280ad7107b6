import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { deviceReport, figureWords } from '../../policy/measure/report.ts';
import type { PolicyDevice } from '../../policy/open/device.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import { endProgress, print, say, sayProgress } from '../shared/command.ts';
import type { OptionValues } from '../shared/options.ts';
import { openPolicy } from '../shared/parts.ts';
import { projectPath } from '../shared/paths.ts';

/** Devices that `lab bench` measures, by the names that it has for them. */
export const BENCH_DEVICES: Readonly<Record<string, PolicyDevice>> = {
  gpu: 'webgpu',
  wasm: 'wasm',
};

async function adapterOf(device: PolicyDevice): Promise<string> {
  if (device === 'wasm') return `${cpus()[0]?.model ?? 'unnamed'}, one core`;
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  const { vendor = '', architecture = '', description = '' } = adapter?.info ?? {};
  return description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed';
}

/** Measures a device with a policy, as the Models page does. @throws DeviceError, UsageError */
export async function benchDevice(device: PolicyDevice, values: OptionValues): Promise<void> {
  const policy = await openPolicy({
    device,
    policy: values.policy as string | undefined,
    weights: values.weights as MatrixType | undefined,
    keys: values.kv as StoreType | undefined,
    onProgress: sayProgress,
  });
  endProgress();
  try {
    const line = (name: string, value: string, share: string): string =>
      `${name.padEnd(44)}${value.padStart(16)}  ${share}`.trimEnd();
    const measure = await policy.measure({
      onFigure: (figure) => {
        const { name, value, share } = figureWords(figure);
        (values.json ? say : print)(line(name, value, share));
      },
    });
    if (!values.json) return;
    const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
      version: string;
    };
    const report = deviceReport(measure, {
      now: new Date(),
      policy: policy.info,
      adapter: await adapterOf(device),
      versions: { forage: version, platform: `Node ${process.version}` },
    });
    print(JSON.stringify(report));
  } finally {
    policy.dispose();
  }
}
