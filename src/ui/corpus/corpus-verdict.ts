import type { Verdict } from '../../evaluate/verdict.ts';
import type { SourceFacts } from '../../lab/contract/ask.ts';
import type { CollectionView } from '../../lab/contract/collections.ts';
import type { PartState } from '../../lab/contract/progress.ts';
import type { SourceDefault } from '../../records/setup.ts';
import { formatCount, plural } from '../kit/words/format.ts';

/** What runs search and ask, and how far it is. */
export interface CorpusNow {
  /** Names of the collections that runs search; empty: the built-in world. */
  searched: string;
  /** Names of the collections whose questions runs ask; empty: the built-in world. */
  asked: string;
  /** A collection in use was deleted. */
  gone: boolean;
  /** Which source a search uses if it names none. */
  source: SourceDefault;
  status: PartState['status'];
  sources: Pick<SourceFacts, 'localPassages' | 'webPassages' | 'web'> | null;
  questions: number;
  collections: readonly Pick<CollectionView, 'name' | 'passages' | 'questions' | 'unfinished'>[];
}

const webWords = ({ web, webPassages }: NonNullable<CorpusNow['sources']>): string =>
  web ?? `${formatCount(webPassages ?? 0)} pages of the built-in web`;

/** "994 passages of “wiki”", "1,000 built-in questions". */
const partWords = (count: number, what: string, names: string): string =>
  names === '' ? plural(count, `built-in ${what}`) : `${plural(count, what)} of “${names}”`;

/** What does not fit together: it runs, and finds nothing. */
function mismatch({ searched, asked, source, sources }: CorpusNow): Omit<Verdict, 'kind'> | null {
  const ownWeb = sources?.web ?? null;
  if (searched !== '' && asked === '')
    return {
      sentence: `Runs search “${searched}” but ask built-in questions, which these passages do not answer`,
      next: 'Use or import questions about them, or type your own on Ask.',
    };
  if (searched === '' && asked !== '' && ownWeb === null)
    return {
      sentence: `Runs ask questions of “${asked}” but search the built-in world, which does not answer them`,
      next: 'Use or import passages about them, or set a web search engine.',
    };
  if (searched !== '' && source === 'recipe' && ownWeb === null)
    return {
      sentence: `Runs search “${searched}” and the built-in web, which has no page about them`,
      next: 'Set “Runs search” to these passages only, or set a web search engine.',
    };
  return null;
}

function nextWords({ searched, asked, collections }: CorpusNow): string {
  const stopped = collections.find(({ unfinished }) => unfinished.length > 0);
  if (stopped) return `The import of “${stopped.name}” stopped: continue it in its row.`;
  const [first] = collections;
  if (searched !== '' || asked !== '') return 'Try a search below, then ask a question.';
  if (!first) return 'Add your own passages and questions below.';
  const button = first.passages > 0 ? 'Use for search' : 'Use these questions';
  return `“${first.name}” is not used: tick it and click “${button}”.`;
}

/** What runs search and ask, whether it fits together, and what to do next. */
export function corpusVerdict(now: CorpusNow): Verdict {
  const { searched, asked, status, sources, questions } = now;
  const own = searched !== '' || asked !== '';
  if (now.gone)
    return {
      kind: 'warning',
      sentence: 'A collection that runs use was deleted',
      next: 'Choose another, or go back to the built-in world.',
    };
  if (status === 'failed')
    return {
      kind: 'warning',
      sentence: 'Nothing can be searched: the passages could not be opened',
      next: own ? 'Load them again, or go back to the built-in world.' : 'Load them again.',
    };
  if (status !== 'ready' || !sources)
    return {
      kind: 'open',
      sentence: `${searched === '' ? 'The built-in passages' : `The passages of “${searched}”`} are being prepared for search`,
      next: 'You can import files meanwhile.',
    };
  const wrong = mismatch(now);
  if (wrong) return { kind: 'warning', ...wrong };
  const local = partWords(sources.localPassages, 'passage', searched);
  const web = now.source === 'local' ? '' : ` and ${webWords(sources)}`;
  return {
    kind: 'clear',
    sentence: `Runs search ${local}${web}, and ask ${partWords(questions, 'question', asked)}`,
    next: nextWords(now),
  };
}
