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

export const QUESTION_TYPES = [
  'bridge',
  'comparison',
  'intersection',
  'yesno',
  'summary',
  'counting',
  'arithmetic',
  'choice',
  'computation',
  'unanswerable',
  'underspecified',
] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** A wrong value of a chain step, in a passage that looks right. */
export interface Rival {
  object: string;
  passageId: string;
  /** stale: an older state of the very page; contradicting: a doubtful claim; namesake: the page of another. */
  why: 'stale' | 'contradicting' | 'namesake';
  /** The year that the passage gives, where it gives one. */
  date?: number;
}

/** One step of a gold chain: look up `relation` of `subject`, read `object` in the passage `title`. */
export interface ChainStep {
  subject: string;
  relation: string;
  object: string;
  /** Title of the passage that states it. */
  title: string;
  /** Id of that passage. */
  passageId: string;
  /** The gold search query of this step, by the name under which the subject is known so far. */
  query: string;
  /**
   * What to search for where the gold query does not bring the passage: words that its results make
   * known, such as the name that an alias stands for.
   */
  betterQuery?: string;
  /** Which corpora hold a passage that states it as it is now. */
  source?: 'local' | 'web' | 'both';
  /** Every passage that states it as it is now, `passageId` among them. */
  passageIds?: string[];
  /** The year that the passage gives, where it gives one. */
  date?: number;
  rivals?: Rival[];
}

/** What rewards of single searches need of a chain step: the gold query, what it finds, and where. */
export type GoldStep = Pick<ChainStep, 'query' | 'object' | 'source'>;

/** What a question cannot be answered without: the corpora do not state it, whatever is searched. */
interface MissingStep {
  subject: string;
  relation: string;
  query: string;
}

/**
 * What answering takes. background: what the question itself retrieves; nothing: the question's own
 * words; refusal: to say that it cannot be answered; clarification: to ask which one is meant.
 */
type QuestionNeeds = 'search' | 'background' | 'nothing' | 'refusal' | 'clarification';

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
  needs?: QuestionNeeds;
  /** Of multiple choice: what may be answered; `text` lists them with their letters, from A on. */
  options?: string[];
  /** UR²'s isRetrieve: whether searching is allowed; absent: it is, as far as the recipe searches. */
  mayRetrieve?: boolean;
  /** Gold statements of a long answer, three to six. */
  summary?: string[];
  /** What to ask before searching, and what the asker answers. */
  clarification?: { ask: string; reply: string };
  /** Of a question whose right answer is that it cannot be answered; the chain leads up to it. */
  missing?: MissingStep;
}
