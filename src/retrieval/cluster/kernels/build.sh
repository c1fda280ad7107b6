#!/bin/sh
# Builds kernels.wasm.ts from kernels.c. Needs clang and wasm-ld 14 or newer (CLANG=clang-19 sh build.sh).
set -eu
cd "$(dirname "$0")"
out="$(mktemp -d)"
"${CLANG:-clang}" --target=wasm32 -nostdlib -ffreestanding -fno-builtin -O3 -msimd128 -Wall -Wextra \
  -Wl,--no-entry -Wl,--import-memory -Wl,--strip-all -Wl,-z,stack-size=65536 \
  -o "$out/kernels.wasm" kernels.c
{
  echo '/** Built from kernels.c by build.sh; do not edit. */'
  echo "export const KERNELS = '$(base64 -w0 "$out/kernels.wasm")';"
} > kernels.wasm.ts
ls -l "$out"
rm -r "$out"
npx oxfmt kernels.wasm.ts
