import { DEFAULT_SETTINGS, type Recipe } from './settings.ts';

/*
 * The plain think–search–answer loop: the protocol of arXiv 2506.19466 without RDRA, STIE and NLR.
 * Not a published system of its own; it is what the mechanisms are measured against.
 *
 * Departures from the paper's protocol: no background, every query is asked of both sources and
 * their lists are fused, no candidate answers are probed, no query is refused.
 */
export const search: Recipe = {
  id: 'search',
  version: '1',
  title: 'Plain search loop',
  summary: 'Think, search both sources, read, repeat; no background, no filter, no router.',
  settings: DEFAULT_SETTINGS,
};
