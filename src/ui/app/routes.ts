/** The places of the workbench, in the order of the rail. */
export interface Route {
  path: string;
  name: string;
  /** Letter of the rail, and of the key sequence `g` + letter. */
  letter: string;
  sign: string;
}

export const ROUTES: readonly Route[] = [
  { path: '/', name: 'Inspect', letter: 'i', sign: '⌕' },
  { path: '/train', name: 'Train', letter: 't', sign: '↗' },
  { path: '/runs', name: 'Runs', letter: 'r', sign: '≡' },
  { path: '/corpus', name: 'Corpus', letter: 'c', sign: '▤' },
  { path: '/models', name: 'Models', letter: 'm', sign: '◆' },
  { path: '/evaluate', name: 'Evaluate', letter: 'e', sign: '±' },
];
