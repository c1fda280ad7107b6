import type { MatrixType } from '../../../ops/values.ts';
import { BLOCK, PER_UNIT } from '../../device/sizes.ts';

/**
 * WGSL `eight(o, k8)`: values 8 k8 … 8 k8 + 7 of row o of a matrix (`matrixLayout`), dequantised, as two vec4f.
 * Needs `p.wUnits`, the units of a row, and a binding `W`, array<vec4u>.
 * @param scales `joined`: they are in W, too, from vec4u `p.wScales` on; `apart`: in `S`, array<u32>
 */
export function eight(type: MatrixType, scales: 'joined' | 'apart'): string {
  const groups = type === 'int4' ? 'p.wUnits' : '(p.wUnits / 2u)';
  const unit = `W[((o / ${BLOCK}u) * p.wUnits + (k8 / ${Math.max(1, PER_UNIT[type] / 8)}u)${type === 'f32' ? ' * 2u' : ''}) * ${BLOCK}u + o % ${BLOCK}u`;
  // By hand: scales of small weights are subnormal halves, which `unpack2x16float` may take for zero.
  const scale = `fn scaleOf(o: u32, group: u32) -> f32 {
  let i = ((o / ${BLOCK}u) * ${groups} + group) * ${BLOCK}u + o % ${BLOCK}u;
  let pair = ${scales === 'joined' ? 'W[p.wScales + (i >> 3u)][(i >> 1u) & 3u]' : 'S[i >> 1u]'};
  let h = (pair >> ((i & 1u) * 16u)) & 0xffffu; let m = h & 0x7fffu;
  let size = select(bitcast<f32>((m << 13u) + 0x38000000u), f32(m) * 0x1p-24, m < 0x400u);
  return select(size, -size, h != m);
}`;
  const head = `struct Eight { a: vec4f, b: vec4f }
fn eight(o: u32, k8: u32) -> Eight {`;
  switch (type) {
    case 'f32':
      return `${head}
  return Eight(bitcast<vec4f>(${unit}]), bitcast<vec4f>(${unit} + ${BLOCK}u]));
}`;
    case 'f16':
      return `${head}
  let w = ${unit}];
  return Eight(vec4f(unpack2x16float(w.x), unpack2x16float(w.y)), vec4f(unpack2x16float(w.z), unpack2x16float(w.w)));
}`;
    // Codes are held with an offset, except for the highest one of a word: see the writer of matrices.
    case 'int8':
      return `${scale}
${head}
  let w = ${unit}] ^ vec4u(0x00808080u);
  let p = vec2i(select(w.xy, w.zw, (k8 & 1u) == 1u));
  let s = scaleOf(o, k8 >> 2u);
  return Eight(
    s * vec4f((vec4i(p.x) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u)),
    s * vec4f((vec4i(p.y) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u)));
}`;
    case 'int4':
      return `${scale}
${head}
  let p = i32(${unit}][k8 & 3u] ^ 0x08888888u);
  let s = scaleOf(o, k8 >> 2u);
  return Eight(
    s * vec4f((vec4i(p) << vec4u(28u, 24u, 20u, 16u)) >> vec4u(28u)),
    s * vec4f((vec4i(p) << vec4u(12u, 8u, 4u, 0u)) >> vec4u(28u)));
}`;
  }
}
