import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ExportSubject } from '../../../lab/contract/exports.ts';
import { ExportDialog } from './ExportDialog.tsx';

/** Opens the dialog that makes a folder for TRL or verl. */
export const ExportButton = (props: {
  /** Read on click, because a form may have changed since the last render. */
  subject: () => ExportSubject;
  name: string;
  disabled?: boolean;
}) => {
  const { disabled = false } = props;
  const [subject, setSubject] = useState<ExportSubject | null>(null);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={disabled}
        title="A folder that trains the same on Hugging Face TRL or verl"
        onClick={() => setSubject(props.subject())}
      >
        Take it to a cluster
      </Button>
      {subject ? (
        <ExportDialog subject={subject} name={props.name} onClose={() => setSubject(null)} />
      ) : null}
    </>
  );
};
