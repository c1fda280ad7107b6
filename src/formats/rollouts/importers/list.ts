import type { Importer } from '../parts/build.ts';
import { flashRag } from './flashrag.ts';
import { inspectAi } from './inspect-ai.ts';
import { loggingBoard } from './logging-board.ts';
import { lmEval } from './lm-eval.ts';
import { messages } from './openai-messages.ts';
import { browseComp, responses } from './openai-responses.ts';
import { openRlhf, skyRl } from './prompt-output.ts';
import { r1Searcher } from './r1-searcher.ts';
import { shareGpt } from './sharegpt.ts';
import { trl } from './trl.ts';
import { verifiers } from './verifiers.ts';
import { verifiersTraces } from './verifiers-traces.ts';
import { verl } from './verl.ts';

/** Layouts of other systems. The first that fits a record reads it, so the most telling come first. */
export const IMPORTERS: readonly Importer[] = [
  r1Searcher,
  flashRag,
  lmEval,
  inspectAi,
  responses,
  browseComp,
  verl,
  loggingBoard,
  verifiersTraces,
  verifiers,
  trl,
  openRlhf,
  skyRl,
  shareGpt,
  messages,
];

/** Ids of the layouts of other systems. */
export const FOREIGN_LAYOUTS: readonly string[] = IMPORTERS.map(({ id }) => id);

/** Ids of all layouts that are read, our own first. */
export const LAYOUTS: readonly string[] = ['forage', ...FOREIGN_LAYOUTS];
