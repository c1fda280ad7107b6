import type { DeviceFacts } from '../../../lab/contract/policy.ts';

/** "CPU, 1 of 2 workers", "GPU, Apple M2", "server, localhost:8080". */
export function deviceWords({ device, adapter, fallback }: DeviceFacts): string {
  if (device === 'wasm') return `CPU, ${adapter.replace('engine', 'worker')}`;
  const kind = device === 'webgpu' ? 'GPU' : device;
  return `${kind}, ${adapter}${fallback ? ' (software)' : ''}`;
}
