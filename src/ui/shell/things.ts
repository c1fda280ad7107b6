import type { QuestionRow } from '../../lab/contract/ask.ts';
import type { EvaluationRecord } from '../../lab/contract/records/evaluations.ts';
import type { CustomSystem } from '../../evaluate/systems/custom.ts';
import type { SystemChoice } from '../../evaluate/systems/spec.ts';
import type { FileRecord } from '../../lab/contract/records/rollout-files.ts';
import { RECIPES, TRAININGS } from '../../systems/index.ts';
import { ask } from '../ask/store/actions.ts';
import { filterQuestions, NO_FILTER } from '../ask/store/filters.ts';
import { ASK } from '../ask/store/permalink.ts';
import { useAsk } from '../ask/store/ask-store.ts';
import { corpusSearch } from '../corpus/store/corpus-address.ts';
import { formatEvaluateAddress, NEW_EVALUATION } from '../evaluate/store/evaluate-address.ts';
import { visibleEvaluations } from '../evaluate/store/evaluate-store.ts';
import { filePath, searchPath } from '../rollouts/store/browse-address.ts';
import { formatTrainAddress } from '../train/store/train-address.ts';
import { visibleRuns, type TrainState } from '../train/store/train-store.ts';
import type { Command } from './commands.ts';

/** Things that ⌘K finds besides commands, after typing. */

type Go = (path: string) => void;

/** Stored data, including deleted ones, which are filtered here. */
export interface Things {
  runs: TrainState['runs'];
  files: readonly FileRecord[];
  evaluations: readonly EvaluationRecord[];
  customs: readonly CustomSystem[];
}

/** Opens Ask with this recipe; nothing runs before the user clicks Run. */
const askBy = (recipe: string, go: Go): void => {
  const { address, setAddress } = useAsk.getState();
  // Overrides belonged to the previous recipe.
  setAddress({ settings: { ...address.settings, recipe, mechanisms: {} }, run: false });
  go(ASK);
};

/** Selects a system for the next evaluation; its form loads with its page. */
const evaluate = async (system: SystemChoice, go: Go): Promise<void> => {
  const { tickSystem } = await import('../evaluate/store/evaluate-draft.ts');
  tickSystem(system);
  go(NEW_EVALUATION);
};

/** Runs, files, evaluations, recipes to ask or train with, and systems to evaluate. */
export const thingsOf = ({ runs, files, evaluations, customs }: Things, go: Go): Command[] => [
  ...visibleRuns(runs).map(({ id, name, settings, status }) => ({
    name: `${name}, ${settings.preset}, ${status}`,
    keys: [],
    group: 'Training run' as const,
    act: () => go(formatTrainAddress({ run: id, step: null })),
  })),
  ...files.map(({ id, name }) => ({
    name,
    keys: [],
    group: 'File' as const,
    act: () => go(filePath(id)),
  })),
  ...visibleEvaluations(evaluations).map(({ id, name }) => ({
    name,
    keys: [],
    group: 'Evaluation' as const,
    act: () => go(formatEvaluateAddress(id)),
  })),
  ...RECIPES.map(({ id, title }) => ({
    name: `Ask by ${title}`,
    keys: [],
    group: 'Recipe' as const,
    act: () => askBy(id, go),
  })),
  ...[...customs, ...RECIPES].map((system) => ({
    name: `Evaluate ${system.title}`,
    keys: [],
    group: 'System' as const,
    // A custom system has a `base` and is passed whole; a recipe by id.
    act: () => void evaluate('base' in system ? system : system.id, go),
  })),
  ...TRAININGS.map(({ id, recipe, variant }) => ({
    name: `Train by ${recipe.title} · ${variant.title}`,
    keys: [],
    group: 'Recipe' as const,
    act: () => {
      // The form loads with its page.
      void import('../train/store/train-draft.ts').then(({ chooseTraining }) => {
        chooseTraining(id);
        go('/train?new=1');
      });
    },
  })),
];

/** Longer lists are not read. */
const MOST_QUESTIONS = 20;

/**
 * Questions that contain every word, and searches of the corpus and of all rollouts.
 * @param rollouts whether there are any
 */
export const textThings = (
  text: string,
  { questions, rollouts }: { questions: readonly QuestionRow[]; rollouts: boolean },
  go: Go,
): Command[] => {
  const query = text.trim();
  // One or two letters match nearly every question.
  if (query.length < 3) return [];
  return [
    ...filterQuestions(questions, { ...NO_FILTER, text: query })
      .slice(0, MOST_QUESTIONS)
      .map((row) => ({
        name: row.text,
        keys: [],
        group: 'Question' as const,
        act: () => {
          ask({ kind: 'world', id: row.id });
          go(ASK);
        },
      })),
    {
      name: `Passages for “${query}”`,
      keys: [],
      group: 'Corpus',
      act: () => go(corpusSearch(query)),
    },
    ...(rollouts
      ? [
          {
            name: `Rollouts with “${query}”`,
            keys: [],
            group: 'Rollouts' as const,
            act: () => go(searchPath(query)),
          },
        ]
      : []),
  ];
};
