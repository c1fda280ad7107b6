import { Button } from '@mantine/core';
import type { PolicyRef } from '../../../records/setup.ts';
import { useSetup } from '../../setup/setup-store.ts';

/** The built-in policy has no id. */
const same = (a: PolicyRef, b: PolicyRef): boolean =>
  a.kind === b.kind && ('id' in a ? a.id : null) === ('id' in b ? b.id : null);

/** Chooses it for the next run; if chosen, offers the built-in model. */
export const UseAsPolicy = (props: {
  policy: PolicyRef;
  name: string;
  use: (policy: PolicyRef) => void;
}) => {
  const { policy, name, use } = props;
  const chosen = useSetup(({ setup }) => setup.policy);
  if (same(chosen, policy))
    return (
      <>
        <span className="badge good">in use</span>
        {policy.kind === 'built-in' ? null : (
          <button type="button" className="link" onClick={() => use({ kind: 'built-in' })}>
            Back to the built-in model
          </button>
        )}
      </>
    );
  return (
    <Button size="compact-xs" aria-label={`Use ${name}`} onClick={() => use(policy)}>
      Use
    </Button>
  );
};
