import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { issueOf, messageOf } from '../../base/errors.ts';
import { curvePointSchema } from '../../evaluate/study/course-point.ts';
import { decodeScore, encodeScore, type Score } from '../../evaluate/study/rows.ts';
import {
  encodeVerdicts,
  verdictsSchema,
  withStudy,
  type Verdict,
} from '../../evaluate/study/signatures/verdict.ts';
import type { AdapterFile } from '../../policy/lora/peft.ts';
import { encodeHashes, HASHES, hashOf } from '../shared/hashes.ts';
import { UsageError } from '../shared/options.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { writeSafely } from '../shared/write-safely.ts';

/**
 * A folder of results, which studies of one policy share:
 *
 * - `results.json`: policy, version and worlds of these results;
 * - `trained/KEY/`: a finished training: `trained.json` (settings, curve, router) and its adapter, a
 *   PEFT folder of 16-bit floats, with the hashes of its files;
 * - `scores/KEY.json`: a finished score, a row per question;
 * - `studies/NAME/`: the tables and curves of a study;
 * - `signatures.json`: whether the claims of all studies hold;
 * - `runs/KEY/`: a training under way, as `lab train` writes it, and `worlds/NAME/`: generated worlds.
 *   Both are made again where they are missing, and git leaves them out.
 *
 * Files get their names when they are complete, so that a killed process leaves nothing half written.
 */

const worldSchema = z.strictObject({
  /** Form and seed, or digests of files. */
  of: z.unknown(),
  /** SHA-256 of its passages and questions; null until it was opened here. */
  digest: z.string().nullable(),
  /** Median latency of a call of its web, with the added delay, by that delay; for the router's reward. */
  webLatencyMs: z.record(z.string(), z.number()).default({}),
});
export type WorldRecord = z.infer<typeof worldSchema>;

const resultsSchema = z.strictObject({
  format: z.literal('forage.study-results/1'),
  version: z.string(),
  policy: z.strictObject({ id: z.string(), revision: z.string() }),
  /** By the name of its folder, or of its digest. */
  worlds: z.record(z.string(), worldSchema),
});
type Results = z.infer<typeof resultsSchema>;

const trainedSchema = z.strictObject({
  format: z.literal('forage.study-trained/1'),
  key: z.string(),
  made: z.record(z.string(), z.unknown()),
  settings: z.unknown(),
  world: z.string(),
  steps: z.int(),
  seconds: z.number(),
  curve: z.array(curvePointSchema),
  /** State of the router, where it was trained. */
  router: z.json(),
});
export type Trained = Omit<z.infer<typeof trainedSchema>, 'format'>;

const RESULTS = 'results.json';
const TRAINED = 'trained.json';
const SIGNATURES = 'signatures.json';
const IGNORED = 'runs/\nworlds/\n*.new\n';

