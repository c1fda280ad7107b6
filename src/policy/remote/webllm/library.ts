/**
 * Loads WebLLM. Page and worker are built apart; the whole library is one file of 5.4 MB that both builds share, where
 * a choice of names would make one file for each.
 */
export const loadWebLlm = () => import('@mlc-ai/web-llm');
