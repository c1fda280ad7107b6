import type { IconName } from './Icon.tsx';

/** Where a question is posed. */
export const ASK = '/ask';

/** The places of the workbench, in the order of the rail. */
export interface Route {
  path: string;
  name: string;
  /** Letter of the rail, and of the key sequence `g` + letter. */
  letter: string;
  icon: IconName;
}

export const ROUTES: readonly Route[] = [
  { path: ASK, name: 'Ask', letter: 'a', icon: 'ask' },
  { path: '/rollouts', name: 'Rollouts', letter: 'o', icon: 'rollouts' },
  { path: '/train', name: 'Train', letter: 't', icon: 'train' },
  { path: '/runs', name: 'Runs', letter: 'r', icon: 'runs' },
  { path: '/corpus', name: 'Corpus', letter: 'c', icon: 'corpus' },
  { path: '/models', name: 'Models', letter: 'm', icon: 'models' },
  { path: '/evaluate', name: 'Evaluate', letter: 'e', icon: 'evaluate' },
];
