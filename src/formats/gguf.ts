/** GGUF models, as llama.cpp reads them, dropped or named where another file was expected. */

/** What to do with one. */
export const GGUF_ADVICE =
  'Forage needs safetensors; or serve it with llama.cpp and add it under Servers.';

export const isGgufName = (name: string): boolean => /\.gguf$/iu.test(name);

export const describeGguf = (name: string): string => `${name} is a GGUF model. ${GGUF_ADVICE}`;
