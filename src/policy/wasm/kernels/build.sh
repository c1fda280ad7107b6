#!/bin/sh
# Builds ../kernels.wasm.ts. Needs clang and wasm-ld 16 or newer (CLANG=clang-19 sh build.sh).
# -fno-builtin: there is no C library to call; the stack holds a few blocks of a matrix at most.
set -eu
cd "$(dirname "$0")"
clang="${CLANG:-clang}"
build() {
  "$clang" --target=wasm32 -nostdlib -ffreestanding -fno-builtin -ffp-contract=off -O3 -fno-unroll-loops -msimd128 $2 \
    -Wall -Wextra -Wl,--no-entry -Wl,--import-memory -Wl,--strip-all -Wl,-z,stack-size=65536 \
    -o "$1" product.c matrix.c rows.c attention.c head.c
}
out="$(mktemp -d)"
build "$out/plain.wasm" ''
build "$out/relaxed.wasm" '-mrelaxed-simd -DRELAXED'
{
  echo '/** Built from kernels/ by build.sh; do not edit. */'
  echo '/** For every engine with 128-bit SIMD. */'
  echo "export const PLAIN = '$(base64 -w0 "$out/plain.wasm")';"
  echo '/** With fused multiply-add (relaxed SIMD). */'
  echo "export const RELAXED = '$(base64 -w0 "$out/relaxed.wasm")';"
} > ../kernels.wasm.ts
ls -l "$out"
rm -r "$out"
cd ../../../.. && npx oxfmt src/policy/wasm/kernels.wasm.ts
