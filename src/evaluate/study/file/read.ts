import { messageOf } from '../../../base/errors.ts';
import { rewardById } from '../../../learn/rewards/registry.ts';
import { resolveArms, type ResolvedArm } from './arms.ts';
import { studyFileSchema, type StudyFile } from './file.ts';
import { issueLines } from './issues.ts';
import { needsGroup, TIMED } from './numbers.ts';
import { courseProblems } from './course.ts';
import { signatureProblems } from './signatures.ts';
import { namedWorld, nameProblems, worldProblems, type Exists, type NamedWorld } from './worlds.ts';

/** A study file that may be run. */
export interface Study {
  file: StudyFile;
  arms: ResolvedArm[];
  trainWorlds: NamedWorld[];
  worlds: NamedWorld[];
}

/** All that is wrong with a study file, a line each. */
export class StudyError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      problems.length === 1
        ? (problems[0] ?? '')
        : `${problems.length} problems: ${problems.map((said, i) => `(${i + 1}) ${said}`).join('; ')}`,
    );
    this.problems = problems;
  }
}

function numberProblems({ numbers, evaluate }: StudyFile): string[] {
  const { timed, reward, questions } = evaluate;
  const clocks = numbers.filter((number) => TIMED.includes(number));
  return [
    ...numbers
      .filter((number, i) => numbers.indexOf(number) < i)
      .map((number) => `numbers: ${number} is there twice`),
    ...(timed === 0
      ? clocks.map(
          (number) => `numbers: ${number} needs evaluate.timed, questions asked one at a time`,
        )
      : []),
    ...(timed > questions
      ? [`evaluate.timed: ${timed} of ${questions} questions cannot be timed`]
      : []),
    ...(numbers.includes('reward') && !reward
      ? ['numbers: reward needs evaluate.reward, which all arms are scored by']
      : []),
    ...(reward && !rewardById(reward.id) ? [`evaluate.reward: unknown reward "${reward.id}"`] : []),
  ];
}

/** What several rollouts per question rule out, and what needs them. */
function groupProblems({ numbers, evaluate, arms }: StudyFile): string[] {
  const { group, timed } = evaluate;
  if (group === undefined)
    return [
      ...numbers
        .filter(needsGroup)
        .map((number) => `numbers: ${number} needs evaluate.group, rollouts of each question`),
      ...arms
        .filter(({ branching }) => branching !== undefined)
        .map(({ name }) => `arm "${name}": branching needs evaluate.group`),
    ];
  return [
    ...(timed > 0
      ? ['evaluate.timed: with evaluate.group no question is asked one at a time']
      : []),
    ...arms
      .filter(({ frozen }) => frozen)
      .map(({ name }) => `arm "${name}": frozen is asked of one rollout, not of evaluate.group`),
  ];
}

function seedProblems({ train }: StudyFile): string[] {
  const seeds = train?.seeds ?? [];
  return seeds
    .filter((seed, i) => seeds.indexOf(seed) < i)
    .map((seed) => `train.seeds: ${seed} is there twice`);
}

function policyProblems(policy: string | undefined, exists: Exists): string[] {
  if (policy === undefined || exists(`${policy}/config.json`)) return [];
  if (policy.endsWith('.gguf')) return exists(policy) ? [] : [`policy: ${policy} is missing`];
  return [`policy: ${policy} is not a GGUF file or a checkpoint folder: config.json is missing`];
}

function problemsOf(study: StudyFile, exists: Exists): string[] {
  const { train, evaluate, arms, policy, reference } = study;
  const worlds = [
    ...worldProblems('train.worlds', train?.worlds ?? [], exists),
    ...worldProblems('evaluate.worlds', evaluate.worlds, exists),
  ];
  return [
    ...worlds,
    ...(worlds.length === 0 ? nameProblems(study) : []),
    ...policyProblems(policy, exists),
    ...seedProblems(study),
    ...resolveArms(study).problems,
    ...arms.flatMap(({ name, demonstrations }) =>
      demonstrations !== undefined && !exists(demonstrations)
        ? [`arm "${name}": ${demonstrations} is missing`]
        : [],
    ),
    ...arms.flatMap(({ name, adapter }) =>
      adapter !== undefined && !exists(`${adapter}/adapter_config.json`)
        ? [`arm "${name}": ${adapter} is not an adapter's folder: adapter_config.json is missing`]
        : [],
    ),
    ...(train && arms.every(({ untrained }) => untrained)
      ? ['train: no arm is trained; leave it out']
      : []),
    ...(arms.some(({ name }) => name === reference)
      ? []
      : [`reference: there is no arm "${reference}"`]),
    ...numberProblems(study),
    ...groupProblems(study),
    ...courseProblems(study),
    ...(worlds.length === 0
      ? signatureProblems(
          study,
          evaluate.worlds.map((world) => namedWorld(world).name),
        )
      : []),
  ];
}

/**
 * Reads a study file.
 * @param exists whether a path, relative to the file, is there
 * @throws StudyError with every problem
 */
export function readStudy(text: string, exists: Exists): Study {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new StudyError([`is not JSON: ${messageOf(error)}`]);
  }
  const parsed = studyFileSchema.safeParse(json);
  if (!parsed.success) throw new StudyError(issueLines(parsed.error));
  const file = parsed.data;
  const problems = problemsOf(file, exists);
  if (problems.length > 0) throw new StudyError(problems);
  return {
    file,
    arms: resolveArms(file).arms,
    trainWorlds: (file.train?.worlds ?? []).map(namedWorld),
    worlds: file.evaluate.worlds.map(namedWorld),
  };
}
