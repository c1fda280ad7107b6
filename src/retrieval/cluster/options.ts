/** How an index of clusters is built. The paper is KunLunBaizeRAG, arXiv 2506.19466, section 3.1.1. */
export interface BuildOptions {
  /** Number of clusters, or `auto`: by elbow and silhouette. The paper has 5,000 at full size. */
  clusters: number | 'auto';
  /** Clusters of fewer documents are dissolved into their neighbours. Paper: 150. */
  minimumDocuments: number;
  /** Vectors a cluster that k-means is trained on (the paper does not say). */
  trainingPerCluster: number;
  /** Rounds of Lloyd's algorithm (the paper does not say). */
  iterations: number;
  /**
   * Bytes a document of the product quantizer, one a subspace; must divide the dimensions. Default:
   * the paper's 256 bytes for 768 dimensions are one for three; here one for four.
   */
  subspaces: number | 'auto';
  /**
   * Bits a dimension that the second stage's reconstruction keeps of what the product quantizer lost:
   * 0 re-ranks on the product quantizer alone, as the paper does; 4 or 8 reach the recall of the scan.
   */
  refineBits: 0 | 4 | 8;
  seed: number;
}

export const BUILD_DEFAULTS: BuildOptions = {
  clusters: 'auto',
  minimumDocuments: 150,
  trainingPerCluster: 64,
  iterations: 10,
  subspaces: 'auto',
  refineBits: 8,
  seed: 7,
};

/** How clusters are sampled for a query, and how that is learned. */
export interface SamplingOptions {
  /** N: candidates of a query over all clusters. Paper: 1,000. */
  candidates: number;
  /** Least share of a considered cluster before rounding. Paper: 1/2048. */
  minimumShare: number;
  /** Clusters nearest to the query that are considered (ours; bounds the time of a query). */
  considered: number;
  /**
   * β of the relevance ρ_i = exp(β (q·c_i − max_j q·c_j)); the paper does not say what ρ is. Large
   * values leave unrelated clusters none of the budget, however often they were hit.
   */
  sharpness: number;
  /** α of w ← α w + (1 − α) [c hit]. Paper: 0.9. */
  smoothing: number;
  /**
   * Lower bound of a weight. At 0.25 a cluster that is always hit has at most four times the chance of
   * one that never was: the 3 to 5 times that the paper reports. At 0 (the formula alone) weights of
   * clusters that are not hit vanish, and with them recall on new topics.
   */
  minimumWeight: number;
  /** τ_0 and τ_min. Paper: 1.2 and 0.3. */
  initialTemperature: number;
  minimumTemperature: number;
  /** Queries for which τ stays at τ_0. Paper: 100. */
  heldQueries: number;
  /** T_max and γ of the annealing; the paper does not give them. */
  annealingQueries: number;
  annealingExponent: number;
}

export const SAMPLING_DEFAULTS: SamplingOptions = {
  candidates: 1000,
  minimumShare: 1 / 2048,
  considered: 32,
  sharpness: 20,
  smoothing: 0.9,
  minimumWeight: 0.25,
  initialTemperature: 1.2,
  minimumTemperature: 0.3,
  heldQueries: 100,
  annealingQueries: 10_000,
  annealingExponent: 1,
};
