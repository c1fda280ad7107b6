import { sourcesAsked } from '../../evaluate/systems/plan/plan.ts';
import type { EvaluationSpec, QuestionsSource } from '../../evaluate/systems/spec.ts';
import type { SourceName } from '../../records/hits.ts';
import { BUILT_IN_SETUP } from '../../records/setup.ts';
import type { UnknownInSet } from '../contract/evaluations.ts';
import type { NamesProgress, RetrieverSpec } from '../contract/retrieval.ts';
import { OpenSets, type SetParts } from './sets.ts';

/** Questions that are sent to the page; the rest are counted. */
const MOST_SENT = 500;

interface Searched {
  sources: RetrieverSpec;
  asked: SourceName[];
  retrievals: number[];
}

/** What is searched under the retrieval settings, each once. */
function searchedBy(spec: EvaluationSpec): Searched[] {
  const found = new Map<string, Searched>();
  for (const [at, retrieval] of spec.retrieval.entries()) {
    const { local = BUILT_IN_SETUP.local, web = BUILT_IN_SETUP.web } = retrieval;
    const asked = sourcesAsked(spec, retrieval);
    const key = JSON.stringify([local, web, asked]);
    const known = found.get(key) ?? { sources: { local, web }, asked, retrievals: [] };
    known.retrievals.push(at);
    found.set(key, known);
  }
  return [...found.values()];
}

/** Questions of a world are of what that world mentions; a fresh one is not made for this. */
const mayName = ({ kind }: QuestionsSource, { sources: { local } }: Searched): boolean =>
  kind === 'collections' || (kind === 'built-in' && local.kind !== 'built-in');

/** The questions of a spec whose names no passage mentions that is searched for them. */
export async function lookUpNames(
  spec: EvaluationSpec,
  parts: SetParts,
  onProgress: NamesProgress,
  signal: AbortSignal,
): Promise<UnknownInSet[]> {
  const found: UnknownInSet[] = [];
  const searched = searchedBy(spec).filter(({ asked }) => asked.length > 0);
  for (const [set, source] of spec.questions.entries()) {
    const places = searched.filter((one) => mayName(source, one));
    if (places.length === 0) continue;
    const sets = new OpenSets(parts);
    await sets.find(source, () => undefined);
    const texts = sets.sets.flatMap(({ questions }) =>
      questions.filter(({ answers }) => answers.length > 0).map(({ text }) => text),
    );
    for (const { sources, asked, retrievals } of places) {
      signal.throwIfAborted();
      const { local } = sources;
      const own = local.kind === 'collections' ? await parts.collections(local.ids) : [];
      const passages = own.reduce((sum, one) => sum + one.passages, 0);
      const request = { sources, asked, questions: texts, passages };
      const names = await parts.names.unknownOfAll(request, onProgress, signal);
      if (names === null) continue;
      const naming = texts
        .map((text, at) => ({ text, names: names[at] ?? [] }))
        .filter((one) => one.names.length > 0);
      found.push({
        set,
        retrievals,
        questions: texts.length,
        naming: naming.length,
        first: naming.slice(0, MOST_SENT),
      });
    }
  }
  return found;
}
