/** What a reader of one rollout sees, computed without an interface. */
export {
  gainInWords,
  passageKey,
  readRounds,
  type Gain,
  type PassageReading,
  type RoundReading,
} from './rounds.ts';
export { cutByMarks, findPhrase, sentenceStretches, type Cut, type Stretch } from './spans.ts';
export {
  MOST_PIECES,
  rangeOf,
  TOKEN_COLUMNS,
  tokenTable,
  withOutcome,
  type TokenColumn,
  type TokenTable,
} from './token-table.ts';
export { hasHidden, revealHidden } from './visible.ts';
