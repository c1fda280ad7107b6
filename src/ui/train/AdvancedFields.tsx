import { useErrors } from './fields.tsx';
import { AdapterFold } from './folds/AdapterFold.tsx';
import { CurriculumFold } from './folds/CurriculumFold.tsx';
import { HeldOutFold } from './folds/HeldOutFold.tsx';
import { MechanismsFold } from './folds/MechanismsFold.tsx';
import { ObjectiveFold } from './folds/ObjectiveFold.tsx';
import { OptimizerFold } from './folds/OptimizerFold.tsx';
import { SamplingFold } from './folds/SamplingFold.tsx';
import { WarmUpFold } from './folds/WarmUpFold.tsx';

/** The settings that a recipe usually leaves alone, folded by subject. */
export const AdvancedFields = () => {
  const problem = useErrors().overrides;
  return (
    <div className="folds">
      <ObjectiveFold />
      <SamplingFold />
      <AdapterFold />
      <OptimizerFold />
      <WarmUpFold />
      <CurriculumFold />
      <MechanismsFold />
      {problem === undefined ? null : <p className="field-error">{problem}</p>}
      <HeldOutFold />
    </div>
  );
};
