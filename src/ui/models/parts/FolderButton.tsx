import type { ComponentProps } from 'react';
import type { LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import { PickButton } from '../../kit/PickButton.tsx';
import { pickedFolder } from './folder-files.ts';

/** A button that lets the folder of a model be chosen. */
export const FolderButton = ({
  onFiles,
  ...rest
}: Omit<ComponentProps<typeof PickButton>, 'onFiles' | 'folder'> & {
  onFiles: (files: LocalFile[]) => void;
}) => <PickButton {...rest} folder onFiles={(files) => onFiles(pickedFolder(files))} />;
