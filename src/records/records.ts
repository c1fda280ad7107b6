/** Plain records that every part of Forage shares. No behaviour lives here. */

/** One passage of a corpus. `text` is exactly `sentences.join(' ')`. */
export interface Passage {
  id: string;
  title: string;
  text: string;
  sentences: string[];
  /** Where it was read, for passages of real web sources. */
  url?: string;
  /** Why this passage is noise, where the generator knows that it is. */
  noise?: 'stale' | 'contradicting' | 'distractor';
}

export type QuestionType = 'bridge' | 'comparison' | 'intersection' | 'yesno' | 'summary';

/** One step of a gold chain: look up `relation` of `subject`, read `object` in the passage `title`. */
export interface ChainStep {
  subject: string;
  relation: string;
  object: string;
  /** Title of the passage that states it. */
  title: string;
  /** Id of that passage. */
  passageId: string;
  /** The gold search query of this step. */
  query: string;
}

export interface Question {
  id: string;
  text: string;
  answers: string[];
  type?: QuestionType;
  hops?: number;
  /** Titles of the supporting passages. */
  supporting: string[];
  chain?: ChainStep[];
  /** Relation composition, e.g. `film.director>person.birthCity`; the test split holds unseen ones. */
  composition?: string;
  /** Whether the local corpus alone holds every supporting passage. */
  localSuffices?: boolean;
  difficulty?: string;
}
