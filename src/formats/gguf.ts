/** GGUF models, as llama.cpp reads them, named where another file was expected. */

/** What to do with one. */
export const GGUF_ADVICE =
  'Open it on the Models page with "Open a model file", or give it to a command with --policy.';

export const isGgufName = (name: string): boolean => /\.gguf$/iu.test(name);
