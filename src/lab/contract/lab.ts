import type { AskApi } from './ask.ts';
import type { DemonstrationsApi } from './demonstrations.ts';
import type { ExportApi } from './exports.ts';
import type { TrainApi } from './training.ts';
import type { CollectionsApi } from './collections.ts';
import type { ClusterApi } from './clusters.ts';
import type { EncoderApi } from './encoders.ts';
import type { CheckpointsApi } from './checkpoints.ts';
import type { EvaluationsApi } from './evaluations.ts';

/** All that the lab worker offers. */
export interface LabApi {
  ask: AskApi;
  train: TrainApi;
  demonstrations: DemonstrationsApi;
  exports: ExportApi;
  collections: CollectionsApi;
  clusters: ClusterApi;
  encoders: EncoderApi;
  checkpoints: CheckpointsApi;
  evaluations: EvaluationsApi;
}
