/** Tables of rotary position embedding (Su et al., 2021), in the half-split layout of Hugging Face. */
export interface RopeTables {
  /** [positions, headDim / 2]: cosine and sine of `position · theta^(-2 i / headDim)`. */
  cos: Float32Array;
  sin: Float32Array;
}

/** Angles are computed in double precision, as far positions would lose digits otherwise. */
export function ropeTables(positions: number, headDim: number, theta: number): RopeTables {
  const half = headDim / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let p = 0; p < positions; p++)
    for (let i = 0; i < half; i++) {
      const angle = p / theta ** ((2 * i) / headDim);
      cos[p * half + i] = Math.cos(angle);
      sin[p * half + i] = Math.sin(angle);
    }
  return { cos, sin };
}
