/** The cluster retriever of KunLunBaizeRAG (arXiv 2506.19466, section 3.1.1). */
export { ClusterIndex, type LearnedSampling } from './cluster-index.ts';
export { LiveClusters, type AnsweredQuery } from './live.ts';
export { learnedSchema, type LearnedCache } from './learned.ts';
export type { BuildHooks, BuildStage, ClusterParts } from './build.ts';
export { ClusterKernels, fastestNearest } from './kernels/kernels.ts';
export type { ClusterCountChoice, ClusterCountScore } from './partition/choose-k.ts';
export {
  BUILD_DEFAULTS,
  SAMPLING_DEFAULTS,
  type BuildOptions,
  type SamplingOptions,
} from './options.ts';
export type { ClusterShare, ClusterTrace, TracedNeighbours } from './trace.ts';
