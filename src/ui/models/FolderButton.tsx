import { Button, type ButtonProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import type { LocalFile } from '../../runs/checkpoints/plan.ts';
import { filesOfInput } from './folder-files.ts';

/** A button that lets a whole folder be chosen. */
export const FolderButton = (props: {
  /** Name of the field for the files. */
  label: string;
  children: ReactNode;
  title?: string;
  size: NonNullable<ButtonProps['size']>;
  variant?: 'default' | 'filled';
  onFiles: (files: LocalFile[]) => void;
}) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        size={props.size}
        variant={props.variant ?? 'filled'}
        title={props.title}
        onClick={() => input.current?.click()}
      >
        {props.children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={props.label}
        // React has no type for it, every browser has it.
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          const files = filesOfInput(event.currentTarget.files);
          event.currentTarget.value = '';
          if (files.length > 0) props.onFiles(files);
        }}
      />
    </>
  );
};
