import { TRAININGS } from '../../recipes/index.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { visibleRuns, type TrainState } from '../train/store/train-store.ts';
import type { Command } from './commands.ts';

/** What ⌘K reaches beside commands: training runs, and recipes that can be trained. */
export const thingsOf = (runs: TrainState['runs'], go: (path: string) => void): Command[] => [
  ...visibleRuns(runs).map(({ id, name, settings, status }) => ({
    name: `${name}, ${settings.preset}, ${status}`,
    keys: [],
    group: 'Training run' as const,
    act: () => go(formatTrainAddress({ run: id, step: null })),
  })),
  ...TRAININGS.map(({ id, recipe, variant }) => ({
    name: `Train by ${recipe.title} · ${variant.title}`,
    keys: [],
    group: 'Recipe' as const,
    act: () => {
      // The form comes with its page.
      void import('../train/store/train-draft.ts').then(({ chooseTraining }) => {
        chooseTraining(id);
        go('/train?new=1');
      });
    },
  })),
];
