import type { ExperimentSource } from '../../../src/handover/export/parts/experiment.ts';
import type { MappingInput } from '../../../src/handover/export/mapping/mapping.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';

/** Settings with some of them changed, one level deep where they are objects. */
export function changed(
  id: string,
  change: { [K in keyof TrainSettings]?: Partial<TrainSettings[K]> | TrainSettings[K] },
): TrainSettings {
  const settings: Record<string, unknown> = { ...getTraining(id) };
  for (const [key, value] of Object.entries(change)) {
    const own = settings[key];
    const merges =
      typeof value === 'object' && value !== null && typeof own === 'object' && own !== null;
    settings[key] = merges && !Array.isArray(value) ? { ...own, ...value } : value;
  }
  return settings as TrainSettings;
}

export const inputOf = (settings: TrainSettings): MappingInput => ({
  settings,
  maxContext: 1024,
  startStep: 0,
  hasAdapter: false,
});

const bytes = (text: string) => new TextEncoder().encode(text);

/** Twelve questions to draw from and five to hold out, and a checkpoint of nothing but a tokenizer. */
export function tinySource(settings: TrainSettings): ExperimentSource {
  const question = (split: 'train' | 'dev', i: number) => ({
    id: `${split}-${i}`,
    text: `Who wrote "Book ${i}"?`,
    answers: [`Author ${i}`],
    supporting: [`Book ${i}`],
    split,
  });
  return {
    settings,
    policy: {
      id: 'tiny',
      revision: '0123456789ab',
      folder: null,
      maxContext: 1024,
      vocabulary: 300,
      tokenizer: [
        { name: 'tokenizer.json', bytes: bytes('{"a":1}') },
        { name: 'tokenizer_config.json', bytes: bytes('{}') },
        { name: 'config.json', bytes: bytes('{"vocab_size":300}') },
      ],
    },
    world: { folder: null, seed: 20250619 },
    corpus: null,
    engine: null,
    questions: [
      ...Array.from({ length: 12 }, (_, i) => question('train', i)),
      ...Array.from({ length: 5 }, (_, i) => question('dev', i)),
    ],
    run: null,
    version: '0.1.0',
  };
}
