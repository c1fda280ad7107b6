import { useErrors } from '../fields/fields.tsx';
import { AdapterFold } from './AdapterFold.tsx';
import { CurriculumFold } from './CurriculumFold.tsx';
import { DemonstrationsFold } from './DemonstrationsFold.tsx';
import { HeldOutFold } from './HeldOutFold.tsx';
import { MechanismsFold } from './MechanismsFold.tsx';
import { ObjectiveFold } from './ObjectiveFold.tsx';
import { OptimizerFold } from './OptimizerFold.tsx';
import { SamplingFold } from './SamplingFold.tsx';
import { SwitchesFold } from './SwitchesFold.tsx';
import { WarmUpFold } from './WarmUpFold.tsx';

/** The settings that a recipe usually leaves alone, folded by subject. */
export const AdvancedFields = () => {
  const problem = useErrors().overrides;
  return (
    <>
      {/* As high as all others together: on a wide screen it is below what is chosen first, the others beside. */}
      <div className="folds">
        <SwitchesFold />
      </div>
      <div className="folds beside">
        <ObjectiveFold />
        <SamplingFold />
        <AdapterFold />
        <OptimizerFold />
        <DemonstrationsFold />
        <WarmUpFold />
        <CurriculumFold />
        <MechanismsFold />
        {problem === undefined ? null : <p className="field-error">{problem}</p>}
        <HeldOutFold />
      </div>
    </>
  );
};
