import { declaredCurricula, drawsOf } from '../../../../recipes/parts/curriculum.ts';
import { isObject } from '../../../../base/objects.ts';
import { Select } from '../../../kit/Select.tsx';
import { SelectField, useDraftValue, useErrors } from '../fields/fields.tsx';
import { ParamFields } from '../fields/ParamFields.tsx';
import { changeDraft } from '../../store/train-draft.ts';
import { Fold } from './Fold.tsx';

const PATH = 'curriculum.system';

/** Whose way to draw questions; its parameters begin with their defaults. */
const SystemField = ({ id }: { id: string }) => {
  const error = useErrors()[PATH];
  const choose = (next: string): void => {
    const params = declaredCurricula.get(next)?.params;
    changeDraft(PATH, params ? { id: next, ...params.safeParse({}).data } : null);
  };
  return (
    <Select
      size="xs"
      className="wide"
      label="Questions are drawn"
      value={id}
      error={error}
      data={[
        { value: '', label: 'uniformly' },
        ...[...declaredCurricula].map(([value, { draws }]) => ({ value, label: draws })),
      ]}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
};

/** Which questions are drawn when, and how good their results are. */
export const CurriculumFold = () => {
  const system = useDraftValue(PATH);
  const id = isObject(system) ? String(system['id']) : '';
  const params = declaredCurricula.get(id)?.params;
  return (
    <Fold
      name="Curriculum"
      paths={['curriculum', 'start']}
      now={({ curriculum }) => drawsOf(curriculum)}
    >
      <SystemField id={id} />
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
      {params ? <ParamFields path={PATH} params={params} /> : null}
    </Fold>
  );
};
