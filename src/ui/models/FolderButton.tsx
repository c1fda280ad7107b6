import type { ComponentProps } from 'react';
import type { LocalFile } from '../../runs/checkpoints/plan.ts';
import { PickButton } from '../lib/PickButton.tsx';
import { pickedFolder } from './folder-files.ts';

/** A button that lets the folder of a model be chosen. */
export const FolderButton = ({
  onFiles,
  ...rest
}: Omit<ComponentProps<typeof PickButton>, 'onFiles' | 'folder'> & {
  onFiles: (files: LocalFile[]) => void;
}) => <PickButton {...rest} folder onFiles={(files) => onFiles(pickedFolder(files))} />;
