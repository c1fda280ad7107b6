import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { QUESTIONS_FILE, worldQuestionSchema } from '../../src/retrieval/world/manifest.ts';
import { isHeldOut } from '../../src/world/questions/compositions.ts';

/** One question's answer: a rollout of `lab evaluate --out`. */
export interface Scored {
  /** Unique over worlds. */
  question: string;
  em: number;
  f1: number;
  searches: number;
  /** Whether training never asks the question's composition of relations. */
  heldOut: boolean;
}

export interface ScoreOptions {
  /** Folder for the rollouts; those that lie there are not made again. */
  keep: string;
  limit: string;
  temperature: string;
  seed: string;
}

const runSchema = z.looseObject({
  runId: z.string(),
  policy: z.looseObject({ folder: z.string() }),
  world: z.looseObject({ folder: z.string().nullable() }),
  settings: z.looseObject({ recipe: z.string() }),
});

const rolloutSchema = z.looseObject({
  question: z.looseObject({ id: z.string() }),
  metrics: z.looseObject({ em: z.number(), f1: z.number(), searches: z.number() }),
});

/** What stands for a run before it was trained: its policy, without an adapter, in its recipe. */
export interface Subject {
  name: string;
  /** Arguments of `lab evaluate`. */
  args: string[];
  /** World that the run was trained on; null for the built-in one. */
  world: string | null;
}

export function subjectsOf(run: string): { before: Subject; after: Subject } {
  const file = runSchema.parse(JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8')));
  const { recipe } = file.settings;
  const world = file.world.folder;
  return {
    before: {
      name: `before-${recipe}`,
      args: ['--policy', file.policy.folder, '--recipe', recipe],
      world,
    },
    after: { name: basename(run), args: ['--run', run], world },
  };
}

/** Scores of a subject on a world's first test questions, in their order. */
export function score(subject: Subject, world: string | null, options: ScoreOptions): Scored[] {
  const { keep, limit, temperature, seed } = options;
  mkdirSync(keep, { recursive: true });
  const place = world === null ? 'built-in' : basename(world);
  const file = join(keep, `${subject.name}-${place}-${limit}-${temperature}-${seed}.jsonl`);
  if (!existsSync(file)) {
    const sampling = ['--limit', limit, '--temperature', temperature, '--seed', seed];
    const where = world === null ? [] : ['--world', world];
    const args = ['--import', 'tsx', 'src/cli/main.ts', 'evaluate', ...subject.args, ...where];
    const run = spawnSync(process.execPath, [...args, ...sampling, '--out', `${file}.new`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (run.status !== 0) throw new Error(`lab evaluate ${subject.name} on ${place} failed`);
    renameSync(`${file}.new`, file);
  }
  const compositions = compositionsOf(world ?? 'public/world');
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { question, metrics } = rolloutSchema.parse(JSON.parse(line));
      const composition = compositions.get(question.id);
      if (composition === undefined) throw new Error(`${file}: no question ${question.id}`);
      const { em, f1, searches } = metrics;
      return {
        question: `${place}/${question.id}`,
        em,
        f1,
        searches,
        heldOut: isHeldOut(composition),
      };
    });
}

function compositionsOf(world: string): Map<string, string> {
  const file: unknown = JSON.parse(readFileSync(join(world, QUESTIONS_FILE), 'utf8'));
  const questions = z.array(worldQuestionSchema).parse(file);
  return new Map(questions.map(({ id, composition = '' }) => [id, composition]));
}
