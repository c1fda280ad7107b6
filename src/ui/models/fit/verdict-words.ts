import type { DeviceLimits } from '../../../policy/open/fit.ts';
import type { HereFit } from '../../../policy/open/fit-here.ts';
import type { WebLlmLine } from '../../../policy/remote/webllm/models.ts';
import { formatBytes } from '../../kit/words/format.ts';
import type { DeviceView } from '../../../lab/models/serving/device-limits.ts';

/** Whether a model fits this device, in a few words, with details. */
export interface VerdictWords {
  tone: 'good' | 'hint' | 'bad';
  /** A few words, as in “fits as int8”. */
  badge: string;
  /** Details after the badge. */
  more: string;
}

const contexts = (slots: number): string =>
  slots === 1 ? 'one rollout at a time' : `${slots} rollouts in parallel`;

/** Whether a checkpoint fits and as which type; otherwise what is missing: memory, a GPU, or a large buffer. */
export function verdictWords(fit: HereFit, limits: DeviceView): VerdictWords {
  const { verdict, held, slots } = fit;
  if (verdict.kind === 'fits') {
    const fewer = verdict.slots < slots ? ` instead of ${slots}` : '';
    const room = `${verdict.type} weights, ${contexts(verdict.slots)}${fewer}`;
    if (verdict.type === held) return { tone: 'good', badge: 'fits', more: room };
    const wide = fit.needs.find(({ type }) => type === held);
    return {
      tone: 'good',
      badge: `fits as ${verdict.type}`,
      more: `${room}; ${held} needs ${formatBytes(wide?.totalBytes ?? 0)}`,
    };
  }
  const { type, needs, gives, why } = verdict;
  const least = `${type} weights, ${contexts(1)}`;
  if (verdict.elsewhere)
    return {
      tone: 'hint',
      badge: 'needs WebGPU',
      more: `${least}: ${formatBytes(needs)}; without a GPU this device has ${formatBytes(gives)} (${limits.basis})`,
    };
  if (needs <= gives) return { tone: 'bad', badge: 'too big', more: `${least}: ${why}` };
  return {
    tone: 'bad',
    badge: `too big: needs ${formatBytes(needs)}, this device has ${formatBytes(gives)}`,
    more: `${least}; ${limits.basis}`,
  };
}

/** The same for a WebLLM model, whose list states its needs in MB. */
export function webLlmWords(
  { memoryMB, features }: Pick<WebLlmLine, 'memoryMB' | 'features'>,
  {
    device,
    shaderF16,
    memory,
  }: Pick<DeviceView, 'device' | 'shaderF16'> & Pick<DeviceLimits, 'memory'>,
): VerdictWords {
  if (device !== 'webgpu')
    return { tone: 'hint', badge: 'needs WebGPU', more: 'this browser offers no GPU' };
  if (features.includes('shader-f16') && !shaderF16)
    return { tone: 'bad', badge: 'needs shader-f16', more: 'this GPU has no half precision' };
  if (memoryMB === null)
    return { tone: 'hint', badge: 'size not known', more: 'not in WebLLM’s list' };
  const needs = memoryMB * 1e6;
  if (needs <= memory) return { tone: 'good', badge: 'fits', more: 'by WebLLM’s list' };
  return {
    tone: 'bad',
    badge: `too big: needs ${formatBytes(needs)}, this device has ${formatBytes(memory)}`,
    more: 'by WebLLM’s list',
  };
}
