import type { Verdict } from '../../evaluate/verdict.ts';
import type { PartState } from '../../lab/contract/progress.ts';
import type { PolicyInfo } from '../../policy/policy.ts';
import type { PolicyRef } from '../../records/setup.ts';
import { formatParameters, plural } from '../kit/words/format.ts';

/** The chosen model, and how far it is. */
export interface ModelNow {
  kind: PolicyRef['kind'];
  /** As lists name it. */
  name: string;
  status: PartState['status'];
  info: Pick<PolicyInfo, 'parameters' | 'device' | 'onDevice' | 'notes'> | null;
  /** Names of models that are being downloaded or copied. */
  coming: readonly string[];
}

const OPEN_ONE = 'open a model file (GGUF or folder)';

const WHERE: Record<PolicyInfo['device'], string> = {
  wasm: 'works here, on the CPU',
  webgpu: 'works here, on the GPU',
  server: 'answers from its server',
};

const nextWords = ({ kind, info, coming }: ModelNow): string => {
  if (coming.length > 0)
    return `${coming.join(', ')} ${coming.length === 1 ? 'is' : 'are'} being copied; use it when its card says “Use”.`;
  if (info?.notes?.length) return 'Read the ⚠ under “Loaded now” before you trust its answers.';
  switch (kind) {
    case 'built-in':
      return `Ask with it or train it. To use another model, ${OPEN_ONE}.`;
    case 'checkpoint':
      return 'Ask with it. If it answers without searching, teach it: a cold start, then RL.';
    case 'webllm':
    case 'endpoint':
      return `Ask with it. It cannot be trained here: for that, ${OPEN_ONE}.`;
  }
};

/** Which model is loaded, whether it works here, and what to do next. */
export function modelsVerdict(now: ModelNow): Verdict {
  const { kind, status, info, coming } = now;
  const name = kind === 'built-in' ? 'The built-in model' : now.name;
  if (status === 'failed')
    return {
      kind: 'warning',
      sentence: `${name} could not be loaded, so no model works here now`,
      next: kind === 'built-in' ? 'Load it again.' : 'Load it again, or use the built-in model.',
    };
  if (status !== 'ready' || !info)
    return {
      kind: 'open',
      sentence: `${name} is being loaded`,
      next: 'It can be asked and trained when it is ready.',
    };
  const facts = [
    ...(info.parameters > 0 ? [`${formatParameters(info.parameters)} parameters`] : []),
    ...(info.onDevice && info.onDevice !== 'f32' ? [`${info.onDevice} weights`] : []),
  ];
  const notes = info.notes?.length ?? 0;
  return {
    kind: notes > 0 || coming.length > 0 ? 'open' : 'clear',
    sentence: `${name}${facts.length > 0 ? ` (${facts.join(', ')})` : ''} is loaded and ${WHERE[info.device]}${notes > 0 ? `, with ${plural(notes, 'warning')}` : ''}`,
    next: nextWords(now),
  };
}
