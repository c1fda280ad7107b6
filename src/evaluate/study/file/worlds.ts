import { METHOD_IDS } from '../../../retrieval/setup.ts';
import type { StudyFile, StudyWorld } from './file.ts';

/** A world as the study file names it, by the one of its three kinds that it is. */
type WorldSource =
  | { kind: 'generated'; seed: number; web?: 'superset' }
  | { kind: 'folder'; folder: string }
  | { kind: 'corpus'; corpus: readonly string[]; questions: string; method: string };

export interface NamedWorld {
  /** In tables, and in names of files. */
  name: string;
  source: WorldSource;
}

const lastPart = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path;

const unless = (problem: string, holds: boolean): string[] => (holds ? [] : [problem]);

/** What is wrong with a world of the file, except for files that are missing. */
function faults(world: StudyWorld): string[] {
  const { seed, web, folder, corpus, questions, method } = world;
  const own = corpus !== undefined || questions !== undefined;
  const kinds = [seed !== undefined, folder !== undefined, own].filter(Boolean).length;
  return [
    ...unless('must name one of seed, folder, or corpus and questions', kinds === 1),
    ...unless('corpus and questions belong together', !own || Boolean(corpus && questions)),
    ...unless('web needs seed', web === undefined || seed !== undefined),
    ...unless('method needs corpus', method === undefined || corpus !== undefined),
    ...unless(
      `there is no method "${method}"; there are ${METHOD_IDS.join(', ')}`,
      method === undefined || METHOD_IDS.some((id) => id === method),
    ),
  ];
}

/** @throws Error for a world with faults */
export function namedWorld(world: StudyWorld): NamedWorld {
  const { name, seed, web, folder, corpus, questions, method = 'lexical' } = world;
  if (seed !== undefined)
    return {
      name: name ?? (web ? `seed${seed}-${web}` : `seed${seed}`),
      source: { kind: 'generated', seed, ...(web && { web }) },
    };
  if (folder !== undefined)
    return { name: name ?? lastPart(folder), source: { kind: 'folder', folder } };
  if (!corpus || questions === undefined) throw new Error('a world of nothing');
  return {
    name: name ?? lastPart(questions),
    source: { kind: 'corpus', corpus, questions, method },
  };
}

/** Whether a path of the study file is there. */
export type Exists = (path: string) => boolean;

function missing(world: StudyWorld, exists: Exists): string[] {
  const { folder, corpus = [], questions } = world;
  const files = [...corpus, ...(questions === undefined ? [] : [questions])];
  return [
    ...files.filter((path) => !exists(path)).map((path) => `${path} is missing`),
    ...(folder !== undefined && !exists(`${folder}/manifest.json`)
      ? [`${folder} is not a world folder: manifest.json is missing`]
      : []),
  ];
}

/** Problems of a list of worlds, a line each. */
export function worldProblems(
  place: string,
  worlds: readonly StudyWorld[],
  exists: Exists,
): string[] {
  const problems = worlds.flatMap((world, i) =>
    [...faults(world), ...missing(world, exists)].map((said) => `${place}.${i}: ${said}`),
  );
  if (problems.length > 0) return problems;
  const names = worlds.map((world) => namedWorld(world).name);
  const sources = worlds.map((world) => JSON.stringify(namedWorld(world).source));
  return worlds.flatMap((_, i) => {
    if (sources.indexOf(sources[i] ?? '') < i) return [`${place}.${i}: is there twice`];
    if (names.indexOf(names[i] ?? '') < i)
      return [`${place}.${i}: the name "${names[i]}" is there twice`];
    return [];
  });
}

/** Two names for one world would hide that they are one, and one name for two that they are two. */
export function nameProblems({ train, evaluate }: StudyFile): string[] {
  const trained = (train?.worlds ?? []).map(namedWorld);
  return evaluate.worlds.map(namedWorld).flatMap(({ name, source }) => {
    const other = trained.find((one) => one.name === name);
    return other && JSON.stringify(other.source) !== JSON.stringify(source)
      ? [`the name "${name}" stands for one world in train and another in evaluate`]
      : [];
  });
}
