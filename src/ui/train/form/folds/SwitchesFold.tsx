import { Fragment } from 'react';
import { definedRules } from '../../../../learn/objective.ts';
import { PartSwitch, SelectField } from '../fields/fields.tsx';
import { verifiers } from '../../../../recipes/parts/training.ts';
import { ParamFields, SystemSwitches } from '../fields/ParamFields.tsx';
import { switchesOn } from '../../store/published-switches.ts';
import { Fold } from './Fold.tsx';
import { PublishedSwitches } from './PublishedSwitches.tsx';

/** What systems change of the loss, each with its own parameters. */
const RuleFields = () =>
  [...definedRules].map(([id, { label, help = '', params }]) => {
    const path = `objective.rules.${id}`;
    return (
      <Fragment key={id}>
        <PartSwitch path={path} label={label} title={help} on={params.parse({})} />
        <ParamFields path={path} params={params} />
      </Fragment>
    );
  });

/** Switches that papers try on any system, by name and by their settings: terms of the loss, faulty verifiers. */
export const SwitchesFold = () => (
  <Fold
    name="Switches of papers"
    paths={['verifier', 'objective.credit', 'objective.rules']}
    now={(settings) =>
      switchesOn(settings)
        .map(({ title }) => title)
        .join(', ') || 'none'
    }
  >
    {/* The switches of docs/methods.md, “Switches of training”: by name, then setting by setting. */}
    <PublishedSwitches />
    <SelectField
      path="objective.credit"
      label="Credit of single searches"
      choices={[{ value: 'span', label: 'to their own tokens' }]}
      absent="(to the rollout)"
    />
    <RuleFields />
    <SystemSwitches path="verifier" declared={verifiers.declared} />
  </Fold>
);