function readAs<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `${path} cannot be read (${messageOf(error)}); remove it to run it again.`,
    );
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${path}: ${issueOf(parsed.error)}; remove it to run it again.`);
}

/** Version and policy of the results; everything added must have the same. */
export type Maker = Pick<Results, 'version' | 'policy'>;

export class StudyFolder {
  readonly path: string;
  #results: Results;

  private constructor(path: string, results: Results) {
    this.path = path;
    this.#results = results;
  }

  /**
   * Opens a folder of results, or begins one.
   * @throws UsageError where the folder holds something else, or results of another policy or version
   */
  static open(path: string, maker: Maker): StudyFolder {
    const file = join(path, RESULTS);
    if (!existsSync(file)) {
      if (existsSync(path) && readdirSync(path).some((name) => name !== SIGNATURES))
        throw new UsageError(
          `${path} holds other files and no ${RESULTS}; name an empty or a new folder.`,
        );
      const results: Results = { format: 'forage.study-results/1', ...maker, worlds: {} };
      return new StudyFolder(path, results);
    }
    const results = readAs(file, resultsSchema);
    const { policy, version } = results;
    if (policy.revision !== maker.policy.revision)
      throw new UsageError(
        `${path} has results of the model ${policy.id}@${policy.revision}, but this study is of ` +
          `${maker.policy.id}@${maker.policy.revision}; results are not mixed: name another folder.`,
      );
    if (version !== maker.version)
      throw new UsageError(
        `${path} has results of version ${version}, but this is ${maker.version}; results are not mixed: name another folder.`,
      );
    return new StudyFolder(path, results);
  }

  get policy(): Results['policy'] {
    return this.#results.policy;
  }

  get version(): string {
    return this.#results.version;
  }

  /** Creates the folder. */
  begin(): void {
    for (const part of ['trained', 'scores', 'runs', 'worlds']) makeFolders(join(this.path, part));
    writeSafely(join(this.path, '.gitignore'), IGNORED);
    this.#save();
    this.#tidy();
  }

  #save(): void {
    writeSafely(join(this.path, RESULTS), `${JSON.stringify(this.#results, null, 2)}\n`);
  }

  /** Removes what a killed process left: unfinished files, and runs whose training is finished. */
  #tidy(): void {
    for (const part of ['trained', 'scores'])
      for (const name of readdirSync(join(this.path, part)))
        if (name.endsWith('.new')) rmSync(join(this.path, part, name), { recursive: true });
    for (const key of readdirSync(join(this.path, 'runs')))
      if (this.hasTrained(key)) rmSync(this.run(key), { recursive: true });
  }

  world(name: string): WorldRecord | undefined {
    return this.#results.worlds[name];
  }

  /** @throws UsageError where the folder's results are of another world of that name */
  recordWorld(name: string, record: WorldRecord): void {
    const known = this.#results.worlds[name];
    if (known?.digest && record.digest && known.digest !== record.digest)
      throw new UsageError(
        `${this.path} has results over ${name} with other passages or questions ` +
          `(${known.digest.slice(0, 12)}, now ${record.digest.slice(0, 12)}); results are not mixed: name another folder.`,
      );
    this.#results = { ...this.#results, worlds: { ...this.#results.worlds, [name]: record } };
    this.#save();
  }

  run = (key: string): string => join(this.path, 'runs', key);
  worldFolder = (name: string): string => join(this.path, 'worlds', name);
  trainedFolder = (key: string): string => join(this.path, 'trained', key);
  #score = (key: string): string => join(this.path, 'scores', `${key}.json`);

  hasTrained(key: string): boolean {
    return existsSync(join(this.trainedFolder(key), TRAINED));
  }

  hasScore(key: string): boolean {
    return existsSync(this.#score(key));
  }

  /** @throws UsageError where it is damaged */
  readTrained(key: string): Trained {
    const { format: _, ...trained } = readAs(join(this.trainedFolder(key), TRAINED), trainedSchema);
    return trained;
  }

  /** Every finished training, of other studies too. */
  allTrained(): Trained[] {
    const folder = join(this.path, 'trained');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((key) => this.hasTrained(key))
      .map((key) => this.readTrained(key));
  }

  allScores(): Score[] {
    const folder = join(this.path, 'scores');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => this.readScore(name.slice(0, -'.json'.length)));
  }

  /** @throws UsageError where it is damaged */
  readScore(key: string): Score {
    try {
      return decodeScore(readFileSync(this.#score(key), 'utf8'));
    } catch (error) {
      throw new UsageError(
        `${this.#score(key)} is damaged (${messageOf(error)}); remove it to run it again.`,
      );
    }
  }

  writeScore(score: Score): void {
    writeSafely(this.#score(score.key), encodeScore(score));
    rmSync(this.#scorePart(score.key), { force: true });
  }

  #scorePart(key: string): string {
    return join(this.path, 'runs', `${key}.score.json`);
  }

  /** The first questions of a score that was interrupted; null: none, or the file is damaged. */
  readScorePart(key: string): Score | null {
    try {
      return decodeScore(readFileSync(this.#scorePart(key), 'utf8'));
    } catch {
      return null;
    }
  }

  writeScorePart(score: Score): void {
    writeSafely(this.#scorePart(score.key), encodeScore(score));
  }

  /** Stores a finished training and removes its run folder. */
  writeTrained(trained: Trained, adapter: readonly AdapterFile[]): void {
    const folder = this.trainedFolder(trained.key);
    const made = `${folder}.new`;
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
    for (const { name, bytes } of adapter) writeSafely(join(made, name), bytes);
    const hashes = Object.fromEntries(adapter.map(({ name, bytes }) => [name, hashOf(bytes)]));
    writeSafely(join(made, HASHES), encodeHashes(hashes));
    const { curve, ...rest } = trained;
    const head = JSON.stringify({ format: 'forage.study-trained/1', ...rest });
    const points = curve.map((point) => JSON.stringify(point)).join(',\n');
    writeSafely(join(made, TRAINED), `${head.slice(0, -1)},"curve":[\n${points}\n]}\n`);
    renameSync(made, folder);
    rmSync(this.run(trained.key), { recursive: true, force: true });
  }

  /** Writes the files of a study's folder. */
  writeTables(study: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.path, 'studies', study);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeSafely(join(folder, name), text);
    return folder;
  }
  /** Writes the verdicts of a study among those of the others. @throws UsageError where the file is damaged */
  writeVerdicts(study: string, verdicts: Verdict[]): void {
    const path = join(this.path, SIGNATURES);
    const file = existsSync(path)
      ? readAs(path, verdictsSchema)
      : ({ format: 'forage.signatures/1', policy: null, verdicts: [] } as const);
    const { policy } = this.#results;
    writeSafely(path, encodeVerdicts(withStudy(file, study, { policy, verdicts })));
  }
}
