import { isObject } from '../../../../base/objects.ts';
import type { TrainSettings } from '../../../../recipes/parts/training.ts';
import { TASKS, type Task } from '../../../../learn/curriculum/tasks.ts';
import {
  ManyField,
  NumberField,
  PartSwitch,
  SelectField,
  SwitchField,
  useDraftValue,
  usePart,
} from '../fields/fields.tsx';
import { Fold } from './Fold.tsx';

/** In the order of `curriculum.mix`. */
const MIX = ['hard', 'medium', 'easy'] as const;
/** UR²’s shares of its tasks (docs/methods.md, section 2). */
const EVENLY = { qa: 1, arithmetic: 1, choice: 1 };
const TASK_NAMES: Readonly<Record<Task, string>> = {
  qa: 'retrieval QA',
  arithmetic: 'arithmetic',
  choice: 'multiple choice',
};

type Mix = TrainSettings['curriculum']['mix'];

/** Shares by task that are equal are said once. */
function mixText(mix: Mix): string {
  if (Array.isArray(mix)) return mix.join(' : ');
  const of = (task: Task): string => mix[task].join(' : ');
  const [first, ...others] = TASKS;
  const apart = others.filter((task) => of(task) !== of(first));
  return [of(first), ...apart.map((task) => `${of(task)} (${TASK_NAMES[task]})`)].join(', ');
}

/** Which questions are drawn when, and how good their results are. */
export const CurriculumFold = () => {
  const kind = useDraftValue('curriculum.kind');
  const system = useDraftValue('curriculum.system');
  // Fields that have no effect beside the others are not shown.
  const stratum = usePart('curriculum.hops');
  const reading = useDraftValue('curriculum.noiseReading');
  const tasks = usePart('curriculum.tasks');
  const byTask = usePart('curriculum.mix.qa');
  const mixPaths = byTask
    ? (tasks ? TASKS : (['qa'] as const)).map((task) => ({
        path: `curriculum.mix.${task}`,
        of: tasks ? `, ${TASK_NAMES[task]}` : '',
      }))
    : [{ path: 'curriculum.mix', of: '' }];
  return (
    <Fold
      name="Curriculum"
      paths={['curriculum', 'start']}
      now={({ curriculum }) =>
        curriculum.kind === 'difficulty'
          ? `difficulty, hard : medium : easy ${mixText(curriculum.mix)}`
          : curriculum.kind
      }
    >
      <SelectField
        path="curriculum.kind"
        label="Questions are drawn"
        choices={[
          { value: 'uniform', label: 'uniformly' },
          { value: 'difficulty', label: 'by difficulty (UR²)' },
          { value: 'gold-noise', label: 'by gold share and noise (KunLunBaizeRAG)' },
          { value: 'system', label: 'by the system’s own code' },
        ]}
      />
      <SelectField
        path="start"
        label="Model at the start"
        title="UR²: stage 1 teaches a model that does not search to search; its fallback penalty teaches it not to leave reasoning to the search"
        choices={[
          { value: 'searching', label: 'as it is' },
          { value: 'not-searching', label: 'taught not to search' },
          { value: 'reasoning-queries', label: 'taught to leave reasoning to the search' },
        ]}
        absent="(as it is)"
      />
      <PartSwitch
        path="curriculum.hops"
        label="One stratum of hops"
        title="SimpleRL-Zoo: questions whose difficulty fits"
        on={{ min: 2, max: 2 }}
      />
      {stratum ? (
        <>
          <NumberField path="curriculum.hops.min" label="Fewest hops" min={1} />
          <NumberField path="curriculum.hops.max" label="Most hops" min={1} />
        </>
      ) : null}
      <ManyField
        path="curriculum.leaveOut"
        label="Questions left out"
        title="s3: what the passages of one retrieval answer already, and what is answered by yes or no"
        choices={['one-retrieval', 'yes-no']}
      />
      {kind === 'system' && isObject(system)
        ? Object.entries(system).map(([name, value]) =>
            typeof value === 'number' ? (
              <NumberField
                key={name}
                path={`curriculum.system.${name}`}
                label={`${String(system['id'])}: ${name}`}
                decimal
                min={0}
              />
            ) : null,
          )
        : null}
      {kind === 'difficulty' ? (
        <>
          <NumberField
            path="curriculum.scoringRollouts"
            label="Scored by, rollouts"
            title="Questions are scored before the first step"
            min={1}
          />
          <NumberField path="curriculum.pool" label="Questions scored" min={1} />
          <SelectField
            path="curriculum.coldStart"
            label="Stage 1 draws"
            choices={[
              { value: 'dropped', label: 'the dropped ones' },
              { value: 'all', label: 'the whole pool' },
            ]}
          />
          <SwitchField
            path="curriculum.taskMixing"
            label="Task mixing"
            title="UR²: medium and easy questions without retrieval; by task, where the recipe mixes tasks"
          />
          <PartSwitch
            path="curriculum.tasks"
            label="Draws by task"
            title="UR²: retrieval QA, arithmetic with a checked number, multiple choice"
            on={EVENLY}
          />
          {tasks
            ? TASKS.map((task) => (
                <NumberField
                  key={task}
                  path={`curriculum.tasks.${task}`}
                  label={`Parts ${TASK_NAMES[task]}`}
                  decimal
                  min={0}
                />
              ))
            : null}
          {mixPaths.flatMap(({ path, of }) =>
            MIX.map((name, index) => (
              <NumberField
                key={`${path}.${name}`}
                path={`${path}.${index}`}
                label={`Parts ${name}${of}`}
                decimal
                min={0}
              />
            )),
          )}
        </>
      ) : null}
      {kind === 'gold-noise' ? (
        <>
          <NumberField
            path="curriculum.goldEpochs"
            label="Steps until gold"
            title="E of equation (15): steps until all is gold"
            min={1}
          />
          <NumberField
            path="curriculum.noise"
            label="Most noise"
            title="Share of a noisy result that is noise where α of (16) is 1"
            decimal
            step={0.1}
            min={0}
            max={1}
          />
          <SelectField
            path="curriculum.noiseBy"
            label="Noise grows by"
            title="What e of equation (16) counts"
            choices={[
              { value: 'epoch', label: 'step' },
              { value: 'retrievals', label: 'retrieval' },
            ]}
          />
          <SelectField
            path="curriculum.noiseReading"
            label="After E"
            title="Two readings of (15) and (16) together"
            choices={[
              { value: 'rest', label: 'all is gold' },
              { value: 'floor', label: 'the noisier the later' },
            ]}
          />
          {reading === 'floor' ? (
            <NumberField
              path="curriculum.noiseFloor"
              label="Noisy groups at E"
              title="Share of noisy groups that stays at E; it grows on with α of (16)"
              decimal
              step={0.05}
              min={0}
              max={1}
            />
          ) : null}
        </>
      ) : null}
    </Fold>
  );
};
