import { loadedCode } from '../../recipes/parts/declared.ts';
import type { SystemSettings } from '../../recipes/parts/system.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Curriculum } from '../rl/contracts.ts';

/** What a system's curriculum is made of. */
export interface CurriculumGround {
  settings: TrainSettings;
  questions: readonly Question[];
  /** The run's own. */
  retriever: Retriever;
  seed: number;
}

type MakeCurriculum = (system: SystemSettings, ground: CurriculumGround) => Curriculum;

const code = loadedCode<MakeCurriculum>('curriculum');

/** Says where a system's curriculum is; it is loaded with the first run that has it. */
export const provideCurriculum = code.provide;

/** Loads the code of the curriculum that the settings name, if any. @throws Error where the system provides none */
export async function loadCurriculum({ curriculum: { system } }: TrainSettings): Promise<void> {
  if (system) await code.load(system.id);
}

/** @throws Error where its code is not loaded */
export function providedCurriculum(ground: CurriculumGround): Curriculum {
  const { system } = ground.settings.curriculum;
  const make = system && code.get(system.id);
  if (!make) throw new Error(`the curriculum of the system "${system?.id}" is not loaded`);
  return make(system, ground);
}
